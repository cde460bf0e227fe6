/*
 * Records, for the files of a process under one directory, what a power loss would leave of them. Preloaded into the
 * process; the record outlives kill -9, since it is written with write(2) to a file of its own. io.godwit.it.powerloss
 * .PowerCut reads it and takes the files back.
 *
 * Environment: POWERLOSS_ROOT     the directory to watch, absolute, without a symbolic link
 *              POWERLOSS_JOURNAL  the record, outside of it
 *              POWERLOSS_STASH    an existing directory on the same file system, outside of it
 *              POWERLOSS_FAIL     optional, the name of a file: once it is there, the next fsync of a watched file
 *                                 fails with EIO, and it is gone
 *
 * The record, a line each, in the order of the calls. Names are absolute.
 *
 *   E inode length       a file met for the first time, which was there before: that much of it counts as on disk
 *   C inode name         a file created
 *   S inode length       a file fsynced when it was that long
 *   U inode offset hex   bytes about to be overwritten or cut off
 *   D name               a directory fsynced
 *   M name               a directory created
 *   R from to stash      a renaming; what it replaced is kept as the file in the stash, or - when there was nothing
 *   L name               a hard link created
 *   X name stash         a file about to be deleted, kept in the stash
 *   W name               a file mapped for writing, which is not followed
 *
 * What is appended needs no line: whatever lies beyond the last S is not on disk. A line that promises durability is
 * written after the call has succeeded, one that takes it back before the call is made: a kill in between errs toward
 * losing more. sync_file_range promises nothing, so it is not looked at.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FD 65536
#define MAX_UNDO (4 << 20)
#define KNOWN_SLOTS 65536

static char root[PATH_MAX];
static size_t root_length;
static char stash[PATH_MAX];
static int journal = -1;
static unsigned long stashed;
static char watched[MAX_FD]; /* 1 file, 2 directory */
static ino_t known[KNOWN_SLOTS];
static char failure[PATH_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) \
    static __typeof__(&name) real_##name; \
    if (!real_##name) real_##name = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
    const char *directory = getenv("POWERLOSS_ROOT");
    const char *file = getenv("POWERLOSS_JOURNAL");
    const char *kept = getenv("POWERLOSS_STASH");
    if (!directory || !file || !kept) return;
    snprintf(root, sizeof root, "%s", directory);
    snprintf(stash, sizeof stash, "%s", kept);
    root_length = strlen(root);
    if (getenv("POWERLOSS_FAIL")) snprintf(failure, sizeof failure, "%s", getenv("POWERLOSS_FAIL"));
    REAL(open);
    journal = real_open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (journal < 0) abort();
}

static void put(const char *line, size_t length) {
    REAL(write);
    if (real_write(journal, line, length) != (ssize_t) length) abort(); /* a record with holes proves nothing */
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    char line[3 * PATH_MAX];
    int saved = errno;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put(line, (size_t) length);
    errno = saved;
}

static int inside(const char *name) {
    return journal >= 0 && strncmp(name, root, root_length) == 0 && (name[root_length] == '/' || !name[root_length]);
}

/* The absolute name of what may not exist yet; 0 when it does not concern us. */
static int absolute(int directory, const char *name, char *out) {
    if (journal < 0 || !name) return 0;
    char joined[2 * PATH_MAX];
    if (name[0] == '/') {
        snprintf(joined, sizeof joined, "%s", name);
    } else if (directory == AT_FDCWD) {
        if (!getcwd(out, PATH_MAX)) return 0;
        snprintf(joined, sizeof joined, "%s/%s", out, name);
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, out, PATH_MAX - 1);
        if (length < 0) return 0;
        out[length] = 0;
        snprintf(joined, sizeof joined, "%s/%s", out, name);
    }
    size_t length = 0;
    for (char *c = joined; *c && length < PATH_MAX - 1; c++) { /* // and /./ */
        if (*c == '/' && (c[1] == '/' || !c[1])) continue;
        if (c[0] == '/' && c[1] == '.' && (c[2] == '/' || !c[2])) { c++; continue; }
        out[length++] = *c;
    }
    out[length] = 0;
    return inside(out);
}

/* Whether the inode is met for the first time; it counts as met from now on. */
static int first_met(ino_t inode) {
    size_t slot = (size_t) (inode * 2654435761u) % KNOWN_SLOTS;
    for (size_t i = 0; i < KNOWN_SLOTS; i++, slot = (slot + 1) % KNOWN_SLOTS) {
        if (known[slot] == inode) return 0;
        if (!known[slot]) {
            known[slot] = inode;
            return 1;
        }
    }
    abort();
}

