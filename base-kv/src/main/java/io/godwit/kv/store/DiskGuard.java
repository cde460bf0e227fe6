package io.godwit.kv.store;

import io.godwit.kv.range.replica.DiskRoom;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what may be written. Below the low-water mark only relieving mutations are written, below half of it none,
 * until free space is an eighth above the mark, or above its half, again. Checked on an I/O thread, asked on any.
 */
public final class DiskGuard {
    private static final Logger LOG = LoggerFactory.getLogger(DiskGuard.class);
    private static final long MAX_DEFAULT_MARK = 1L << 30;
    private static final long MIN_DEFAULT_MARK = 256L << 20;

    /** The free and total space of a disk. */
    public interface Disk {
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
    private volatile DiskRoom room = DiskRoom.AMPLE;
    private final long totalBytes;
    private volatile long freeBytes;

    /** @param onChange called on the checking thread after the answer has changed */
    public DiskGuard(Disk disk, OptionalLong lowWaterBytes, Runnable onChange) throws IOException {
        this.disk = disk;
        this.onChange = onChange;
        this.totalBytes = disk.totalBytes();
        this.markBytes = lowWaterBytes.isPresent() ? lowWaterBytes.getAsLong() : defaultMark(totalBytes);
    }

    static long defaultMark(long totalBytes) {
        return Math.max(MIN_DEFAULT_MARK, Math.min(MAX_DEFAULT_MARK, totalBytes / 20));
    }

    public long totalBytes() {
        return totalBytes;
    }

    /** Free bytes at the last check; 0 before the first. */
    public long freeBytes() {
        return freeBytes;
    }

    public DiskRoom room() {
        return room;
    }

    public void check() {
        long free;
        try {
            free = disk.usableBytes();
        } catch (IOException e) {
            LOG.warn("free disk space cannot be read cause={}", e.toString());
            return;
        }
        freeBytes = free;
        DiskRoom next = roomAt(free);
        if (next == room) {
            return;
        }
        room = next;
        switch (next) {
            case AMPLE -> LOG.info("writes accepted again freeBytes={} lowWaterBytes={}", free, markBytes);
            case LOW ->
                LOG.error(
                        "disk nearly full, only writes that free space are accepted freeBytes={} lowWaterBytes={}",
                        free,
                        markBytes);
            case NONE -> LOG.error("disk full, nothing is written freeBytes={} lowWaterBytes={}", free, markBytes);
        }
        onChange.run();
    }

    private DiskRoom roomAt(long freeBytes) {
        long halfBytes = markBytes / 2;
        if (freeBytes < (room == DiskRoom.NONE ? wellAbove(halfBytes) : halfBytes)) {
            return DiskRoom.NONE;
        }
        return freeBytes < (room == DiskRoom.AMPLE ? markBytes : wellAbove(markBytes)) ? DiskRoom.LOW : DiskRoom.AMPLE;
    }

    /** The value at which a limit is lifted, so that it does not switch back and forth. */
    private static long wellAbove(long bytes) {
        return bytes + bytes / 8;
    }

    /** Whether the disk would still be well above the mark with {@code bytes} more on it, as of the last check. */
    public boolean hasRoomFor(long bytes) {
        return room == DiskRoom.AMPLE && freeBytes - bytes >= wellAbove(markBytes);
    }

    /** Why writes are restricted, for an operator; empty if they are not. */
    public String describe() {
        return switch (room) {
            case AMPLE -> "";
            case LOW -> "free disk is below " + markBytes + " bytes";
            case NONE -> "free disk is below " + markBytes / 2 + " bytes, not even deletions are written";
        };
    }
}
