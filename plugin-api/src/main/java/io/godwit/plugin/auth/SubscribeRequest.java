package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * One filter of a SUBSCRIBE to be checked.
 *
 * @param qos the highest the client wants
 * @param grant what the provider gave at the client's login; null if it gave nothing, if another provider accepted
 *     the client, or if an operator subscribes for a client that is not connected
 */
public record SubscribeRequest(
        ClientInfo client,
        TopicFilter filter,
        Qos qos,
        @Nullable Object grant) {
    /** Without a grant. */
    public SubscribeRequest(ClientInfo client, TopicFilter filter, Qos qos) {
        this(client, filter, qos, null);
    }

    /** The same request with another grant. */
    public SubscribeRequest with(@Nullable Object given) {
        return new SubscribeRequest(client, filter, qos, given);
    }

    /** Leaves out the grant. */
    @Override
    public String toString() {
        return "SubscribeRequest[client=" + client + ", filter=" + filter + ", qos=" + qos + "]";
    }
}