/* Keeps the bytes of an open file from offset on, at most length of them, as far as the file has them. */
static void keep(int fd, off_t offset, size_t length) {
    struct stat st;
    if (fstat(fd, &st) || offset >= st.st_size || !length) return;
    if ((off_t) length > st.st_size - offset) length = (size_t) (st.st_size - offset);
    if (length > MAX_UNDO) abort();
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    REAL(open);
    REAL(close);
    int in = real_open(name, O_RDONLY | O_CLOEXEC); /* fd itself may be open for writing only */
    unsigned char *bytes = malloc(length);
    char *line = malloc(2 * length + 64);
    if (in < 0 || !bytes || !line || pread(in, bytes, length, offset) != (ssize_t) length) abort();
    real_close(in);
    int at = snprintf(line, 64, "U %lu %ld ", (unsigned long) st.st_ino, (long) offset);
    for (size_t i = 0; i < length; i++) at += sprintf(line + at, "%02x", bytes[i]);
    line[at++] = '\n';
    put(line, (size_t) at);
    free(bytes);
    free(line);
}

static int is_watched(int fd) {
    return journal >= 0 && fd >= 0 && fd < MAX_FD && watched[fd];
}

static int open_watched(int (*opener)(int, const char *, int, mode_t), int dirfd, const char *name, int flags,
                        mode_t mode) {
    char full[PATH_MAX];
    if (!absolute(dirfd, name, full)) return opener(dirfd, name, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat st;
    int existed = !stat(full, &st);
    if (existed && (flags & O_TRUNC) && S_ISREG(st.st_mode)) {
        REAL(open);
        REAL(close);
        int old = real_open(full, O_RDONLY | O_CLOEXEC);
        if (old >= 0) {
            if (first_met(st.st_ino)) note("E %lu %ld\n", (unsigned long) st.st_ino, (long) st.st_size);
            keep(old, 0, (size_t) st.st_size);
            real_close(old);
        }
    }
    int fd = opener(dirfd, name, flags, mode);
    if (fd >= 0 && fd < MAX_FD && !fstat(fd, &st)) {
        watched[fd] = S_ISREG(st.st_mode) ? 1 : S_ISDIR(st.st_mode) ? 2 : 0;
        if (watched[fd] == 1 && !existed) {
            first_met(st.st_ino);
            note("C %lu %s\n", (unsigned long) st.st_ino, full);
        } else if (watched[fd] == 1 && first_met(st.st_ino)) {
            note("E %lu %ld\n", (unsigned long) st.st_ino, (long) st.st_size);
        }
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

static int call_openat(int dirfd, const char *name, int flags, mode_t mode) {
    REAL(openat);
    return real_openat(dirfd, name, flags, mode);
}

#define OPEN_MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list a; va_start(a, flags); mode = va_arg(a, mode_t); va_end(a); }

int open(const char *name, int flags, ...) {
    OPEN_MODE(flags)
    return open_watched(call_openat, AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
    OPEN_MODE(flags)
    return open_watched(call_openat, AT_FDCWD, name, flags | O_LARGEFILE, mode);
}
int openat(int d, const char *name, int flags, ...) {
    OPEN_MODE(flags)
    return open_watched(call_openat, d, name, flags, mode);
}
int openat64(int d, const char *name, int flags, ...) {
    OPEN_MODE(flags)
    return open_watched(call_openat, d, name, flags | O_LARGEFILE, mode);
}
int creat(const char *name, mode_t mode) {
    return open_watched(call_openat, AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

int close(int fd) {
    REAL(close);
    if (is_watched(fd)) watched[fd] = 0;
    return real_close(fd);
}

static void before_write(int fd, off_t offset, size_t length) {
    if (is_watched(fd) != 1) return;
    pthread_mutex_lock(&lock);
    keep(fd, offset, length);
    pthread_mutex_unlock(&lock);
}

static off_t position(int fd) {
    int flags = fcntl(fd, F_GETFL);
    struct stat st;
    if (flags & O_APPEND) return fstat(fd, &st) ? 0 : st.st_size;
    off_t at = lseek(fd, 0, SEEK_CUR);
    return at < 0 ? 0 : at;
}

static size_t total(const struct iovec *parts, int count) {
    size_t length = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    return length;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    REAL(write);
    if (is_watched(fd)) before_write(fd, position(fd), length);
    return real_write(fd, bytes, length);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    if (is_watched(fd)) before_write(fd, position(fd), total(parts, count));
    return real_writev(fd, parts, count);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    REAL(pwrite);
    before_write(fd, offset, length);
    return real_pwrite(fd, bytes, length, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return pwrite(fd, bytes, length, offset); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    before_write(fd, offset, total(parts, count));
    return real_pwritev(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(fd, parts, count, offset);
}

int ftruncate(int fd, off_t length) {
    REAL(ftruncate);
    before_write(fd, length, SSIZE_MAX);
    return real_ftruncate(fd, length);
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int truncate(const char *name, off_t length) {
    REAL(close);
    int fd = open(name, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int result = ftruncate(fd, length);
    close(fd);
    return result;
}
int truncate64(const char *name, off64_t length) { return truncate(name, length); }

static int synced(int fd, int (*sync)(int)) {
    struct stat st;
    int kind = is_watched(fd) ? watched[fd] : 0;
    if (!kind || fstat(fd, &st)) return sync(fd);
    REAL(unlink);
    if (kind == 1 && *failure && !real_unlink(failure)) {
        errno = EIO;
        return -1;
    }
    int result = sync(fd); /* what is appended meanwhile may have missed it: st is from before */
    if (result) return result;
    pthread_mutex_lock(&lock);
    if (kind == 1) {
        note("S %lu %ld\n", (unsigned long) st.st_ino, (long) st.st_size);
    } else {
        char link[64], name[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, name, sizeof name - 1);
        if (length > 0) {
            name[length] = 0;
            note("D %s\n", name);
        }
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int fd) {
    REAL(fsync);
    return synced(fd, real_fsync);
}
int fdatasync(int fd) {
    REAL(fdatasync);
    return synced(fd, real_fdatasync);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    REAL(mmap);
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && is_watched(fd)) note("W %d\n", fd);
    return real_mmap(address, length, protection, flags, fd, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
    return mmap(address, length, protection, flags, fd, offset);
}

/* Hard-links a file that is about to lose its name into the stash; "-" when there is none. */
static void put_aside(const char *name, char *kept) {
    struct stat st;
    REAL(link);
    snprintf(kept, PATH_MAX, "-");
    if (lstat(name, &st) || !S_ISREG(st.st_mode)) return;
    snprintf(kept, PATH_MAX, "%.*s/%d-%lu", PATH_MAX - 64, stash, getpid(), ++stashed);
    if (first_met(st.st_ino)) note("E %lu %ld\n", (unsigned long) st.st_ino, (long) st.st_size);
    if (real_link(name, kept)) abort();
}

int renameat(int d1, const char *from, int d2, const char *to) {
    REAL(renameat);
    char a[PATH_MAX], b[PATH_MAX], kept[PATH_MAX];
    int concerned = absolute(d1, from, a) & absolute(d2, to, b);
    if (!concerned) return real_renameat(d1, from, d2, to);
    pthread_mutex_lock(&lock);
    put_aside(b, kept);
    int result = real_renameat(d1, from, d2, to);
    if (!result) note("R %s %s %s\n", a, b, kept);
    pthread_mutex_unlock(&lock);
    return result;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }
int renameat2(int d1, const char *from, int d2, const char *to, unsigned flags) {
    REAL(renameat2);
    return flags ? real_renameat2(d1, from, d2, to, flags) : renameat(d1, from, d2, to);
}

int unlinkat(int d, const char *name, int flags) {
    REAL(unlinkat);
    char full[PATH_MAX], kept[PATH_MAX];
    if ((flags & AT_REMOVEDIR) || !absolute(d, name, full)) return real_unlinkat(d, name, flags);
    pthread_mutex_lock(&lock);
    put_aside(full, kept);
    int result = real_unlinkat(d, name, flags);
    if (!result) note("X %s %s\n", full, kept);
    pthread_mutex_unlock(&lock);
    return result;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int remove(const char *name) {
    struct stat st;
    return !lstat(name, &st) && S_ISDIR(st.st_mode) ? rmdir(name) : unlink(name);
}

int linkat(int d1, const char *from, int d2, const char *to, int flags) {
    REAL(linkat);
    char full[PATH_MAX];
    int result = real_linkat(d1, from, d2, to, flags);
    if (!result && absolute(d2, to, full)) note("L %s\n", full);
    return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int mkdirat(int d, const char *name, mode_t mode) {
    REAL(mkdirat);
    char full[PATH_MAX];
    int result = real_mkdirat(d, name, mode);
    if (!result && absolute(d, name, full)) note("M %s\n", full);
    return result;
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
