package io.godwit.dist.client;

import io.godwit.plugin.client.ClientId;

/** The receiver of a subscription. Equal receivers are the same session. */
public sealed interface Receiver permits LiveReceiver, InboxReceiver {
    /** For no-local [MQTT5-3.8.3-3] and events. */
    ClientId clientId();
}
