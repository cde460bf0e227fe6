package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection as seen by the list of its event loop. All calls come on that loop. */
public interface ListedClient {
    /** Always the same object. */
    ClientInfo client();

    /** Its present state. Reads its own fields only. */
    ConnectedClient describe();

    /** How long it takes to acknowledge; null before the first message that needs an acknowledgement. */
    default @Nullable AckPace ackPace() {
        return null;
    }

    /** Null when its session is stored: then the inbox store has them. Costs a copy of the list. */
    @Nullable
    LiveSubscriptions subscriptions();

    /** Applies the present settings of its tenant, which may have changed. */
    default void retune() {}

    /**
     * Ends the connection for an operator: an MQTT 5.0 client gets {@code code}, an earlier one is just closed. Its
     * will is published, since the client has not discarded it [MQTT5-3.1.2-8], [MQTT5-3.14.4-3].
     */
    void end(ReasonCode code);

    /**
     * Subscribes the client for an operator, as if it had sent a SUBSCRIBE.
     *
     * @param subscriptions with filters as the broker matches them
     * @param subscriptionId 0 when absent
     * @return the codes of the SUBACK, in order; fails when the connection ends before
     */
    CompletableFuture<List<ReasonCode>> subscribeOnBehalf(List<Subscription> subscriptions, int subscriptionId);

    /** Unsubscribes the client likewise. */
    CompletableFuture<List<ReasonCode>> unsubscribeOnBehalf(List<TopicFilter> filters);
}
