package io.godwit.broker.plugin.context;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Invalidates cached decisions of auth providers: a version per client, which rises when they become invalid. Clients
 * share versions, so that the memory does not depend on their number. Thread-safe.
 */
public final class Decisions {
    private static final int NUMBERS = 1_024;

    /** Atomic: plugins change it on any thread, event loops read it for each publish. */
    private final AtomicLong all = new AtomicLong();

    private final AtomicLongArray some = new AtomicLongArray(NUMBERS);

    public long version(TenantId tenant, ClientId client) {
        return all.get() + some.get(place(tenant, client));
    }

    void forget(TenantId tenant, ClientId client) {
        some.incrementAndGet(place(tenant, client));
    }

    void forget() {
        all.incrementAndGet();
    }

    /** A client that chooses an id with another's place costs that client only further questions. */
    private static int place(TenantId tenant, ClientId client) {
        int hash = 31 * tenant.value().hashCode() + client.value().hashCode();
        return (hash ^ hash >>> 16) & NUMBERS - 1;
    }
}
