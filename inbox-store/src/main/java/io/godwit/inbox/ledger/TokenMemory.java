package io.godwit.inbox.ledger;

import io.godwit.inbox.format.TokenRecord;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The delivery tokens that one inbox has seen: a repeat of a QoS 2 message or a will is answered "already there". Owned
 * by the range leader; stored under a TOKEN key each ({@link TokenRecord}), written in the mutation that stores the
 * message.
 *
 * <p>The origin of a token is kept together with the way it came ({@link TokenRecord#source}).
 *
 * <p>A token leaves when its origin says that it is finished, which rides on the origin's next message from the same
 * source. The last tokens of a source that falls silent leave by age: nobody repeats a message for
 * {@link #KEEP_MILLIS}. Beyond {@link #MAX_PER_SOURCE} the lowest number leaves; an origin has no more than its receive
 * maximum unfinished at a time.
 */
public final class TokenMemory {
    public static final long KEEP_MILLIS = 7L * 24 * 3600 * 1000;
    static final int MAX_PER_SOURCE = 65_536;
    private static final long SWEEP_MILLIS = 3_600_000;

    private static final class Seen {
        final long storedAtMillis;
        /** Until this write is applied the answer must wait for it. */
        @Nullable
        Pending pending;

        Seen(long storedAtMillis, @Nullable Pending pending) {
            this.storedAtMillis = storedAtMillis;
            this.pending = pending;
        }
    }

    private final Map<String, TreeMap<Long, Seen>> bySource = new HashMap<>();
    private long sweptAtMillis;

    public boolean contains(String source, long number) {
        TreeMap<Long, Seen> seen = bySource.get(source);
        return seen != null && seen.containsKey(number);
    }

    /** The write that will store the token, null when it is stored. */
    public @Nullable Pending pendingIn(String source, long number) {
        TreeMap<Long, Seen> seen = bySource.get(source);
        Seen token = seen == null ? null : seen.get(number);
        return token == null ? null : token.pending;
    }

    /** @param pending that stores it, null when it came out of the store */
    public void add(String source, long number, long storedAtMillis, @Nullable Pending pending) {
        bySource.computeIfAbsent(source, name -> new TreeMap<>()).put(number, new Seen(storedAtMillis, pending));
    }

    public void stored(String source, long number) {
        TreeMap<Long, Seen> seen = bySource.get(source);
        Seen token = seen == null ? null : seen.get(number);
        if (token != null) {
            token.pending = null;
        }
    }

    /** The write that should have stored it failed. */
    public void remove(String source, long number) {
        TreeMap<Long, Seen> seen = bySource.get(source);
        if (seen != null) {
            seen.remove(number);
            if (seen.isEmpty()) {
                bySource.remove(source);
            }
        }
    }

    /**
     * Forgets the tokens of {@code source} below {@code finishedBelow}, and at times what is too old; tells {@code
     * forgotten} of each.
     *
     * @param hasRoom whether one more may be forgotten now; if not, the rest is when this is called again
     */
    public void prune(
            String source,
            long finishedBelow,
            long nowMillis,
            BooleanSupplier hasRoom,
            BiConsumer<String, Long> forgotten) {
        TreeMap<Long, Seen> seen = bySource.get(source);
        if (seen != null) {
            while (!seen.isEmpty()
                    && (seen.firstKey() < finishedBelow || seen.size() > MAX_PER_SOURCE)
                    && hasRoom.getAsBoolean()) {
                forgotten.accept(source, seen.pollFirstEntry().getKey());
            }
            if (seen.isEmpty()) {
                bySource.remove(source);
            }
        }
        if (nowMillis - sweptAtMillis >= SWEEP_MILLIS) {
            sweep(nowMillis, hasRoom, forgotten);
        }
    }

    private void sweep(long nowMillis, BooleanSupplier hasRoom, BiConsumer<String, Long> forgotten) {
        boolean[] isCut = {false};
        for (Iterator<Map.Entry<String, TreeMap<Long, Seen>>> sources =
                        bySource.entrySet().iterator();
                sources.hasNext(); ) {
            Map.Entry<String, TreeMap<Long, Seen>> source = sources.next();
            source.getValue().entrySet().removeIf(token -> {
                boolean old = nowMillis - token.getValue().storedAtMillis >= KEEP_MILLIS;
                if (old && !hasRoom.getAsBoolean()) {
                    isCut[0] = true;
                    return false;
                }
                if (old) {
                    forgotten.accept(source.getKey(), token.getKey());
                }
                return old;
            });
            if (source.getValue().isEmpty()) {
                sources.remove();
            }
        }
        if (!isCut[0]) {
            sweptAtMillis = nowMillis;
        }
    }
}
