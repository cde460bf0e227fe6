package io.godwit.broker.clients;

import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientFilter.TextPattern;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.mqtt.client.AddressPattern;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.client.PeerAddress;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.Optional;

/** Translates between types of mqtt-server and of the API's port. */
final class ClientWords {
    private ClientWords() {}

    /** Sorts before every client id, since none contains a null character [MQTT5-1.5.4-2]. */
    private static final String BEFORE_ALL = "\0";

    /** Empty if no client can have such a key. */
    static Optional<ClientKey> key(ClientReference key) {
        return key.clientId().isEmpty() ? Optional.empty() : place(key);
    }

    /** The position after which a list continues; empty if there can be no such tenant. */
    static Optional<ClientKey> place(ClientReference key) {
        String clientId = key.clientId().isEmpty() ? BEFORE_ALL : key.clientId();
        return tenant(key.tenant()).map(tenant -> new ClientKey(tenant, new ClientId(clientId)));
    }

    /** The position before all clients of the tenant, and after those of earlier tenants. */
    static ClientKey beginOf(TenantId tenant) {
        return new ClientKey(tenant, new ClientId(BEFORE_ALL));
    }

    static ClientReference key(ClientKey key) {
        return new ClientReference(key.tenant().value(), key.clientId().value());
    }

    /** Empty if there can be no such tenant. */
    static Optional<TenantId> tenant(String text) {
        try {
            return Optional.of(new TenantId(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Empty if no connected client can match the filter. */
    static Optional<ClientCriteria> criteria(ClientFilter filter) {
        Optional<TenantId> tenant = filter.tenant().flatMap(ClientWords::tenant);
        if (!filter.connected().orElse(true) || filter.tenant().isPresent() && tenant.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ClientCriteria(
                tenant.orElse(null),
                filter.clientId().map(ClientWords::pattern).orElse(IdPattern.ANY),
                filter.userName().orElse(null),
                filter.address().map(AddressPattern::new).orElse(null),
                filter.protocolLevel().orElse(0),
                filter.leastQueued().orElse(0)));
    }

    private static IdPattern pattern(TextPattern pattern) {
        return new IdPattern(pattern.text(), pattern.kind() == TextPattern.Kind.PREFIX);
    }

    /** The length of the texts that the client has chosen. */
    static int chars(ConnectedClient client) {
        String userName = client.info().userName();
        return client.info().clientId().value().length() + (userName == null ? 0 : userName.length());
    }

    static ClientView view(String node, ConnectedClient client) {
        String userName = client.info().userName();
        return new ClientView(
                client.info().tenant().value(),
                client.info().clientId().value(),
                userName == null ? "" : userName,
                PeerAddress.hostOf(client.info().remoteAddress()),
                PeerAddress.portOf(client.info().remoteAddress()),
                node,
                client.listener(),
                client.info().protocolLevel(),
                client.cleanStart(),
                client.sessionExpirySeconds(),
                client.keepAliveSeconds(),
                client.connectedAtMillis(),
                true,
                client.queued(),
                client.inflightIn(),
                client.inflightOut(),
                client.subscriptions());
    }
}
