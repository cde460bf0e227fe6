package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Mutations of the retain store. All are idempotent. The reply is the version and, after an expire, how many were removed in 4 bytes.
 *
 * <pre>
 * size  field
 * 1     version, 1
 * 1     kind: 1 set, 2 clear, 3 expire
 *
 * set:    4 key length, n key, n value (see RetainKeys)
 * clear:  n key
 * expire: 8 the time, milliseconds since the epoch; 4 number of keys, each 4 + n. A key goes only if what is stored there at that
 *         point of the log has expired by then: a message set meanwhile stays.
 * </pre>
 */
public final class RetainMutation {
    static final byte SET = 1;
    static final byte CLEAR = 2;
    static final byte EXPIRE = 3;
    static final byte VERSION = 1;
    private static final byte[] DONE = {VERSION};

    private RetainMutation() {}

    /** Whether a PUBLISH with RETAIN clears its topic: an empty payload does [MQTT5-3.3.1-6]. */
    public static boolean isClearing(Message message) {
        return message.payload().length == 0;
    }

    /** What a PUBLISH with RETAIN does. */
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

    /** What a mutation asks for, one method per kind, each giving the reply. */
    interface Handler {
        void set(byte[] key, byte[] value);

        void clear(byte[] key);

        /** How many it removed. */
        int expire(long nowMillis, List<byte[]> keys);
    }

    /** Reads {@code mutation} and has it done. Fails with {@link IllegalArgumentException} when it is not of this layout. */
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
                int removed = handler.expire(nowMillis, keys);
                return ByteBuffer.allocate(1 + Integer.BYTES)
                        .put(VERSION)
                        .putInt(removed)
                        .array();
            }
            throw new IllegalArgumentException("retain mutation kind must be 1 to 3, was " + kind);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("retain mutation of " + mutation.length + " bytes is cut", e);
        }
    }

    /** The count in the reply to an expire. */
    static int removed(byte[] reply) {
        return ByteBuffer.wrap(reply).getInt(1);
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
