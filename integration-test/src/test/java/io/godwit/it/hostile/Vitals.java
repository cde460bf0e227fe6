package io.godwit.it.hostile;

/**
 * What a process holds.
 *
 * @param heap bytes in use after a full collection
 * @param direct bytes outside the heap that Java code has asked for: buffers, not the stores' caches
 * @param resident bytes of memory as the system counts them
 */
record Vitals(long heap, long direct, long resident, int threads, int files, int sockets) {
    @Override
    public String toString() {
        return "heap %d MiB, direct %d MiB, resident %d MiB, %d threads, %d files, %d sockets"
                .formatted(heap >> 20, direct >> 20, resident >> 20, threads, files, sockets);
    }
}
