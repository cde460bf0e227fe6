package io.godwit.broker.clients.remote;

import io.godwit.broker.clients.wire.Client;
import io.godwit.broker.clients.wire.Criteria;
import io.godwit.broker.clients.wire.Key;
import io.godwit.broker.clients.wire.PageAnswer;
import io.godwit.broker.clients.wire.PageRequest;
import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.mqtt.client.AddressPattern;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes messages ({@code clients_protocol.proto}). Decoding checks every value, and throws {@link
 * IllegalArgumentException} for an impossible one.
 */
public final class ClientWire {
    /** The version of requests that this node sends. */
    public static final int VERSION = 1;

    /** Bound of an answer, apart from its first client. */
    static final int MAX_ANSWER_BYTES = 1 << 20;

    private static final long MAX_U32 = 0xFFFF_FFFFL;

    private ClientWire() {}

    public static Key key(ClientKey key) {
        return Key.newBuilder()
                .setTenant(key.tenant().value())
                .setClientId(key.clientId().value())
                .build();
    }

    public static ClientKey key(Key key) {
        return new ClientKey(new TenantId(key.getTenant()), new ClientId(key.getClientId()));
    }

    public static Criteria criteria(ClientCriteria criteria) {
        Criteria.Builder message = Criteria.newBuilder()
                .setIdText(criteria.clientId().text())
                .setIdIsPrefix(criteria.clientId().isPrefix())
                .setProtocolLevel(criteria.protocolLevel())
                .setLeastQueued(criteria.leastQueued());
        TenantId tenant = criteria.tenant();
        if (tenant != null) {
            message.setTenant(tenant.value());
        }
        String userName = criteria.userName();
        if (userName != null) {
            message.setUserName(userName);
        }
        AddressPattern address = criteria.address();
        if (address != null) {
            message.setAddress(address.text());
        }
        return message.build();
    }

    public static ClientCriteria criteria(Criteria message) {
        return new ClientCriteria(
                message.hasTenant() ? new TenantId(message.getTenant()) : null,
                new IdPattern(message.getIdText(), message.getIdIsPrefix()),
                message.hasUserName() ? message.getUserName() : null,
                message.hasAddress() ? new AddressPattern(message.getAddress()) : null,
                message.getProtocolLevel(),
                Math.max(0, message.getLeastQueued()));
    }

    static PageRequest pageRequest(ClientCriteria criteria, @Nullable ClientKey after, int limit) {
        PageRequest.Builder message = PageRequest.newBuilder()
                .setVersion(VERSION)
                .setCriteria(criteria(criteria))
                .setLimit(limit);
        if (after != null) {
            message.setAfter(key(after));
        }
        return message.build();
    }

    /** As many clients as fit; a shortened page continues after its last client. */
    static PageAnswer pageAnswer(ClientPage<ConnectedClient> page) {
        PageAnswer.Builder message = PageAnswer.newBuilder();
        long bytes = 0;
        ClientKey next = page.next();
        ClientKey last = null;
        for (ConnectedClient entry : page.entries()) {
            Client client = client(entry);
            bytes += client.getSerializedSize();
            if (last != null && bytes > MAX_ANSWER_BYTES) {
                next = last;
                break;
            }
            message.addClients(client);
            last = entry.key();
        }
        if (next != null) {
            message.setNext(key(next));
        }
        return message.build();
    }

    /** Decodes the answer to {@link #pageRequest}; clients that do not match the criteria are left out. */
    static ClientPage<ConnectedClient> page(
            PageAnswer message, ClientCriteria criteria, @Nullable ClientKey after, int limit) {
        if (message.getClientsCount() > limit) {
            throw new IllegalArgumentException(
                    message.getClientsCount() + " clients in a page of " + limit + " at most");
        }
        List<ConnectedClient> entries = new ArrayList<>(message.getClientsCount());
        ClientKey last = after;
        for (Client each : message.getClientsList()) {
            ConnectedClient client = client(each);
            if (last != null && client.key().compareTo(last) <= 0) {
                throw new IllegalArgumentException("clients out of order");
            }
            last = client.key();
            if (criteria.matches(client)) {
                entries.add(client);
            }
        }
        ClientKey next = message.hasNext() ? key(message.getNext()) : null;
        boolean isBehind = next == null || last == null || next.compareTo(last) >= 0;
        if (!isBehind || next != null && next.equals(after)) { // the caller would ask for the same page forever
            throw new IllegalArgumentException("a page that goes on before its end");
        }
        return new ClientPage<>(entries, next);
    }

    public static Client client(ConnectedClient client) {
        Client.Builder message = Client.newBuilder()
                .setKey(key(client.key()))
                .setRemoteAddress(client.info().remoteAddress())
                .setProtocolLevel(client.info().protocolLevel())
                .setListener(client.listener())
                .setCleanStart(client.cleanStart())
                .setSessionExpirySeconds((int) client.sessionExpirySeconds())
                .setKeepAliveSeconds(client.keepAliveSeconds())
                .setConnectedAtMillis(client.connectedAtMillis())
                .setInflightIn(client.inflightIn())
                .setInflightOut(client.inflightOut())
                .setQueued(client.queued())
                .setSubscriptions(client.subscriptions());
        String userName = client.info().userName();
        if (userName != null) {
            message.setUserName(userName);
        }
        return message.build();
    }

    public static ConnectedClient client(Client message) {
        int level = message.getProtocolLevel();
        if (level < ProtocolLevel.MQTT_3_1 || level > ProtocolLevel.MQTT_5) {
            throw new IllegalArgumentException("no protocol level: " + level);
        }
        ClientKey key = key(message.getKey());
        ClientInfo info = new ClientInfo(
                key.tenant(),
                key.clientId(),
                message.hasUserName() ? message.getUserName() : null,
                message.getRemoteAddress(),
                level);
        return new ConnectedClient(
                info,
                message.getListener(),
                message.getCleanStart(),
                message.getSessionExpirySeconds() & MAX_U32,
                count(message.getKeepAliveSeconds()),
                message.getConnectedAtMillis(),
                count(message.getInflightIn()),
                count(message.getInflightOut()),
                count(message.getQueued()),
                count(message.getSubscriptions()));
    }

    private static int count(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("no count: " + Integer.toUnsignedString(value));
        }
        return value;
    }
}
