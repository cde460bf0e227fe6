package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;

/** A connection in a list, of the tenant {@code default}; counts how often it is looked at. */
final class FakeClient implements ListedClient {
    private final ClientInfo info;
    private final long connectedAtMillis;
    int queued;
    int looks;
    final List<ReasonCode> ends = new ArrayList<>();

    FakeClient(String clientId) {
        this(clientId, 0);
    }

    FakeClient(String clientId, long connectedAtMillis) {
        this(new ClientInfo(TenantId.DEFAULT, new ClientId(clientId), null, "10.0.0.1:4711", 5), connectedAtMillis);
    }

    FakeClient(ClientInfo info, long connectedAtMillis) {
        this.info = info;
        this.connectedAtMillis = connectedAtMillis;
    }

    static ClientKey key(String clientId) {
        return new ClientKey(TenantId.DEFAULT, new ClientId(clientId));
    }

    @Override
    public ClientInfo client() {
        return info;
    }

    @Override
    public ConnectedClient describe() {
        looks++;
        return new ConnectedClient(info, "tcp 0.0.0.0:1883", true, 0, 60, connectedAtMillis, 0, 0, queued, 0);
    }

    @Override
    public void end(ReasonCode code) {
        ends.add(code);
    }
}
