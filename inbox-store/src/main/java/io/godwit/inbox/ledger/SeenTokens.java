package io.godwit.inbox.ledger;

import io.godwit.inbox.format.TokenRecord;
import io.godwit.kv.client.RequestOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The delivery tokens that one inbox has seen: a repeat of a QoS 2 message or a will is answered "already there". Owned
 * by the range leader; each is stored under a TOKEN key ({@link TokenRecord}), written in the mutation that stores the
 * message.
 *
 * <p>Tokens are kept by source: the origin with the shared subscription ({@link TokenRecord#source}).
 *
 * <p>A token is removed when its origin reports it finished, with its next message from the same source. After that its
 * number still identifies a late copy ({@link #isFinished}), which a replaced home of the publisher may have sent. The
 * finished number is not stored, because such a copy comes within seconds. The last tokens of a silent source are
 * removed by age: nobody repeats a message for {@link #KEEP_MILLIS}. Beyond {@link #MAX_PER_SOURCE} the lowest number
 * is removed; an origin has at most its receive maximum unfinished at a time.
 */
public final class SeenTokens {
    public static final long KEEP_MILLIS = 7L * 24 * 3600 * 1000;
    static final int MAX_PER_SOURCE = 65_536;
    private static final long SWEEP_MILLIS = 3_600_000;

    /** A token that was seen. */
    public static final class Token {
        private final long number;
        private final long storedAtMillis;
        private @Nullable Pending pending;
        private @Nullable List<RequestOrder> repeats;
        private boolean isLeftOut;

        Token(long number, long storedAtMillis, @Nullable Pending pending) {
            this.number = number;
            this.storedAtMillis = storedAtMillis;
            this.pending = pending;
        }

        /** The write that will store it; null when it is stored. */
        public @Nullable Pending pending() {
            return pending;
        }

        /**
         * A repeat of {@code order} waits for the write: if the message is left out, no later message of {@code order}
         * may pass the repeat.
         */
        public void awaitedIn(RequestOrder order) {
            List<RequestOrder> waiting = repeats;
            if (waiting == null) {
                waiting = new ArrayList<>(1);
                repeats = waiting;
            }
            waiting.add(order);
        }

        /** Whether the write was sealed without the message. */
        public boolean isLeftOut() {
            return isLeftOut;
        }

        private void leaveOut() {
            isLeftOut = true;
            if (repeats != null) {
                repeats.forEach(order -> order.failed(number));
            }
        }
    }

    private static final class Source {
        final TreeMap<Long, Token> seen = new TreeMap<>();
        /** From the origin's last message. Not stored. */
        long finishedBelow;

        boolean isForgotten() {
            return seen.isEmpty() && finishedBelow == 0;
        }
    }

    private final Map<String, Source> bySource = new HashMap<>();
    private long sweptAtMillis;

    /** Null when it was not seen, or is forgotten. */
    public @Nullable Token find(String source, long number) {
        Source known = bySource.get(source);
        return known == null ? null : known.seen.get(number);
    }

    /**
     * Whether the token is finished and forgotten: a message that its origin sends under it is a late copy. A message
     * that another member of a shared group has left is not late.
     */
    public boolean isFinished(String source, long number) {
        Source known = bySource.get(source);
        return known != null && number < known.finishedBelow;
    }

    /** @param pending the write that stores it, null when it was loaded from the store */
    public void add(String source, long number, long storedAtMillis, @Nullable Pending pending) {
        Source known = bySource.computeIfAbsent(source, name -> new Source());
        known.seen.put(number, new Token(number, storedAtMillis, pending));
    }

    public void stored(String source, long number) {
        Token token = find(source, number);
        if (token != null) {
            token.pending = null;
        }
    }

    /**
     * The write that should have stored it is being sealed without it. A repeat that waits for the write fails with it,
     * and messages behind that repeat in this write or the next are left out as well. A later repeat is treated as the
     * first message.
     */
    public void leaveOut(String source, long number) {
        Token token = find(source, number);
        if (token != null) {
            remove(source, number);
            token.leaveOut();
        }
    }

    /** The write that should have stored it failed. */
    public void remove(String source, long number) {
        Source known = bySource.get(source);
        if (known != null) {
            known.seen.remove(number);
            if (known.isForgotten()) {
                bySource.remove(source);
            }
        }
    }

    /**
     * Forgets the tokens of {@code source} below {@code finishedBelow}, and from time to time those that are too old;
     * calls {@code forgotten} for each.
     *
     * @param hasRoom whether one more may be forgotten now; if not, a later call does the rest
     */
    public void prune(
            String source,
            long finishedBelow,
            long nowMillis,
            BooleanSupplier hasRoom,
            BiConsumer<String, Long> forgotten) {
        Source known = bySource.get(source);
        if (known != null) {
            TreeMap<Long, Token> seen = known.seen;
            known.finishedBelow = Math.max(known.finishedBelow, finishedBelow);
            while (!seen.isEmpty()
                    && (seen.firstKey() < finishedBelow || seen.size() > MAX_PER_SOURCE)
                    && hasRoom.getAsBoolean()) {
                forgotten.accept(source, seen.pollFirstEntry().getKey());
            }
        }
        if (nowMillis - sweptAtMillis >= SWEEP_MILLIS) {
            sweep(source, nowMillis, hasRoom, forgotten);
        }
    }

    /** @param busy a source that is about to get its next token */
    private void sweep(String busy, long nowMillis, BooleanSupplier hasRoom, BiConsumer<String, Long> forgotten) {
        boolean[] isCut = {false};
        for (Iterator<Map.Entry<String, Source>> sources = bySource.entrySet().iterator(); sources.hasNext(); ) {
            Map.Entry<String, Source> source = sources.next();
            TreeMap<Long, Token> seen = source.getValue().seen;
            seen.entrySet().removeIf(token -> {
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
            if (seen.isEmpty() && !source.getKey().equals(busy)) {
                sources.remove();
            }
        }
        if (!isCut[0]) {
            sweptAtMillis = nowMillis;
        }
    }
}
