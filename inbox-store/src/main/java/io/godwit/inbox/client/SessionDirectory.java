package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Knows which connection holds a client id, so that there is one at most [MQTT5-3.1.4-3]. Thread-safe. */
public interface SessionDirectory {
    /**
     * Asks for the client id on behalf of a connection. The present holder, if there is one, is told to give up; complete, on any thread,
     * when it has released its lease. Of several that wait the latest gets it, the others are told to give up as soon as they do.
     */
    CompletableFuture<Lease> acquire(TenantId tenant, ClientId clientId, Holder holder);

    /** Who would be driven out by the next {@link #acquire}: the last that asked for the client id and has not released it. Null when nobody has. */
    @Nullable
    Holder holder(TenantId tenant, ClientId clientId);

    /** A connection that has, or waits for, a client id. */
    interface Holder {
        /** Of the connection's client. */
        default @Nullable String userName() {
            return null;
        }

        /** Another connection wants the client id: end the session and release the lease. Called once at most, on any thread; must return at once and not release within the call. */
        void giveUp();
    }

    /** The right to use a client id. */
    interface Lease {
        /** The session has ended, and nothing of it will have an effect any more. Further calls do nothing. */
        void release();
    }
}
