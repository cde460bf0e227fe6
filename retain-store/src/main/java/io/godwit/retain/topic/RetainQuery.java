package io.godwit.retain.topic;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks one range for retained messages.
 *
 * <pre>
 * query                                        answer
 * size  field                                  size  field
 * 1     version, 1                             1     version, 1
 * 8     the time, milliseconds                 4+n   where to go on; length 0 when the range has no more
 * 4     most messages                          4     number of messages, each then:
 * 4     most payload bytes                       4+n   value, see RetainKeys
 * 4+n   tenant, ASCII
 * 4+n   filter, UTF-8
 * n     key to begin at, inclusive
 * </pre>
 *
 * @param filter the share group, if any, does not matter
 * @param from first key, inclusive; not below {@link KeyFilter#start}
 * @param nowMillis wall clock of the caller; messages that have expired by then are left out
 * @param maxMessages at least 1
 * @param maxBytes a page ends before the message that would exceed it, unless that is its first message
 */
@SuppressWarnings("ArrayRecordComponent")
public record RetainQuery(
        TenantId tenant, TopicFilter filter, byte[] from, long nowMillis, int maxMessages, int maxBytes) {
    private static final byte VERSION = 1;

    public RetainQuery {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("maxMessages must be at least 1, was " + maxMessages);
        }
    }

    public byte[] encode() {
        byte[] tenantName = tenant.value().getBytes(StandardCharsets.US_ASCII);
        byte[] filterText = filter.filter().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(
                        1 + Long.BYTES + 4 * Integer.BYTES + tenantName.length + filterText.length + from.length)
                .put(VERSION)
                .putLong(nowMillis)
                .putInt(maxMessages)
                .putInt(maxBytes)
                .putInt(tenantName.length)
                .put(tenantName)
                .putInt(filterText.length)
                .put(filterText)
                .put(from)
                .array();
    }

    /** Throws {@link IllegalArgumentException} if {@code query} has another layout. */
    static RetainQuery decode(byte[] query) {
        ByteBuffer in = ByteBuffer.wrap(query);
        try {
            checkVersion(in);
            long nowMillis = in.getLong();
            int maxMessages = in.getInt();
            int maxBytes = in.getInt();
            TenantId tenant = new TenantId(new String(bytes(in, in.getInt()), StandardCharsets.US_ASCII));
            String filter = new String(bytes(in, in.getInt()), StandardCharsets.UTF_8);
            byte[] from = bytes(in, in.remaining());
            return new RetainQuery(tenant, new TopicFilter(null, filter), from, nowMillis, maxMessages, maxBytes);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("retain query of " + query.length + " bytes is cut", e);
        }
    }

    /**
     * What one range found.
     *
     * @param next where to go on in this range; null if it has no more messages
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Answer(List<Message> messages, byte @Nullable [] next) {

        /** Throws {@link IllegalArgumentException} if {@code answer} has another layout. */
        public static Answer decode(byte[] answer) {
            ByteBuffer in = ByteBuffer.wrap(answer);
            try {
                checkVersion(in);
                byte[] next = bytes(in, in.getInt());
                int count = in.getInt();
                List<Message> messages = new ArrayList<>(Math.min(count, in.remaining()));
                for (int i = 0; i < count; i++) {
                    messages.add(RetainKeys.message(bytes(in, in.getInt())));
                }
                return new Answer(messages, next.length == 0 ? null : next);
            } catch (BufferUnderflowException e) {
                throw new IllegalArgumentException("retain answer of " + answer.length + " bytes is cut", e);
            }
        }

        /** Encodes {@code values} exactly as they are stored. */
        static byte[] encode(List<byte[]> values, byte @Nullable [] next) {
            int nextLength = next == null ? 0 : next.length;
            int size = 1 + 2 * Integer.BYTES + nextLength;
            for (byte[] value : values) {
                size = Math.addExact(size, Integer.BYTES + value.length);
            }
            ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putInt(nextLength);
            if (next != null) {
                out.put(next);
            }
            out.putInt(values.size());
            for (byte[] value : values) {
                out.putInt(value.length).put(value);
            }
            return out.array();
        }
    }

    private static void checkVersion(ByteBuffer in) {
        byte version = in.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("retain query version must be 1, was " + version);
        }
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
