package io.godwit.inbox.format;

/**
 * The value of a RETAINED key: the position of the replay of retained messages to a subscription. Also the value of a
 * LIVE key: a note that a live message of the topic was queued during the replay.
 *
 * <pre>
 * RETAINED  key: the filter in UTF-8   value: 1 version, 1; varint the sequence it began with; its position, a
 *                                      string, empty for the beginning
 * LIVE      key: the topic in UTF-8    value: 1 version, 1; varint sequence
 * </pre>
 *
 * @param since the next sequence of the inbox when the replay began
 * @param place position of the replay; empty at the beginning
 */
public record ReplayRecord(long since, String place) {
    private static final int VERSION = 1;

    public static byte[] encode(long since, String place) {
        ByteWriter out = new ByteWriter(16 + place.length());
        out.u8(VERSION);
        out.varint(since);
        out.string(place);
        return out.toBytes();
    }

    public static ReplayRecord decode(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "place of a replay");
        return new ReplayRecord(in.varint(), in.string());
    }

    public static byte[] encodeNote(long sequence) {
        ByteWriter value = new ByteWriter(12);
        value.u8(VERSION);
        value.varint(sequence);
        return value.toBytes();
    }

    /** The sequence of the noted message. */
    public static long decodeNote(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "note of a live message");
        return in.varint();
    }
}
