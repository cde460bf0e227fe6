package io.godwit.inbox.protocol;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;

/** Identifies one inbox. Comparable, so that hash maps stay fast when client ids collide. */
public record InboxId(TenantId tenant, ClientId clientId) implements Comparable<InboxId> {
    /** The inbox of a client. */
    public static InboxId of(ClientInfo client) {
        return new InboxId(client.tenant(), client.clientId());
    }

    @Override
    public int compareTo(InboxId other) {
        int byClient = clientId.compareTo(other.clientId);
        return byClient != 0 ? byClient : tenant.compareTo(other.tenant);
    }

    @Override
    public int hashCode() {
        // both strings cache their hash codes
        return tenant.value().hashCode() * 31 + clientId.value().hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InboxId that
                && clientId.value().equals(that.clientId.value())
                && tenant.value().equals(that.tenant.value());
    }
}
