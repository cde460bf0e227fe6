package io.godwit.mqtt.session.core;

import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * The terms that CONNECT and CONNACK agreed on.
 *
 * @param sendWindow QoS 1 and 2 messages under way towards the client at once, 1 to 65,535 [MQTT5-3.3.4-9]
 * @param topicAliasMaximum aliases that may be set up towards the client; 0 to 65,535
 * @param expirySeconds Session Expiry Interval of CONNECT, 0 to 4,294,967,295
 * @param cleanStart Clean Start of 5.0, Clean Session of 3.1.1
 * @param authenticationMethod of CONNECT, for re-authentication; null without one
 * @param topics maps the client's topics to those within the broker
 * @param grant the auth provider's grant at the login; null for none
 */
public record SessionTerms(
        ClientInfo client,
        int sendWindow,
        int topicAliasMaximum,
        long expirySeconds,
        boolean cleanStart,
        @Nullable String authenticationMethod,
        ClientTopics topics,
        @Nullable Object grant) {
    /** For a client with a clean start and unchanged topics. */
    public SessionTerms(
            ClientInfo client,
            int sendWindow,
            int topicAliasMaximum,
            long expirySeconds,
            @Nullable String authenticationMethod) {
        this(
                client,
                sendWindow,
                topicAliasMaximum,
                expirySeconds,
                true,
                authenticationMethod,
                ClientTopics.UNCHANGED,
                null);
    }

    public boolean isV5() {
        return client.protocolLevel() == 5;
    }
}
