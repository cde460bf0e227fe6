package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/** A connection as the list of its event loop sees it. All calls come on that loop. */
public interface ListedClient {
    /** The same object each time. */
    ClientInfo client();

    /** What can be told of it now. Looks at its own fields only. */
    ConnectedClient describe();

    /** Null when its session is stored: then the inbox store has them. Costs as much as to copy a list of them. */
    @Nullable
    LiveSubscriptions subscriptions();

    /**
     * Ends it for an operator: an MQTT 5.0 client is told {@code code}, an earlier one is just closed. Its will is
     * published, since the client has not discarded it [MQTT5-3.1.2-8], [MQTT5-3.14.4-3].
     */
    void end(ReasonCode code);
}
