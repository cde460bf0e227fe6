package io.godwit.plugin.auth;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/**
 * A publish to be checked.
 *
 * @param topic a valid topic name, topic aliases resolved
 * @param isWill whether it is the will of a CONNECT; it is checked at CONNECT, and not again when it is published
 * @param grant what the provider gave at the client's login; null if it gave nothing, or if another provider
 *     accepted the client
 */
public record PublishRequest(
        ClientInfo client,
        String topic,
        Qos qos,
        boolean retain,
        boolean isWill,
        @Nullable Object grant) {
    /** Without a grant. */
    public PublishRequest(ClientInfo client, String topic, Qos qos, boolean retain, boolean isWill) {
        this(client, topic, qos, retain, isWill, null);
    }

    /** The same request with another grant. */
    public PublishRequest with(@Nullable Object given) {
        return new PublishRequest(client, topic, qos, retain, isWill, given);
    }

    /** Leaves out the grant. */
    @Override
    public String toString() {
        return "PublishRequest[client=" + client + ", topic=" + topic + ", qos=" + qos + ", retain=" + retain
                + ", isWill=" + isWill + "]";
    }
}
