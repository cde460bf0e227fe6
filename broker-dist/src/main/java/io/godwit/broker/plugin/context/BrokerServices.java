package io.godwit.broker.plugin.context;

import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.message.MessagePublisher;
import java.util.Optional;
import java.util.function.Supplier;

/** The services of the broker for plugins; each is empty while the broker does not serve. Any thread. */
public record BrokerServices(
        Supplier<Optional<ClientAdmin>> clients,
        Supplier<Optional<MessagePublisher>> publisher,
        Supplier<Optional<SessionAdmin>> sessions) {
    /** For a broker that never serves. */
    public static final BrokerServices NONE = new BrokerServices(Optional::empty, Optional::empty, Optional::empty);
}
