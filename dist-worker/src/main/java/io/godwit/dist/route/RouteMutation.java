package io.godwit.dist.route;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutation of the dist store: routes to put and to remove, each idempotent, and its reply. As with every mutation it
 * goes to the range of one key; a change whose key that range does not own is answered {@link #ELSEWHERE} and must be
 * sent again under its own key.
 *
 * <pre>
 * mutation                                     reply
 * size  field                                  size  field
 * 1     version, 1                             1     version, 1
 * 4     number of changes, each then:          n     per change: 0 applied, 1 elsewhere
 *   1     0 remove, 1 put
 *   4     key length
 *   n     key, see RouteKeys
 *   1+n   value length and value  (put)
 * </pre>
 */
public final class RouteMutation {
    static final byte APPLIED = 0;
    static final byte ELSEWHERE = 1;
    private static final byte VERSION = 1;
    private static final byte REMOVE = 0;
    private static final byte PUT = 1;

    /**
     * One change.
     *
     * @param value null to remove the key
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Change(byte[] key, byte @Nullable [] value) {}

    private RouteMutation() {}

    public static byte[] encode(List<Change> changes) {
        int size = 1 + Integer.BYTES;
        for (Change change : changes) {
            byte[] value = change.value();
            size += 1 + Integer.BYTES + change.key().length + (value == null ? 0 : 1 + value.length);
        }
        ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putInt(changes.size());
        for (Change change : changes) {
            byte[] value = change.value();
            out.put(value == null ? REMOVE : PUT).putInt(change.key().length).put(change.key());
            if (value != null) {
                out.put((byte) value.length).put(value);
            }
        }
        return out.array();
    }

    /** Fails with {@link IllegalArgumentException} when {@code mutation} is not of this layout. */
    static List<Change> decode(byte[] mutation) {
        ByteBuffer in = ByteBuffer.wrap(mutation);
        try {
            byte version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException("route mutation version must be 1, was " + version);
            }
            int count = in.getInt();
            List<Change> changes = new ArrayList<>(Math.min(count, in.remaining()));
            for (int i = 0; i < count; i++) {
                byte kind = in.get();
                byte[] key = bytes(in, in.getInt());
                changes.add(new Change(key, kind == PUT ? bytes(in, in.get()) : null));
            }
            return changes;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("route mutation of " + mutation.length + " bytes is cut", e);
        }
    }

    static byte[] reply(int changes) {
        byte[] reply = new byte[1 + changes];
        reply[0] = VERSION;
        return reply;
    }

    static void setElsewhere(byte[] reply, int change) {
        reply[1 + change] = ELSEWHERE;
    }

    /** Those of {@code changes} that {@code reply} says another range owns. */
    public static List<Change> elsewhere(List<Change> changes, byte[] reply) {
        if (reply.length != 1 + changes.size() || reply[0] != VERSION) {
            throw new IllegalArgumentException(
                    "route reply must have " + (1 + changes.size()) + " bytes and version 1, had " + reply.length);
        }
        List<Change> rest = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            if (reply[1 + i] != APPLIED) {
                rest.add(changes.get(i));
            }
        }
        return rest;
    }

    /** The next {@code length} bytes; fails with BufferUnderflowException when there are fewer. */
    static byte[] bytes(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
