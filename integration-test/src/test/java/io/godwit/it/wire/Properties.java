package io.godwit.it.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The properties of an MQTT 5.0 packet, in the order they stand on the wire. */
public record Properties(List<Entry> entries) {
    public static final Properties NONE = new Properties(List.of());

    public static final int MESSAGE_EXPIRY = 0x02;
    public static final int SUBSCRIPTION_ID = 0x0B;
    public static final int SESSION_EXPIRY = 0x11;
    public static final int WILL_DELAY = 0x18;
    public static final int RECEIVE_MAXIMUM = 0x21;
    public static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    public static final int TOPIC_ALIAS = 0x23;
    public static final int USER_PROPERTY = 0x26;
    public static final int MAXIMUM_PACKET_SIZE = 0x27;

    public Properties {
        entries = List.copyOf(entries);
    }

    /** @param value {@code Long} for numbers, {@code String}, {@code byte[]}, or {@link Pair} */
    public record Entry(int id, Object value) {}

    /** A user property. */
    public record Pair(String name, String value) {}

    public Properties with(int id, long value) {
        return plus(new Entry(id, value));
    }

    public Properties plus(Entry entry) {
        List<Entry> more = new ArrayList<>(entries);
        more.add(entry);
        return new Properties(more);
    }

    public OptionalLong number(int id) {
        return entries.stream()
                .filter(entry -> entry.id() == id)
                .mapToLong(entry -> (Long) entry.value())
                .findFirst();
    }

    void writeTo(ByteArrayOutputStream out) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (Entry entry : entries) {
            body.write(entry.id());
            Object value = entry.value();
            switch (Shape.of(entry.id())) {
                case BYTE -> PacketWriter.number(body, (Long) value, 1);
                case SHORT -> PacketWriter.number(body, (Long) value, 2);
                case INT -> PacketWriter.number(body, (Long) value, 4);
                case VARINT -> PacketWriter.varint(body, (int) (long) (Long) value);
                case STRING -> PacketWriter.string(body, (String) value);
                case BINARY -> PacketWriter.binary(body, (byte[]) value);
                case PAIR -> {
                    PacketWriter.string(body, ((Pair) value).name());
                    PacketWriter.string(body, ((Pair) value).value());
                }
            }
        }
        PacketWriter.varint(out, body.size());
        out.writeBytes(body.toByteArray());
    }

    static Properties readFrom(ByteBuffer in) throws IOException {
        int length = PacketReader.varint(in);
        if (length > in.remaining()) {
            throw new IOException("properties of " + length + " bytes in the " + in.remaining() + " that are left");
        }
        int end = in.position() + length;
        List<Entry> entries = new ArrayList<>();
        while (in.position() < end) {
            int id = in.get() & 0xFF;
            Object value = switch (Shape.of(id)) {
                case BYTE -> (long) (in.get() & 0xFF);
                case SHORT -> (long) (in.getShort() & 0xFFFF);
                case INT -> in.getInt() & 0xFFFF_FFFFL;
                case VARINT -> (long) PacketReader.varint(in);
                case STRING -> PacketReader.string(in);
                case BINARY -> PacketReader.binary(in);
                case PAIR -> new Pair(PacketReader.string(in), PacketReader.string(in));
            };
            entries.add(new Entry(id, value));
        }
        if (in.position() != end) {
            throw new IOException("the last property ends " + (in.position() - end) + " bytes after the properties");
        }
        return new Properties(entries);
    }

    private enum Shape {
        BYTE,
        SHORT,
        INT,
        VARINT,
        STRING,
        BINARY,
        PAIR;

        /** [MQTT5-2.2.2.2], table 2-4. */
        static Shape of(int id) {
            return switch (id) {
                case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> BYTE;
                case 0x13, 0x21, 0x22, 0x23 -> SHORT;
                case 0x02, 0x11, 0x18, 0x27 -> INT;
                case 0x0B -> VARINT;
                case 0x03, 0x08, 0x12, 0x15, 0x1A, 0x1C, 0x1F -> STRING;
                case 0x09, 0x16 -> BINARY;
                case 0x26 -> PAIR;
                default -> throw new IllegalArgumentException("no such property: " + id);
            };
        }
    }
}
