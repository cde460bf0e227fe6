package io.godwit.broker.plugin;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which remembered decisions of auth providers still hold: a number for each client that rises when they do not.
 * Clients share numbers, so that it takes the same memory however many there are. Thread-safe.
 */
final class Decisions {
    private static final int NUMBERS = 1_024;

    /** Atomic: plugins forget on any thread, event loops read for each publish. */
    private final AtomicLong all = new AtomicLong();

    private final AtomicLongArray some = new AtomicLongArray(NUMBERS);

    long version(TenantId tenant, ClientId client) {
        return all.get() + some.get(place(tenant, client));
    }

    void forget(TenantId tenant, ClientId client) {
        some.incrementAndGet(place(tenant, client));
    }

    void forget() {
        all.incrementAndGet();
    }

    /** That a client chooses an id with the number of another costs the other a question more. */
    private static int place(TenantId tenant, ClientId client) {
        int hash = 31 * tenant.value().hashCode() + client.value().hashCode();
        return (hash ^ hash >>> 16) & NUMBERS - 1;
    }
}
