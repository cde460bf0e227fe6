package io.godwit.inbox.queue;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The delivery tokens that one inbox has seen: a repeat of a QoS 2 message or a will is answered "already there". Owned by the range leader;
 * stored under a TOKEN key each, written in the mutation that stores the message.
 *
 * <p>A token leaves when its origin says that it is finished, which rides on the origin's next message. The last tokens of an origin that
 * falls silent leave by age: nobody repeats a message for {@link #KEEP_MILLIS}. Beyond {@link #MAX_PER_ORIGIN} the lowest number leaves; an
 * origin has no more than its receive maximum unfinished at a time.
 *
 * <pre>
 * value:  1 version, 1; varint wall clock milliseconds when stored
 * </pre>
 */
final class TokenMemory {
    static final long KEEP_MILLIS = 7L * 24 * 3600 * 1000;
    static final int MAX_PER_ORIGIN = 65_536;
    private static final int VERSION = 1;
    private static final long SWEEP_MILLIS = 3_600_000;

    private static final class Seen {
        final long storedAtMillis;
        /** Until this batch is applied the answer must wait for it. */
        @Nullable
        Batch pending;

        Seen(long storedAtMillis, @Nullable Batch pending) {
            this.storedAtMillis = storedAtMillis;
            this.pending = pending;
        }
    }

    private final Map<String, TreeMap<Long, Seen>> byOrigin = new HashMap<>();
    private long sweptAtMillis;

    static byte[] encodeStoredAt(long millis) {
        ByteWriter out = new ByteWriter(8);
        out.u8(VERSION);
        out.varint(millis);
        return out.toBytes();
    }

    static long decodeStoredAt(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "token");
        return in.varint();
    }

    boolean isEmpty() {
        return byOrigin.isEmpty();
    }

    boolean contains(String origin, long number) {
        TreeMap<Long, Seen> seen = byOrigin.get(origin);
        return seen != null && seen.containsKey(number);
    }

    /** The batch that will store the token, null when it is stored. */
    @Nullable
    Batch pendingIn(String origin, long number) {
        TreeMap<Long, Seen> seen = byOrigin.get(origin);
        Seen token = seen == null ? null : seen.get(number);
        return token == null ? null : token.pending;
    }

    /** @param batch that stores it, null when it came out of the store */
    void add(String origin, long number, long storedAtMillis, @Nullable Batch batch) {
        byOrigin.computeIfAbsent(origin, name -> new TreeMap<>()).put(number, new Seen(storedAtMillis, batch));
    }

    void stored(String origin, long number) {
        TreeMap<Long, Seen> seen = byOrigin.get(origin);
        Seen token = seen == null ? null : seen.get(number);
        if (token != null) {
            token.pending = null;
        }
    }

    /** The batch that should have stored it failed. */
    void remove(String origin, long number) {
        TreeMap<Long, Seen> seen = byOrigin.get(origin);
        if (seen != null) {
            seen.remove(number);
            if (seen.isEmpty()) {
                byOrigin.remove(origin);
            }
        }
    }

    /** Forgets the tokens of {@code origin} below {@code finishedBelow}, and at times what is too old; tells {@code forgotten} of each. */
    void prune(String origin, long finishedBelow, long nowMillis, BiConsumer<String, Long> forgotten) {
        TreeMap<Long, Seen> seen = byOrigin.get(origin);
        if (seen != null) {
            while (!seen.isEmpty() && (seen.firstKey() < finishedBelow || seen.size() > MAX_PER_ORIGIN)) {
                forgotten.accept(origin, seen.pollFirstEntry().getKey());
            }
            if (seen.isEmpty()) {
                byOrigin.remove(origin);
            }
        }
        if (nowMillis - sweptAtMillis >= SWEEP_MILLIS) {
            sweep(nowMillis, forgotten);
        }
    }

    private void sweep(long nowMillis, BiConsumer<String, Long> forgotten) {
        sweptAtMillis = nowMillis;
        for (Iterator<Map.Entry<String, TreeMap<Long, Seen>>> origins =
                        byOrigin.entrySet().iterator();
                origins.hasNext(); ) {
            Map.Entry<String, TreeMap<Long, Seen>> origin = origins.next();
            origin.getValue().entrySet().removeIf(token -> {
                boolean old = nowMillis - token.getValue().storedAtMillis >= KEEP_MILLIS;
                if (old) {
                    forgotten.accept(origin.getKey(), token.getKey());
                }
                return old;
            });
            if (origin.getValue().isEmpty()) {
                origins.remove();
            }
        }
    }
}
