package io.godwit.dist.deliver;

import io.godwit.dist.client.DistOutcome;
import java.util.concurrent.CompletableFuture;

/** Combines the answers of deliverers; the worst one wins. */
public final class Outcomes {
    /** Shared, so nobody may complete it. */
    static final CompletableFuture<DistOutcome> NO_MATCH = CompletableFuture.completedFuture(DistOutcome.NO_MATCH);

    private Outcomes() {}

    public static CompletableFuture<DistOutcome> worst(
            CompletableFuture<DistOutcome> a, CompletableFuture<DistOutcome> b) {
        if (isDelivered(a)) {
            return b;
        }
        if (isDelivered(b)) {
            return a;
        }
        return a.thenCombine(b, Outcomes::worst);
    }

    public static DistOutcome worst(DistOutcome a, DistOutcome b) {
        return rank(a) >= rank(b) ? a : b;
    }

    /** Whether it is already known that all went well. */
    static boolean isDelivered(CompletableFuture<DistOutcome> outcome) {
        return outcome.isDone()
                && !outcome.isCompletedExceptionally()
                && outcome.getNow(DistOutcome.FAILED) == DistOutcome.DELIVERED;
    }

    private static int rank(DistOutcome outcome) {
        return switch (outcome) {
            case NO_MATCH -> 0;
            case DELIVERED -> 1;
            case OVERLOADED -> 2;
            case FAILED -> 3;
        };
    }
}
