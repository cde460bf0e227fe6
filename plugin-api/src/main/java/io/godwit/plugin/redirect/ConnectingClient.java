package io.godwit.plugin.redirect;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * Who connects.
 *
 * @param client as authentication has found it
 * @param isCleanStart whether it wants to begin anew; else it may have a session, which any node can serve
 * @param userProperties of its CONNECT; none before MQTT 5.0
 */
public record ConnectingClient(ClientInfo client, boolean isCleanStart, List<UserProperty> userProperties) {
    public ConnectingClient {
        userProperties = List.copyOf(userProperties);
    }

    /** Whether it can be told another server: since MQTT 5.0. An older client is refused instead. */
    public boolean canBeTold() {
        return client.protocolLevel() >= 5;
    }
}
