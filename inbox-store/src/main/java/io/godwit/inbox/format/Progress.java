package io.godwit.inbox.format;

import java.util.Arrays;

/**
 * The value of a PROGRESS key: which messages of an inbox are finished (acknowledged by its client or dropped). All
 * below {@code horizon} are finished, except those in {@code live}; none from {@code horizon} on is. In the usual case,
 * acknowledgement in order, {@code live} is empty.
 *
 * <pre>
 * 1        version, 1
 * varint   floor
 * varint   horizon - floor
 * varint   sent below
 * varint   number of live sequences, then the distance of each from the one before it, the first from floor
 * varint   number of received sequences, then likewise
 * </pre>
 *
 * @param floor no run that begins below it holds a live message: reads start here, to skip the tombstones
 * @param horizon at least floor
 * @param sentBelow no message of this sequence or a higher one has been sent to the client, ever; see
 *     {@code SentCeiling}
 * @param live sequences below {@code horizon} that are not finished, ascending
 * @param received sequences whose PUBREC is committed, ascending; each is live
 */
@SuppressWarnings("ArrayRecordComponent")
public record Progress(long floor, long horizon, long sentBelow, long[] live, long[] received) {
    /** Of an inbox that has not finished any message. */
    public static final Progress NONE = new Progress(0, 0, 0, new long[0], new long[0]);

    private static final int VERSION = 1;

    public byte[] encode() {
        ByteWriter out = new ByteWriter(16 + live.length + 2 * received.length);
        out.u8(VERSION);
        out.varint(floor);
        out.varint(horizon - floor);
        out.varint(sentBelow);
        writeAscending(out, live);
        writeAscending(out, received);
        return out.toBytes();
    }

    public static Progress decode(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "progress");
        long floor = in.varint();
        long horizon = floor + in.varint();
        long sentBelow = in.varint();
        long[] live = readAscending(in, floor);
        return new Progress(floor, horizon, sentBelow, live, readAscending(in, floor));
    }

    public boolean isFinished(long sequence) {
        return sequence < horizon && Arrays.binarySearch(live, sequence) < 0;
    }

    public boolean isReceived(long sequence) {
        return Arrays.binarySearch(received, sequence) >= 0;
    }

    private void writeAscending(ByteWriter out, long[] sequences) {
        out.varint(sequences.length);
        long previous = floor;
        for (long sequence : sequences) {
            out.varint(sequence - previous);
            previous = sequence;
        }
    }

    private static long[] readAscending(ByteReader in, long floor) {
        int count = in.length();
        long[] sequences = new long[Math.min(count, 1 << 16)];
        long previous = floor;
        for (int i = 0; i < count; i++) {
            if (i == sequences.length) {
                sequences = Arrays.copyOf(sequences, count);
            }
            previous += in.varint();
            sequences[i] = previous;
        }
        return sequences.length == count ? sequences : Arrays.copyOf(sequences, count);
    }
}
