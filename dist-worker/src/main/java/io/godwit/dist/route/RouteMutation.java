package io.godwit.dist.route;

import io.godwit.dist.client.RouteNumber;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mutation of the dist store: routes to put and to remove, each idempotent, and its reply. Like every mutation it
 * goes to the range of one key. A change whose key that range does not own is answered with {@link #ELSEWHERE} and must
 * be sent again with its own key.
 *
 * <pre>
 * mutation                                     reply
 * size  field                                  size  field
 * 1     version, 1                             1     version, 1
 * 4     number of changes, each then:          n     per change: 0 applied, 1 elsewhere, 2 outdated
 *   1     0 remove, 1 put, 2 remove by number
 *   4     key length
 *   n     key, see RouteKeys
 *   1+n   value length and value  (put)
 *   16    attach number, change   (remove by number)
 * </pre>
 *
 * A change with a number is outdated, and has no effect, when the stored route has a larger number. A removed route
 * leaves no number.
 */
public final class RouteMutation {
    static final byte APPLIED = 0;
    static final byte ELSEWHERE = 1;
    static final byte OUTDATED = 2;
    private static final byte VERSION = 1;
    private static final byte REMOVE = 0;
    private static final byte PUT = 1;
    private static final byte REMOVE_BY_NUMBER = 2;
    private static final int NUMBER_BYTES = 2 * Long.BYTES;

    /**
     * One change.
     *
     * @param value null to remove the key
     * @param number that of the value, if there is one; else of the removal
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Change(byte[] key, byte @Nullable [] value, RouteNumber number) {
        /** Puts a route. */
        public static Change put(byte[] key, byte[] value) {
            return new Change(key, value, RouteKeys.number(value));
        }

        /** @param number {@link RouteNumber#NONE} to remove any route */
        public static Change remove(byte[] key, RouteNumber number) {
            return new Change(key, null, number);
        }

        private byte kind() {
            if (value != null) {
                return PUT;
            }
            return number.isNone() ? REMOVE : REMOVE_BY_NUMBER;
        }

        private int size() {
            int more = switch (kind()) {
                case PUT -> value == null ? 0 : 1 + value.length;
                case REMOVE_BY_NUMBER -> NUMBER_BYTES;
                default -> 0;
            };
            return 1 + Integer.BYTES + key.length + more;
        }
    }

    private RouteMutation() {}

    public static byte[] encode(List<Change> changes) {
        int size = 1 + Integer.BYTES;
        for (Change change : changes) {
            size += change.size();
        }
        ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putInt(changes.size());
        for (Change change : changes) {
            byte[] value = change.value();
            byte kind = change.kind();
            out.put(kind).putInt(change.key().length).put(change.key());
            if (value != null) {
                out.put((byte) value.length).put(value);
            } else if (kind == REMOVE_BY_NUMBER) {
                out.putLong(change.number().attachNumber())
                        .putLong(change.number().change());
            }
        }
        return out.array();
    }

    /** Fails with {@link IllegalArgumentException} when {@code mutation} has another layout. */
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
                changes.add(
                        switch (kind) {
                            case REMOVE -> Change.remove(key, RouteNumber.NONE);
                            case PUT -> Change.put(key, bytes(in, in.get()));
                            case REMOVE_BY_NUMBER -> Change.remove(key, new RouteNumber(in.getLong(), in.getLong()));
                            default ->
                                throw new IllegalArgumentException(
                                        "change of a route must be from 0 to 2, was " + kind);
                        });
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

    /** @param outcome {@link #APPLIED}, {@link #ELSEWHERE} or {@link #OUTDATED} */
    static void set(byte[] reply, int change, byte outcome) {
        reply[1 + change] = outcome;
    }

    /** Whether one of the changes was outdated. */
    public static boolean isOutdated(byte[] reply) {
        for (int i = 1; i < reply.length; i++) {
            if (reply[i] == OUTDATED) {
                return true;
            }
        }
        return false;
    }

    /** The {@code changes} that, according to {@code reply}, another range owns. */
    public static List<Change> elsewhere(List<Change> changes, byte[] reply) {
        if (reply.length != 1 + changes.size() || reply[0] != VERSION) {
            throw new IllegalArgumentException(
                    "route reply must have " + (1 + changes.size()) + " bytes and version 1, had " + reply.length);
        }
        List<Change> rest = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            if (reply[1 + i] == ELSEWHERE) {
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
