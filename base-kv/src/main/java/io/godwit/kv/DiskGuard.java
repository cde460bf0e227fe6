package io.godwit.kv;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whether there is room to write. Below the low-water mark there is not, until free space is an eighth above it again. Checked on an
 * I/O thread, asked on any.
 */
final class DiskGuard {
    private static final Logger LOG = LoggerFactory.getLogger(DiskGuard.class);
    private static final long MAX_DEFAULT_MARK = 1L << 30;
    private static final long MIN_DEFAULT_MARK = 256L << 20;

    /** A disk, as far as this class looks at it. */
    interface Disk {
        long usableBytes() throws IOException;

        long totalBytes() throws IOException;

        static Disk of(Path path) throws IOException {
            FileStore store = Files.getFileStore(path);
            return new Disk() {
                @Override
                public long usableBytes() throws IOException {
                    return store.getUsableSpace();
                }

                @Override
                public long totalBytes() throws IOException {
                    return store.getTotalSpace();
                }
            };
        }
    }

    private final Disk disk;
    private final long markBytes;
    private final Runnable onChange;
    private volatile boolean mayWrite = true;

    /** @param onChange called on the checking thread after the answer has changed */
    DiskGuard(Disk disk, OptionalLong lowWaterBytes, Runnable onChange) throws IOException {
        this.disk = disk;
        this.onChange = onChange;
        this.markBytes = lowWaterBytes.isPresent() ? lowWaterBytes.getAsLong() : defaultMark(disk.totalBytes());
    }

    static long defaultMark(long totalBytes) {
        return Math.max(MIN_DEFAULT_MARK, Math.min(MAX_DEFAULT_MARK, totalBytes / 20));
    }

    boolean mayWrite() {
        return mayWrite;
    }

    void check() {
        long free;
        try {
            free = disk.usableBytes();
        } catch (IOException e) {
            LOG.warn("free disk space cannot be read cause={}", e.toString());
            return;
        }
        boolean next = mayWrite ? free >= markBytes : free >= markBytes + markBytes / 8;
        if (next != mayWrite) {
            mayWrite = next;
            if (next) {
                LOG.info("writes accepted again freeBytes={} lowWaterBytes={}", free, markBytes);
            } else {
                LOG.error("writes refused, disk nearly full freeBytes={} lowWaterBytes={}", free, markBytes);
            }
            onChange.run();
        }
    }

    String describe() {
        return "free disk is below " + markBytes + " bytes";
    }
}
