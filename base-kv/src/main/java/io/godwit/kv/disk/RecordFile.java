package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file in RocksDB's record format (WALs and manifests) to find where its valid part ends, and whether a torn
 * tail or damage follows.
 *
 * <pre>
 * The file consists of blocks of 32768 bytes; a fragment does not cross a block's end, and the last 6 bytes or fewer of
 * a block are padding. All numbers are little-endian.
 *
 * fragment:  0  4  masked CRC-32C of the type and the payload
 *            4  2  length of the payload
 *            6  1  type: 1 whole record, 2 first, 3 middle, 4 last fragment; others stand alone; 0 with length 0: no
 *                  more
 *            7  n  payload
 *
 * record of a WAL: a write batch, which starts with  0 8 sequence number,  8 4 number of sequence numbers it takes up
 * </pre>
 */
public final class RecordFile {
    private static final int BLOCK = 32 << 10;
    private static final int HEADER = 7;
    private static final int BATCH_HEADER = 12;
    private static final int WHOLE = 1;
    private static final int FIRST = 2;
    private static final int MIDDLE = 3;
    private static final int LAST = 4;

    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private final FileChannel channel;
    private final long size;
    private final boolean batches;

    // results of the walk so far
    private long goodBytes;
    private long lastSequence;
    private final ByteBuffer batchHeader = ByteBuffer.allocate(BATCH_HEADER).order(ByteOrder.LITTLE_ENDIAN);
    private boolean insideRecord;

    /** The result of a walk over a file. */
    public enum Ending {
        /** Every byte belongs to a record. */
        CLEAN,
        /** The last record is incomplete: the file ends before it does, or has only zeros there. */
        CUT_SHORT,
        /** The last record is complete but wrong. */
        WRONG,
        /** A record that was written later follows the wrong part. */
        WRONG_BEFORE_MORE
    }

    /**
     * @param goodBytes length of the valid part of the file: complete, correct records
     * @param lastSequence last sequence number used by a valid batch; 0 if there is none
     * @param tornSequence last sequence number of the incomplete or wrong batch; 0 if its head is missing
     */
    public record Scan(Ending ending, long goodBytes, long lastSequence, long tornSequence) {}

    private RecordFile(FileChannel channel, boolean batches) throws IOException {
        this.channel = channel;
        this.size = channel.size();
        this.batches = batches;
    }

    /** Scans a WAL. */
    public static Scan scanBatches(Path file) throws IOException {
        return scan(file, true);
    }

    /** Scans a manifest. */
    static Scan scanRecords(Path file) throws IOException {
        return scan(file, false);
    }

