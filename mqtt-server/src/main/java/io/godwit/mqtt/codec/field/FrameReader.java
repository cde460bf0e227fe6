package io.godwit.mqtt.codec.field;

import static io.godwit.mqtt.packet.field.ReasonCode.MALFORMED_PACKET;
import static io.godwit.mqtt.packet.field.ReasonCode.PROTOCOL_ERROR;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.Arrays;
import java.util.Set;

/**
 * Reads the fields of one whole frame, never past its end or past the end of its properties. Anything that does not fit
 * throws a {@link ProtocolException}. One per connection, reused for every frame; confined to the connection's event
 * loop.
 */
public final class FrameReader {
    private static final byte[] NO_BYTES = {};
    private static final int MAX_QUOTED_CHARS = 100;
    private static final long REPEATABLE = PropertyId.set(PropertyId.USER_PROPERTY);

    /**
     * Strings are copied here before they are checked. One of 64 KiB per thread, so that an idle connection holds none.
     */
    private static final FastThreadLocal<byte[]> SCRATCH = new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
            return new byte[TopicName.MAX_BYTES];
        }
    };

    /** An idle connection does not keep a longer topic. */
    private static final int MAX_REMEMBERED_BYTES = 1024;

    // per connection
    private final boolean fromClient;
    /** 0 until a CONNECT has set it. */
    private int protocolLevel;
    /** The last topic and its bytes: publishers repeat topics. */
    private String lastTopic = "";

    private byte[] lastTopicBytes = NO_BYTES;

    // per frame
    private ByteBuf frame = Unpooled.EMPTY_BUFFER;
    private int position;
    private int end;
    private int userPropertiesLeft;
    private int filtersLeft;

    // per block of properties
    private int outerEnd;
    private long seenProperties;

    public FrameReader(boolean fromClient, int protocolLevel) {
        this.fromClient = fromClient;
        this.protocolLevel = protocolLevel;
    }

    /** Whether the sender of the frames is a client. */
    public boolean fromClient() {
        return fromClient;
    }

    public int protocolLevel() {
        return protocolLevel;
    }

    public void protocolLevel(int level) {
        protocolLevel = level;
    }

    public boolean isMqtt5() {
        return protocolLevel >= ProtocolLevel.MQTT_5;
    }

    /** Starts on the bytes {@code from} to {@code to} of {@code frame}; borrows it until {@link #close}. */
    public void open(ByteBuf frame, int from, int to) {
        this.frame = frame;
        position = from;
        end = to;
    }

    /** How many user properties the frame may have. */
    public void allowUserProperties(int count) {
        userPropertiesLeft = count;
    }

    /** How many topic filters the frame may have. */
    public void allowFilters(int count) {
        filtersLeft = count;
    }

    public void close() {
        frame = Unpooled.EMPTY_BUFFER;
    }

    public int remaining() {
        return end - position;
    }

    /** Checks that no bytes follow the fields of the packet. */
    public void expectEnd(String packet) {
        if (position != end) {
            throw new ProtocolException(MALFORMED_PACKET, packet + " has " + remaining() + " bytes after its end");
        }
    }

    public int readU8() {
        return frame.getByte(take(1)) & 0xFF;
    }

    public int readU16() {
        return frame.getUnsignedShort(take(2));
    }

    public long readU32() {
        return frame.getUnsignedInt(take(4));
    }

    /** A variable byte integer in its shortest form [MQTT5-1.5.5-1]. */
    int readVarInt() {
        long read = VarInt.read(frame, position, end);
        if (read < 0) {
            throw read == VarInt.INCOMPLETE
                    ? endsEarly(remaining() + 1)
                    : new ProtocolException(MALFORMED_PACKET, "variable byte integer has more than 4 bytes");
        }
        int value = VarInt.value(read);
        if (VarInt.bytes(read) > VarInt.length(value)) {
            throw new ProtocolException(MALFORMED_PACKET, "variable byte integer " + value + " is longer than needed");
        }
        position += VarInt.bytes(read);
        return value;
    }

    public int readPacketId(String packet) {
        int packetId = readU16();
        if (packetId == 0) { // [MQTT5-2.2.1-3], [MQTT5-2.2.1-4], [MQTT311-2.3.1-1]
            throw new ProtocolException(PROTOCOL_ERROR, packet + " has packet identifier 0");
        }
        return packetId;
    }

    /** A reason code from the set that the packet may carry. */
    public ReasonCode readReasonCode(Set<ReasonCode> allowed, String packet) {
        int value = readU8();
        ReasonCode code = ReasonCode.of(value);
        if (code == null || !allowed.contains(code)) {
            throw new ProtocolException(PROTOCOL_ERROR, packet + " has reason code " + value);
        }
        return code;
    }

    /** The bytes after a two-byte length. */
    public byte[] readBinary() {
        int length = readU16();
        return copy(take(length), length);
    }

    /** All remaining bytes. */
    public byte[] readRest() {
        int length = remaining();
        return copy(take(length), length);
    }

    public String readString() {
        int length = readU16();
        int from = take(length);
        return length == 0 ? "" : decode(scratch(from, length), length);
    }

    /** A topic name; may be empty, and then the caller must look for a topic alias. */
    public String readTopicName() {
        int length = readU16();
        int from = take(length);
        if (length == 0) {
            return "";
        }
        byte[] bytes = scratch(from, length);
        if (Arrays.equals(bytes, 0, length, lastTopicBytes, 0, lastTopicBytes.length)) {
            return lastTopic;
        }
        String topic = decode(bytes, length);
        if (!TopicName.isValid(topic)) { // [MQTT5-3.3.2-2], [MQTT311-3.3.2-2]
            throw new ProtocolException(ReasonCode.TOPIC_NAME_INVALID, "topic name has a wildcard: " + brief(topic));
        }
        if (length <= MAX_REMEMBERED_BYTES) {
            lastTopic = topic;
            lastTopicBytes = Arrays.copyOf(bytes, length);
        }
        return topic;
    }

    public TopicFilter readTopicFilter() {
        if (filtersLeft-- == 0) {
            throw new ProtocolException(ReasonCode.QUOTA_EXCEEDED, "the packet has more filters than allowed");
        }
        String text = readString();
        return TopicFilter.parse(text)
                .orElseThrow(() -> new ProtocolException(
                        ReasonCode.TOPIC_FILTER_INVALID, "topic filter is not valid: " + brief(text)));
    }

    public UserProperty readUserProperty() {
        if (userPropertiesLeft-- == 0) {
            throw new ProtocolException(ReasonCode.QUOTA_EXCEEDED, "the packet has more user properties than allowed");
        }
        String name = readString();
        return new UserProperty(name, readString());
    }

    /** A byte property whose only values are 0 and 1. */
    public boolean readBoolean(String property) {
        int value = readU8();
        if (value > 1) {
            throw new ProtocolException(PROTOCOL_ERROR, property + " must be 0 or 1, was " + value);
        }
        return value == 1;
    }

    /** A number property that must not be 0. */
    public int readNonZeroU16(String property) {
        int value = readU16();
        checkNonZero(value, property);
        return value;
    }

    /** A number property that must not be 0. */
    public long readNonZeroU32(String property) {
        long value = readU32();
        checkNonZero(value, property);
        return value;
    }

    public int readSubscriptionId() {
        int value = readVarInt();
        checkNonZero(value, "subscription identifier");
        return value;
    }

    /**
     * Reads the length of a block of properties; until {@link #nextProperty} returns 0, reads cannot pass the block's
     * end.
     */
    public void beginProperties() {
        int length = readVarInt();
        if (length > remaining()) {
            throw new ProtocolException(
                    MALFORMED_PACKET,
                    "property length " + length + " goes beyond the packet by " + (length - remaining()));
        }
        outerEnd = end;
        end = position + length;
        seenProperties = 0;
    }

    /**
     * The identifier of the next property, whose value the caller reads next; 0 at the end of the block.
     *
     * @param allowed the properties that this packet may carry
     * @param repeatable the properties that may repeat, besides user properties
     */
    public int nextProperty(long allowed, long repeatable, String packet) {
        if (position == end) {
            end = outerEnd;
            return 0;
        }
        int id = readVarInt();
        if (id >= Long.SIZE || (allowed >>> id & 1) == 0) { // MQTT 5.0, 2.2.2.2
            throw new ProtocolException(MALFORMED_PACKET, packet + " has property identifier " + id);
        }
        long bit = 1L << id;
        if ((seenProperties & bit & ~(repeatable | REPEATABLE)) != 0) {
            throw new ProtocolException(PROTOCOL_ERROR, packet + " has property " + id + " twice");
        }
        seenProperties |= bit;
        return id;
    }

    public int nextProperty(long allowed, String packet) {
        return nextProperty(allowed, 0, packet);
    }

    /** Shortens a peer's text for error messages. */
    public static String brief(String text) {
        return text.length() <= MAX_QUOTED_CHARS ? text : text.substring(0, MAX_QUOTED_CHARS) + "...";
    }

    private static void checkNonZero(long value, String property) {
        if (value == 0) {
            throw new ProtocolException(PROTOCOL_ERROR, property + " must not be 0");
        }
    }

    /** Advances by {@code length} bytes and returns the position before them. */
    private int take(int length) {
        int from = position;
        if (length > end - from) {
            throw endsEarly(length);
        }
        position = from + length;
        return from;
    }

    private ProtocolException endsEarly(int length) {
        return new ProtocolException(
                MALFORMED_PACKET,
                "packet ends early: a field needs " + length + " bytes, " + remaining() + " are left");
    }

    private byte[] copy(int from, int length) {
        if (length == 0) {
            return NO_BYTES;
        }
        byte[] bytes = new byte[length];
        frame.getBytes(from, bytes);
        return bytes;
    }

    private byte[] scratch(int from, int length) {
        byte[] scratch = SCRATCH.get();
        frame.getBytes(from, scratch, 0, length);
        return scratch;
    }

    private static String decode(byte[] bytes, int length) {
        String text = Utf8.decode(bytes, 0, length);
        if (text == null) {
            throw new ProtocolException(
                    MALFORMED_PACKET, "a string of " + length + " bytes is not UTF-8 as MQTT allows it");
        }
        return text;
    }
}
