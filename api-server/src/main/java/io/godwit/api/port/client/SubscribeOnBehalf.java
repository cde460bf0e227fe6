package io.godwit.api.port.client;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Subscribes and unsubscribes clients on behalf of an operator. For a connected client, on any node, it works like a
 * SUBSCRIBE or UNSUBSCRIBE of the client: its limits hold, and the auth provider is asked. For a stored session it
 * works as if the client had connected for it: retained messages arrive with its next connection.
 *
 * <p>Called on any thread; calls return at once. Futures complete on any thread, soon after {@code within} at the
 * latest. They fail with {@link IllegalArgumentException} for too many filters or an invalid one, with
 * {@link OperationException}, which says whether something may have changed, and with {@link NotServingException}.
 */
public interface SubscribeOnBehalf {
    /** The most filters of one request. */
    int MAX_FILTERS = 100;

    /**
     * A subscription to be made.
     *
     * @param filter as the broker matches it: after rewriting rules and mount points
     * @param retainHandling 0 to 2, as in SUBSCRIBE
     */
    record Wanted(String filter, int qos, boolean noLocal, boolean retainAsPublished, int retainHandling) {}

    /**
     * The result for one filter.
     *
     * @param reasonCode of SUBACK or UNSUBACK of MQTT 5.0: below 128 means success
     */
    record Coded(String filter, int reasonCode) {}

    /**
     * Subscribes. Completion means the same as SUBACK: every message that any node receives afterwards reaches the
     * granted filters.
     *
     * @param subscriptionId 0 for none; without effect for clients before MQTT 5.0
     * @return empty when there is no such client; missing nodes may have it
     */
    CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> subscribe(
            ClientReference key, List<Wanted> wanted, int subscriptionId, Duration within);

    /** Unsubscribes; completes and fails like {@link #subscribe}. */
    CompletableFuture<ClusterAnswer<Optional<List<Coded>>>> unsubscribe(
            ClientReference key, List<String> filters, Duration within);
}
