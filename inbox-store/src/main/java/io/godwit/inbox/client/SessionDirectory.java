package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Knows which connection holds a client id, so that there is one at most [MQTT5-3.1.4-3]. Thread-safe. */
public interface SessionDirectory {
    /**
     * Requests the client id for a connection. The present holder, if there is one, is asked to give up; the
     * {@link Lease} comes when it has released its own. Requests get the lease in the order they were made; a new
     * holder with others waiting behind it is asked to give up at once.
     *
     * <p>{@code takeover} is checked against the last requester that has not released the client id, atomically with
     * the rest: no other request comes between. A refused request asks nobody to give up.
     *
     * @return completes on any thread with the lease or the reason why there is none; when the directory cannot answer
     *     in time, fails with {@link io.godwit.kv.client.RangeException}
     */
    CompletableFuture<Answer> acquire(TenantId tenant, ClientId clientId, Holder holder, Takeover takeover);

    /** Whose connection a new one may end. */
    enum Takeover {
        OF_ANYBODY,
        /** Only a connection with the same user name, or without one. */
        OF_SAME_USER
    }

    /** A connection that has, or waits for, a client id. */
    interface Holder {
        /** User name of the connection's client. */
        default @Nullable String userName() {
            return null;
        }

        /**
         * Another connection wants the client id: end the session and release the lease. Called at most once, on any
         * thread; must return at once and not release within the call.
         */
        void giveUp();
    }

    /** The answer to {@link #acquire}. */
    sealed interface Answer permits Lease, Refusal {}

    /** The right to use a client id. */
    non-sealed interface Lease extends Answer {
        /**
         * Call it when nothing more will be asked of the stores: requests made before it precede those of the next
         * holder. Further calls do nothing.
         */
        void release();
    }

    /** Why a connection does not get the client id. */
    enum Refusal implements Answer {
        /** The connection that has the client id belongs to another user. */
        OTHER_USER
    }
}
