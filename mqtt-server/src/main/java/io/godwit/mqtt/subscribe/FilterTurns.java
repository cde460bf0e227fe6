package io.godwit.mqtt.subscribe;

import java.util.concurrent.CompletableFuture;

/**
 * Handles the filters of one packet in turns, so that a packet with thousands of them does not block the loop for other
 * connections. Later packets of the session wait for all turns ({@link SubscribingSession#inOrder}).
 */
final class FilterTurns {
    /**
     * Filters in a turn. A filter was measured to take 6 to 27 microseconds in a newly started process, and many
     * connections may have turns at the same time.
     */
    static final int FILTERS = 32;

    private static final CompletableFuture<Boolean> NOW = CompletableFuture.completedFuture(true);

    private FilterTurns() {}

    /** Obtains what is needed for the filters from {@code from} to before {@code to}; the future never fails. */
    interface Ask<T> {
        CompletableFuture<T> ask(int from, int to);
    }

    /** Handles the filters with the result. */
    interface Then<T> {
        void go(int from, int to, T known);
    }

    /** On the loop of {@code subscriber}. The first turn is taken at once if no earlier packet waits. */
    static <T> void run(SubscribingSession subscriber, int count, Ask<T> ask, Then<T> then) {
        CompletableFuture<Boolean> turn = NOW;
        for (int begin = 0; begin < count; begin += FILTERS) {
            int from = begin;
            int to = Math.min(count, begin + FILTERS);
            CompletableFuture<Boolean> next = to < count ? new CompletableFuture<>() : NOW;
            subscriber.inOrder(turn.thenCompose(now -> ask.ask(from, to)), known -> {
                try {
                    then.go(from, to, known);
                } finally {
                    if (to < count) {
                        subscriber.connection().loop().afterChannels(() -> next.complete(true));
                    }
                }
            });
            turn = next;
        }
    }
}
