package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Knows which connection holds a client id, so that there is one at most [MQTT5-3.1.4-3]. Thread-safe. */
public interface SessionDirectory {
    /**
     * Asks for the client id on behalf of a connection. The present holder, if there is one, is told to give up;
     * complete, on any thread, when it has released its lease. All get it in the order in which they asked; one that
     * others wait behind is told to give up as soon as it does.
     *
     * @param mayFollow asked about the last that asked for the client id and has not released it, if there is one: may
     *     be asked several times, and must return at once. In one step with the rest: nobody else comes between.
     * @return empty when it may not: then nobody is told anything
     */
    Optional<CompletableFuture<Lease>> acquire(
            TenantId tenant, ClientId clientId, Holder holder, Predicate<Holder> mayFollow);

    /** A connection that has, or waits for, a client id. */
    interface Holder {
        /** Of the connection's client. */
        default @Nullable String userName() {
            return null;
        }

        /**
         * Another connection wants the client id: end the session and release the lease. Called once at most, on any
         * thread; must return at once and not release within the call.
         */
        void giveUp();
    }

    /** The right to use a client id. */
    interface Lease {
        /**
         * Whatever the connection has asked of the stores comes before what the next one asks for, and it asks for
         * nothing more. Further calls do nothing.
         */
        void release();
    }
}
