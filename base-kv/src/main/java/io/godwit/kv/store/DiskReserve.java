package io.godwit.kv.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that keeps a little of the disk for one start. A database cannot be opened without room for a few files of its
 * own, so a node could not start on a disk that is full to the last byte, not even to be read. Made while the disk has
 * ample room; deleted by a start that finds less room than it takes, and made again when there is ample room again. A
 * crash while it is made leaves a shorter file, which is made anew.
 *
 * <p>Locked: on a slow disk one look at the disk may still write when the next one comes.
 */
public final class DiskReserve {
    /** Sixty-four ranges need some 100 KB each for the files of a start. */
    public static final int BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
    private static final String FILE = "reserve";
    private static final int BLOCK_BYTES = 1 << 20;

    private final Path file;
    private boolean isKnownToBeThere;

    /** @param directory of the data, which the caller has claimed */
    public DiskReserve(Path directory) {
        this.file = directory.resolve(FILE);
    }

    /** Deletes the file if the disk has so little room that the databases may not open. */
    public synchronized void giveUpIfFull(DiskGuard.Disk disk) throws IOException {
        long free = disk.usableBytes();
        if (free < BYTES && Files.deleteIfExists(file)) {
            isKnownToBeThere = false;
            LOG.error("disk full, the reserve for a start is used freeBytes={} reserveBytes={}", free, BYTES);
        }
    }

    /** Makes the file unless it is there. Writes and syncs; to be called while the disk has ample room. */
    public synchronized void make() {
        if (isKnownToBeThere) {
            return;
        }
        try {
            if (!Files.exists(file) || Files.size(file) < BYTES) {
                write();
            }
            isKnownToBeThere = true;
        } catch (IOException e) {
            LOG.warn("no reserve on the disk for a start cause={}", e.toString());
            isKnownToBeThere = true; // tried once; the next start tries again
            deleteRest();
        }
    }

    private void write() throws IOException {
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer zeros = ByteBuffer.allocate(BLOCK_BYTES);
            for (int written = 0; written < BYTES; written += BLOCK_BYTES) {
                zeros.clear();
                while (zeros.hasRemaining()) {
                    out.write(zeros);
                }
            }
            out.force(true);
        }
    }

    private void deleteRest() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("reserve not deleted file={}", file, e);
        }
    }
}
