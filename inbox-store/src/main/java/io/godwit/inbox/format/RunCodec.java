package io.godwit.inbox.format;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/**
 * The value of a RUN key: the messages that one mutation added to one inbox, in sequence order. The first has the
 * sequence in the key.
 *
 * <pre>
 * 1        version, 1
 * then for each message, to the end:
 * varint   distance from the sequence before it, 0 for the first
 * 1        flags: bits 0-1 QoS of the delivery, 4 RETAIN of the delivery, 8 subscription identifiers, 16 message
 *          apart, 32 of a shared group
 * varint   number of identifiers, then each a varint          (flag 8)
 * n        the shared subscription as a string                (flag 32)
 * n        origin of its token as an optional string, then if there is one varint number     (flag 32)
 * n        the message as a block                             (not flag 16)
 * n        the topic as a string                              (flag 16: the message is stored under its BODY key)
 * </pre>
 */
public final class RunCodec {
    static final int VERSION = 1;
    static final int QOS_MASK = 3;
    static final int RETAIN = 4;
    static final int IDS = 8;
    static final int APART = 16;
    static final int GROUP = 32;
    /**
     * A message of at least this size is stored under its own key. Only the writer compares sizes: readers use the
     * flag.
     */
    public static final int APART_BYTES = 16 * 1024;

    private RunCodec() {}

    public static int flags(Qos qos, boolean retain, int[] subscriptionIds, boolean isOfGroup) {
        return qos.value() | (retain ? RETAIN : 0) | (subscriptionIds.length > 0 ? IDS : 0) | (isOfGroup ? GROUP : 0);
    }

    static void writeToken(ByteWriter out, @Nullable String origin, long number) {
        out.optionalString(origin);
        if (origin != null) {
            out.varint(number);
        }
    }

    private static @Nullable GroupCopy readGroup(ByteReader in, int flags) {
        if ((flags & GROUP) == 0) {
            return null;
        }
        String filter = in.string();
        String origin = in.optionalString();
        return new GroupCopy(filter, origin, origin == null ? 0 : in.varint());
    }

    public static void writeIds(ByteWriter out, int[] subscriptionIds) {
        if (subscriptionIds.length > 0) {
            out.varint(subscriptionIds.length);
            for (int id : subscriptionIds) {
                out.varint(id);
            }
        }
    }

    static int[] readIds(ByteReader in, int flags) {
        if ((flags & IDS) == 0) {
            return QueuedCopy.NO_IDS;
        }
        int[] ids = new int[in.length()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = in.length();
        }
        return ids;
    }

    /** Iterates over one run. {@link #next} moves to the next message; the other methods describe the current one. */
    public static final class Reader {
        private final ByteReader in;
        private long sequence;
        private int flags;
        private int[] ids = QueuedCopy.NO_IDS;
        private @Nullable GroupCopy group;
        private int messageBytes = -1;
        private String apartTopic = "";

        public Reader(long firstSequence, byte[] value) {
            in = new ByteReader(value);
            in.version(VERSION, "run");
            sequence = firstSequence;
        }

        public boolean next() {
            if (messageBytes > 0) {
                in.skip(messageBytes);
            }
            messageBytes = -1;
            if (!in.hasMore()) {
                return false;
            }
            sequence += in.varint();
            flags = in.u8();
            ids = readIds(in, flags);
            group = readGroup(in, flags);
            if (isApart()) {
                apartTopic = in.string();
            } else {
                messageBytes = in.length();
            }
            return true;
        }

        public long sequence() {
            return sequence;
        }

        public Qos qos() {
            return Qos.of(flags & QOS_MASK);
        }

        boolean retain() {
            return (flags & RETAIN) != 0;
        }

        public boolean isApart() {
            return (flags & APART) != 0;
        }

        int[] subscriptionIds() {
            return ids;
        }

        public @Nullable GroupCopy group() {
            return group;
        }

        /** Not after {@link #message}. */
        public String topic() {
            return isApart() ? apartTopic : in.topicAhead(messageBytes);
        }

        /** Only for a message that is not apart, and not after {@link #message}. */
        public int payloadBytes() {
            return in.payloadBytesAhead(messageBytes);
        }

        /** The current message, if it is not apart; at most once per message. */
        Message message() {
            int length = messageBytes;
            messageBytes = -1;
            return in.message(length);
        }
    }
}
