package io.godwit.dist.index;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.plugin.client.ClientId;

/** A live session that is only its name. */
public record TestReceiver(ClientId clientId) implements LiveReceiver {
    public TestReceiver(String name) {
        this(new ClientId(name));
    }
}
