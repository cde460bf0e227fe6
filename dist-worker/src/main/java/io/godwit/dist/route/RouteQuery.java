package io.godwit.dist.route;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists routes in key order, a page at a time.
 *
 * <pre>
 * query                                        answer
 * size  field                                  size  field
 * 1     version, 1                             1     version, 1
 * 4     most routes of the page                1     1 when the range has more after these, else 0
 * 4     length of the first key                4     number of routes, each then:
 * n     first key, inclusive                     4+n   key
 * n     end of the keys, exclusive               4+n   value
 * </pre>
 *
 * @param from the first key, inclusive
 * @param to the end, exclusive
 * @param maxRoutes at least 1
 */
@SuppressWarnings("ArrayRecordComponent")
public record RouteQuery(byte[] from, byte[] to, int maxRoutes) {
    private static final byte VERSION = 1;

    public RouteQuery {
        if (maxRoutes < 1) {
            throw new IllegalArgumentException("maxRoutes must be at least 1, was " + maxRoutes);
        }
    }

    /** One stored entry. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Entry(byte[] key, byte[] value) {}

    /**
     * The answer of one range.
     *
     * @param more whether the range has routes after these
     */
    public record Answer(List<Entry> entries, boolean more) {
        byte[] encode() {
            int size = 2 + Integer.BYTES;
            for (Entry entry : entries) {
                size += 2 * Integer.BYTES + entry.key.length + entry.value.length;
            }
            ByteBuffer out = ByteBuffer.allocate(size);
            out.put(VERSION).put((byte) (more ? 1 : 0)).putInt(entries.size());
            for (Entry entry : entries) {
                out.putInt(entry.key.length).put(entry.key);
                out.putInt(entry.value.length).put(entry.value);
            }
            return out.array();
        }

        /** Fails with {@link IllegalArgumentException} when {@code answer} has another layout. */
        public static Answer decode(byte[] answer) {
            ByteBuffer in = ByteBuffer.wrap(answer);
            try {
                checkVersion(in);
                boolean more = in.get() != 0;
                int count = in.getInt();
                List<Entry> entries = new ArrayList<>(Math.min(count, in.remaining()));
                for (int i = 0; i < count; i++) {
                    byte[] key = RouteMutation.bytes(in, in.getInt());
                    entries.add(new Entry(key, RouteMutation.bytes(in, in.getInt())));
                }
                return new Answer(entries, more);
            } catch (BufferUnderflowException e) {
                throw new IllegalArgumentException("route answer of " + answer.length + " bytes is cut", e);
            }
        }
    }

    public byte[] encode() {
        return ByteBuffer.allocate(1 + 2 * Integer.BYTES + from.length + to.length)
                .put(VERSION)
                .putInt(maxRoutes)
                .putInt(from.length)
                .put(from)
                .put(to)
                .array();
    }

    /** Fails with {@link IllegalArgumentException} when {@code query} has another layout. */
    static RouteQuery decode(byte[] query) {
        ByteBuffer in = ByteBuffer.wrap(query);
        try {
            checkVersion(in);
            int maxRoutes = in.getInt();
            byte[] from = RouteMutation.bytes(in, in.getInt());
            return new RouteQuery(from, RouteMutation.bytes(in, in.remaining()), maxRoutes);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("route query of " + query.length + " bytes is cut", e);
        }
    }

    private static void checkVersion(ByteBuffer in) {
        byte version = in.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("route query version must be 1, was " + version);
        }
    }
}
