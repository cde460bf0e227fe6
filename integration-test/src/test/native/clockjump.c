/*
 * Sets the clock of one process: what it reads as the time of day is off by as many seconds as the file of
 * CLOCKJUMP_FILE says, a 64-bit number in the machine's order, from the moment at which it is written there. The
 * monotonic clock is left alone, as it is when an operator, or NTP, sets a machine's clock. Preloaded into the process.
 *
 * Waits until a time of day (RocksDB's, and those of libraries) are told to the kernel in the kernel's time. So one
 * that has begun before a jump takes as long as it would have taken without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* No machine is up for so long: a wait until later than that is one until a time of day. */
#define LONGEST_UPTIME 1000000000

static const int64_t none;
static const volatile int64_t *offset = &none;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void start(void) {
    real_clock_gettime = (__typeof__(real_clock_gettime)) dlsym(RTLD_NEXT, "clock_gettime");
    /* by version, where there is one: without it the first that there ever was is found, which has other condition
     * variables */
    real_wait = (__typeof__(real_wait)) dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real_wait) real_wait = (__typeof__(real_wait)) dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    const char *name = getenv("CLOCKJUMP_FILE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) abort();
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) abort();
    close(file);
    offset = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    if (!real_clock_gettime) start(); /* another library's constructor comes first */
    int result = real_clock_gettime(clock, out);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += *offset;
    return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void) zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

static struct timespec kernels(const struct timespec *until) {
    struct timespec real = *until;
    if (real.tv_sec > LONGEST_UPTIME) real.tv_sec -= *offset;
    return real;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    if (!real_wait) start();
    struct timespec real = kernels(until);
    return real_wait(condition, mutex, &real);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    static int (*real_sem)(sem_t *, const struct timespec *);
    if (!real_sem) real_sem = (__typeof__(real_sem)) dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec real = kernels(until);
    return real_sem(semaphore, &real);
}