    private static Scan scan(Path file, boolean batches) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new RecordFile(channel, batches).walk();
        }
    }

    private Scan walk() throws IOException {
        for (long start = 0; start < size; start += BLOCK) {
            load(start);
            int at = 0;
            while (block.limit() - at >= HEADER) {
                int length = fragmentLength(at);
                if (length < 0 || !accept(at, length, start)) {
                    return ended(start, at);
                }
                at += HEADER + length;
            }
            if (block.limit() < BLOCK && at < block.limit()) {
                return ended(start, at); // the file ends within the head of a fragment
            }
        }
        return new Scan(insideRecord ? Ending.CUT_SHORT : Ending.CLEAN, goodBytes, lastSequence, tornSequence());
    }

    private void load(long start) throws IOException {
        block.clear();
        int read;
        do { // a read may return fewer bytes
            read = channel.read(block, start + block.position());
        } while (read > 0);
        block.flip();
    }

    /** The payload length of the correct fragment at {@code at}; -1 if there is none. */
    private int fragmentLength(int at) {
        int length = Short.toUnsignedInt(block.getShort(at + 4));
        if (at + HEADER + length > block.limit() || block.get(at + 6) == 0) {
            return -1;
        }
        crc.reset();
        crc.update(block.array(), at + 6, 1 + length);
        return block.getInt(at) == mask((int) crc.getValue()) ? length : -1;
    }

    private static int mask(int crc) {
        return Integer.rotateRight(crc, 15) + 0xa282ead8;
    }

    /** Adds the fragment to the results; false if it does not fit the fragments before it. */
    private boolean accept(int at, int length, long start) {
        int type = block.get(at + 6);
        boolean begins = type != MIDDLE && type != LAST;
        if (begins == insideRecord) {
            return false;
        }
        if (type == WHOLE || type == FIRST) {
            batchHeader.clear();
        }
        if (type >= WHOLE && type <= LAST) {
            batchHeader.put(block.array(), at + HEADER, Math.min(length, batchHeader.remaining()));
        }
        insideRecord = type == FIRST || type == MIDDLE;
        if (!insideRecord) {
            goodBytes = start + at + HEADER + length;
            if (batches && (type == WHOLE || type == LAST) && batchHeader.position() == BATCH_HEADER) {
                lastSequence = Math.max(lastSequence, endOfBatch(batchHeader, 0));
                batchHeader.clear();
            }
        }
        return true;
    }

    private static long endOfBatch(ByteBuffer bytes, int at) {
        long count = Integer.toUnsignedLong(bytes.getInt(at + Long.BYTES));
        return bytes.getLong(at) + Math.max(count, 1) - 1;
    }

    private long tornSequence() {
        return insideRecord && batchHeader.position() == BATCH_HEADER ? endOfBatch(batchHeader, 0) : 0;
    }

    /** Finds out how the file ends, after there was no correct fragment at {@code at}. */
    private Scan ended(long start, int at) throws IOException {
        long torn = tornSequence();
        if (!insideRecord && batches && block.limit() - at >= HEADER + BATCH_HEADER) {
            torn = endOfBatch(block, at + HEADER);
        }
        Ending ending;
        if (moreFollows(start, at)) {
            ending = Ending.WRONG_BEFORE_MORE;
        } else if (zerosFrom(start, at)) {
            boolean empty = !insideRecord;
            return new Scan(empty ? Ending.CLEAN : Ending.CUT_SHORT, goodBytes, lastSequence, empty ? 0 : torn);
        } else {
            load(start);
            ending = cutShort(start, at) ? Ending.CUT_SHORT : Ending.WRONG;
        }
        return new Scan(ending, goodBytes, lastSequence, torn);
    }

    /**
     * Whether a record that was written after the valid ones begins behind {@code at}. A damaged length hides where the
     * next fragment is, so every position within the block is tried; each further block begins with a fragment.
     */
    private boolean moreFollows(long start, int at) throws IOException {
        for (int place = at + 1; block.limit() - place >= HEADER; place++) {
            if (beginsLaterRecord(place)) {
                return true;
            }
        }
        for (long next = start + BLOCK; next < size; next += BLOCK) {
            load(next);
            int place = 0;
            while (block.limit() - place >= HEADER) {
                int length = fragmentLength(place);
                if (length < 0) {
                    break;
                }
                if (beginsLaterRecord(place)) {
                    return true;
                }
                place += HEADER + length;
            }
        }
        return false;
    }

    private boolean beginsLaterRecord(int at) {
        int type = block.get(at + 6);
        if (type != WHOLE && type != FIRST) {
            return false;
        }
        int length = fragmentLength(at);
        return batches ? length >= BATCH_HEADER && block.getLong(at + HEADER) > lastSequence : length > 0;
    }

    private boolean zerosFrom(long start, int at) throws IOException {
        int from = at;
        for (long next = start; next < size; next += BLOCK) {
            load(next);
            for (int i = from; i < block.limit(); i++) {
                if (block.get(i) != 0) {
                    return false;
                }
            }
            from = 0;
        }
        return true;
    }

    /**
     * Whether the end of the file has cut the fragment at {@code at}: it names more bytes than there are, and no prefix
     * of its bytes has the right checksum, which would show that only the length is wrong.
     */
    private boolean cutShort(long start, int at) {
        if (start + BLOCK < size) {
            return false;
        }
        int there = block.limit() - at - HEADER;
        if (there < 0) {
            return true;
        }
        int length = Short.toUnsignedInt(block.getShort(at + 4));
        if (length <= there || at + HEADER + length > BLOCK) {
            return false;
        }
        crc.reset();
        crc.update(block.array(), at + 6, 1);
        for (int i = 0; i < there; i++) {
            crc.update(block.get(at + HEADER + i));
            if (block.getInt(at) == mask((int) crc.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** The number in a name like {@code 000012.log}; null for another name. */
    public static @Nullable Long numberOf(Path file, String suffix) {
        String name = file.getFileName().toString();
        if (!name.endsWith(suffix)) {
            return null;
        }
        try {
            return Long.valueOf(name.substring(0, name.length() - suffix.length()));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
