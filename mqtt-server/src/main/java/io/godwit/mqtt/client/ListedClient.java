package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection as the list of its event loop sees it. All calls come on that loop. */
public interface ListedClient {
    /** The same object each time. */
    ClientInfo client();

    /** What can be told of it now. Looks at its own fields only. */
    ConnectedClient describe();

    /** How long it takes to acknowledge; null when nothing was to be acknowledged yet. */
    default @Nullable AckPace ackPace() {
        return null;
    }

    /** Null when its session is stored: then the inbox store has them. Costs as much as to copy a list of them. */
    @Nullable
    LiveSubscriptions subscriptions();

    /** What holds for its tenant may have changed: it goes by that from now on. */
    default void retune() {}

    /**
     * Ends it for an operator: an MQTT 5.0 client is told {@code code}, an earlier one is just closed. Its will is
     * published, since the client has not discarded it [MQTT5-3.1.2-8], [MQTT5-3.14.4-3].
     */
    void end(ReasonCode code);

    /**
     * Subscribes it for an operator, as if it had asked.
     *
     * @param subscriptions with filters as the broker matches them
     * @param subscriptionId 0 when absent
     * @return the codes that SUBACK would have, in order; fails when the connection ends before
     */
    CompletableFuture<List<ReasonCode>> subscribeOnBehalf(List<Subscription> subscriptions, int subscriptionId);

    /** The same with UNSUBSCRIBE. */
    CompletableFuture<List<ReasonCode>> unsubscribeOnBehalf(List<TopicFilter> filters);
}
