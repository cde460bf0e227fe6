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
 * A file that reserves some disk space for one start. A database cannot be opened without room for a few files, so on a
 * completely full disk a node could not even start to serve reads. The file is made while the disk has ample room. A
 * start that finds less free space than the file's size deletes it; it is made again when there is ample room. A crash
 * while it is made leaves a shorter file, which is made again.
 *
 * <p>Locked, because on a slow disk one check of the disk may still be writing when the next one begins.
 */
public final class DiskReserve {
    /** Sixty-four ranges need about 100 KB each for the files of a start. */
    public static final int BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
    private static final String FILE = "reserve";
    private static final int BLOCK_BYTES = 1 << 20;

    private final Path file;
    private boolean isKnownToBeThere;

    /** @param directory the data directory, which the caller has claimed */
    public DiskReserve(Path directory) {
        this.file = directory.resolve(FILE);
    }

    /** Deletes the file if the disk is so full that the databases might not open. */
    public synchronized void giveUpIfFull(DiskGuard.Disk disk) throws IOException {
        long free = disk.usableBytes();
        if (free < BYTES && Files.deleteIfExists(file)) {
            isKnownToBeThere = false;
            LOG.error("disk full, the reserve for a start is used freeBytes={} reserveBytes={}", free, BYTES);
        }
    }

    /** Makes the file unless it exists. Writes and syncs; call it while the disk has ample room. */
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
            LOG.warn("cannot reserve disk space for the next start cause={}", e.toString());
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
