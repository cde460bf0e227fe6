package io.godwit.dist.deliver;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Strays;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the routes of ended sessions when a delivery finds them. Thread-safe, without state. */
public final class StrayRoutes implements Strays {
    private static final Logger LOG = LoggerFactory.getLogger(StrayRoutes.class);

    private final BiFunction<InboxReceiver, String, CompletableFuture<Void>> remover;

    /**
     * @param remover removes the routes of a receiver that match a topic, see
     *     {@link io.godwit.dist.client.DistClient#removeStrayRoutes}
     */
    public StrayRoutes(BiFunction<InboxReceiver, String, CompletableFuture<Void>> remover) {
        this.remover = remover;
    }

    /** Nothing waits for the removal: the next delivery finds a remaining route again. */
    @Override
    public void found(String topic, Match match) {
        if (match.receiver() instanceof InboxReceiver receiver) {
            remover.apply(receiver, topic).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.debug("stray route stays receiver={} cause={}", receiver, failure.toString());
                }
            });
        }
    }

    /**
     * Completes when no match on {@code topic} contains the {@code receivers} any more; fails with
     * {@link io.godwit.kv.client.RangeException}.
     */
    CompletableFuture<Void> remove(Collection<InboxReceiver> receivers, String topic) {
        return CompletableFuture.allOf(receivers.stream()
                .map(receiver -> remover.apply(receiver, topic))
                .toArray(CompletableFuture<?>[]::new));
    }
}
