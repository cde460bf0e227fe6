package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Subscribes and unsubscribes clients that have not asked for it. A connected one on whichever node, as if it had sent
 * SUBSCRIBE or UNSUBSCRIBE: its limits hold, and the auth provider is asked. One whose session is stored as if it had
 * connected for that: it gets its retained messages with its next connection.
 *
 * <p>Called on any thread; calls return at once. Futures complete on any thread, at the latest soon after
 * {@code within}. They fail with {@link IllegalArgumentException} for too many filters or one that is none, with
 * {@link OperationException}, which says whether something may have changed, and with {@link NotServingException}.
 */
public interface SubscribeOnBehalf {
    /** Of one request. */
    int MAX_FILTERS = 100;

    /**
     * What is wanted.
     *
     * @param filter as the broker matches it: behind rewriting rules and mount points
     * @param retainHandling 0 to 2, as of SUBSCRIBE
     */
    record Wanted(String filter, int qos, boolean noLocal, boolean retainAsPublished, int retainHandling) {}

    /**
     * What a filter got.
     *
     * @param reasonCode of SUBACK or UNSUBACK of MQTT 5.0: below 128 it was done
     */
    record Coded(String filter, int reasonCode) {}

    /**
     * Subscribes. The answer promises what SUBACK does: all that any node receives from then on reaches the filters
     * that were granted.
     *
     * @param subscriptionId 0 for none; without effect for clients before MQTT 5.0
     * @return empty when there is no such client; nodes that are missing may have it
     */
    CompletableFuture<Answer<Optional<List<Coded>>>> subscribe(
            ClientKey key, List<Wanted> wanted, int subscriptionId, Duration within);

    /** Unsubscribes; as {@link #subscribe}. */
    CompletableFuture<Answer<Optional<List<Coded>>>> unsubscribe(ClientKey key, List<String> filters, Duration within);
}
