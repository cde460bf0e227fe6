package io.godwit.inbox.queue;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;

/** Names one inbox. */
record InboxId(TenantId tenant, ClientId clientId) {
    @Override
    public int hashCode() {
        // both strings keep their hash, so this costs two loads
        return tenant.value().hashCode() * 31 + clientId.value().hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InboxId that
                && clientId.value().equals(that.clientId.value())
                && tenant.value().equals(that.tenant.value());
    }
}
