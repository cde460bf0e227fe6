package io.godwit.kv.raft.log;

import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The position up to which the shared log is known to be on disk: a RocksDB sequence number in a file beside the log's
 * directory.
 *
 * <p>It is raised after an fsync of the log has returned and is itself not fsynced. So after any crash it may be too
 * low, but never too high. It decides how the end of the log is treated: wrong bytes below the mark are damage; bytes
 * beyond it may be the torn tail of a write that was not acknowledged. It is outside the log's directory, so that a
 * missing log can be distinguished from one that was never made.
 *
 * <pre>
 * 0   8  "GWDTMRK1"
 * 8   8  the sequence number (low 56 bits) and the XOR of its seven bytes (high 8 bits), big-endian
 * </pre>
 *
 * <p>The second word is written at once and is in one disk sector, so no crash tears it: a word that does not match its
 * XOR is damaged, and is refused.
 */
public final class SyncedMark implements AutoCloseable {
    private static final long MAGIC = 0x475744544d524b31L;
    private static final int BYTES = 16;
    private static final int SEQUENCE_OFFSET = 8;
    private static final long SEQUENCE_BITS = (1L << 56) - 1;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer word = ByteBuffer.allocateDirect(Long.BYTES);
    private long sequence; // guarded by this: threads that write to the log contend to raise it

    private SyncedMark(Path file, FileChannel channel, long sequence) {
        this.file = file;
        this.channel = channel;
        this.sequence = sequence;
    }

    /** Opens the mark of an existing log; null if there has never been one. */
    static @Nullable SyncedMark open(Path file) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        if (content.length != BYTES || ByteBuffer.wrap(content).getLong(0) != MAGIC) {
            throw new DamagedDataException(file, "not a mark of the log: " + content.length + " bytes");
        }
        long stored = ByteBuffer.wrap(content).getLong(SEQUENCE_OFFSET);
        long sequence = stored & SEQUENCE_BITS;
        if (stored != encode(sequence)) {
            throw new DamagedDataException(
                    file, String.format("the sequence number does not match its check byte: %016x", stored));
        }
        return new SyncedMark(file, FileChannel.open(file, StandardOpenOption.WRITE), sequence);
    }

    /** Creates the mark of a new log, durably. */
    static SyncedMark create(Path file) throws IOException {
        DurableFiles.replace(
                file,
                ByteBuffer.allocate(BYTES).putLong(MAGIC).putLong(encode(0)).array());
        return new SyncedMark(file, FileChannel.open(file, StandardOpenOption.WRITE), 0);
    }

    /** The sequence number up to which everything has been fsynced; 0 in a log that was never written. */
    synchronized long sequence() {
        return sequence;
    }

    /** Records that everything up to {@code synced} has been fsynced. */
    synchronized void raise(long synced) throws IOException {
        if (synced > sequence) {
            write(synced);
        }
    }

    /** Records, durably, that the log ends at {@code last}: synced data behind it is lost, and was reported. */
    synchronized void lower(long last) throws IOException {
        write(last);
        channel.force(false);
    }

    private void write(long next) throws IOException {
        word.clear();
        word.putLong(encode(next)).flip();
        channel.write(word, SEQUENCE_OFFSET);
        sequence = next;
    }

    @Override
    public synchronized void close() throws IOException {
        try (channel) {
            channel.force(false);
        }
    }

    Path file() {
        return file;
    }

    private static long encode(long sequence) {
        long fold = sequence;
        fold ^= fold >>> 32;
        fold ^= fold >>> 16;
        fold ^= fold >>> 8;
        return sequence | (fold & 0xff) << 56;
    }
}
