package io.godwit.plugin.redirect;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * A client that connects.
 *
 * @param client as authenticated
 * @param isCleanStart whether it wants a new session; else it may have one, which any node can serve
 * @param userProperties of its CONNECT; none before MQTT 5.0
 */
public record ConnectingClient(ClientInfo client, boolean isCleanStart, List<UserProperty> userProperties) {
    public ConnectingClient {
        userProperties = List.copyOf(userProperties);
    }

    /** Whether its protocol can redirect it: since MQTT 5.0. An older client is refused instead. */
    public boolean canBeTold() {
        return client.protocolLevel() >= 5;
    }
}
