package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Mutations of the retain store. All are idempotent. The reply is the version byte. An expire adds one bit for each
 * key, in the order of {@link BitSet#toByteArray}: whether it removed a message. A set once adds one byte, the
 * {@link Outcome}.
 *
 * <pre>
 * size  field
 * 1     version, 1
 * 1     kind: 1 set, 2 clear, 3 expire, 4 set once, 5 forget
 *
 * set:      4 key length, n key, n value (see RetainKeys)
 * clear:    n key
 * expire:   8 the time, milliseconds since the epoch; 4 number of keys, each 4 + n. Removes a key only if the value
 *           stored at this point of the log has expired by then: a message set meanwhile stays. The same for marks.
 * set once: 8 when the mark may be forgotten; 8 + 8 a time span, milliseconds since the epoch, the first excluded,
 *           the second included; 4 key length, n key; 4 mark length, n mark; n value, empty to clear. Changes nothing
 *           if the mark is there. Writes only the mark if the stored message was received within the span.
 * forget:   n mark, which is deleted
 * </pre>
 */
public final class RetainMutation {
    static final byte SET = 1;
    static final byte CLEAR = 2;
    static final byte EXPIRE = 3;
    static final byte SET_ONCE = 4;
    static final byte FORGET = 5;
    static final byte VERSION = 1;
    private static final byte[] DONE = {VERSION};

    private RetainMutation() {}

    /** Whether a PUBLISH with RETAIN clears its topic: an empty payload does [MQTT5-3.3.1-6]. */
    public static boolean isClearing(Message message) {
        return message.payload().length == 0;
    }

    /** The mutation for a PUBLISH with RETAIN: a set or a clear. */
    public static byte[] of(TenantId tenant, Message message) {
        byte[] key = RetainKeys.key(tenant, message.topic());
        if (isClearing(message)) {
            return ByteBuffer.allocate(2 + key.length)
                    .put(VERSION)
                    .put(CLEAR)
                    .put(key)
                    .array();
        }
        byte[] value = RetainKeys.value(message);
        return ByteBuffer.allocate(2 + Integer.BYTES + key.length + value.length)
                .put(VERSION)
                .put(SET)
                .putInt(key.length)
                .put(key)
                .put(value)
                .array();
    }

    /** The outcome of {@link #once}. */
    public enum Outcome {
        DONE,
        /** An earlier attempt was applied. */
        DONE_BEFORE,
        /** A newer message is stored and stays. */
        SUPERSEDED;

        private static final List<Outcome> ALL = List.of(values());

        static Outcome of(byte[] reply) {
            int ordinal = reply.length == 2 ? reply[1] : -1;
            if (ordinal < 0 || ordinal >= ALL.size()) {
                throw new IllegalArgumentException("reply of " + reply.length + " bytes to a set that is done once");
            }
            return ALL.get(ordinal);
        }
    }

    /**
     * A set or a clear that is applied once, however often it is sent.
     *
     * @param forgetAtMillis when the token may be forgotten even if nobody has reported it as finished
     * @param decidedAtMillis a stored message that was received after this time, and not after {@code nowMillis}, is
     *     newer and stays
     */
    public static byte[] once(
            TenantId tenant,
            Message message,
            String origin,
            long number,
            long decidedAtMillis,
            long nowMillis,
            long forgetAtMillis) {
        byte[] key = RetainKeys.key(tenant, message.topic());
        byte[] mark = RetainKeys.mark(key, origin, number);
        byte[] value = isClearing(message) ? new byte[0] : RetainKeys.value(message);
        return ByteBuffer.allocate(2 + 3 * Long.BYTES + 2 * Integer.BYTES + key.length + mark.length + value.length)
                .put(VERSION)
                .put(SET_ONCE)
                .putLong(forgetAtMillis)
                .putLong(decidedAtMillis)
                .putLong(nowMillis)
                .putInt(key.length)
                .put(key)
                .putInt(mark.length)
                .put(mark)
                .put(value)
                .array();
    }

    /** Deletes the mark of a token: no attempt follows. */
    public static byte[] forget(TenantId tenant, String topic, String origin, long number) {
        byte[] mark = RetainKeys.mark(RetainKeys.key(tenant, topic), origin, number);
        return ByteBuffer.allocate(2 + mark.length)
                .put(VERSION)
                .put(FORGET)
                .put(mark)
                .array();
    }

    /** Decodes the reply to {@link #once}. */
    public static Outcome outcome(byte[] reply) {
        return Outcome.of(reply);
    }

    static byte[] expire(long nowMillis, List<byte[]> keys) {
        int size = 2 + Long.BYTES + Integer.BYTES;
        for (byte[] key : keys) {
            size += Integer.BYTES + key.length;
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        out.put(VERSION).put(EXPIRE).putLong(nowMillis).putInt(keys.size());
        for (byte[] key : keys) {
            out.putInt(key.length).put(key);
        }
        return out.array();
    }

    /** Applies mutations, one method per kind. The return value goes into the reply. */
    interface Handler {
        void set(byte[] key, byte[] value);

        void clear(byte[] key);

        /** Returns of which keys it removed a message, by their indexes; marks do not count. */
        BitSet expire(long nowMillis, List<byte[]> keys);

        Outcome setOnce(Once once);

        void forget(byte[] mark);
    }

    /**
     * The content of a set once.
     *
     * @param value empty to clear the topic
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Once(long forgetAtMillis, long newerFromMillis, long newerToMillis, byte[] key, byte[] mark, byte[] value) {
        boolean isNewer(byte[] stored) {
            long receivedAtMillis = RetainKeys.receivedAtMillis(stored);
            return receivedAtMillis > newerFromMillis && receivedAtMillis <= newerToMillis;
        }
    }

    /**
     * Decodes {@code mutation}, calls {@code handler} and returns the reply. Throws {@link IllegalArgumentException} if
     * {@code mutation} has another layout.
     */
    static byte[] dispatch(byte[] mutation, Handler handler) {
        ByteBuffer in = ByteBuffer.wrap(mutation);
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("retain mutation version must be 1, was " + version);
            }
            byte kind = in.get();
            if (kind == SET) {
                byte[] key = bytes(in, in.getInt());
                handler.set(key, bytes(in, in.remaining()));
                return DONE;
            }
            if (kind == CLEAR) {
                handler.clear(bytes(in, in.remaining()));
                return DONE;
            }
            if (kind == EXPIRE) {
                long nowMillis = in.getLong();
                int count = in.getInt();
                List<byte[]> keys = new ArrayList<>(Math.min(count, in.remaining()));
                for (int i = 0; i < count; i++) {
                    keys.add(bytes(in, in.getInt()));
                }
                byte[] removed = handler.expire(nowMillis, keys).toByteArray();
                return ByteBuffer.allocate(1 + removed.length)
                        .put(VERSION)
                        .put(removed)
                        .array();
            }
            if (kind == SET_ONCE) {
                Outcome outcome = handler.setOnce(new Once(
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        bytes(in, in.getInt()),
                        bytes(in, in.getInt()),
                        bytes(in, in.remaining())));
                return new byte[] {VERSION, (byte) outcome.ordinal()};
            }
            if (kind == FORGET) {
                handler.forget(bytes(in, in.remaining()));
                return DONE;
            }
            throw new IllegalArgumentException("retain mutation kind must be 1 to 5, was " + kind);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("retain mutation of " + mutation.length + " bytes is cut", e);
        }
    }

    /** The indexes of the keys whose messages were removed, from the reply to an expire. */
    static BitSet removed(byte[] reply) {
        return BitSet.valueOf(ByteBuffer.wrap(reply, 1, reply.length - 1));
    }

    private static byte[] bytes(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
