package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Knows which connection holds a client id, so that there is one at most [MQTT5-3.1.4-3]. Thread-safe. */
public interface SessionDirectory {
    /**
     * Asks for the client id on behalf of a connection. The present holder, if there is one, is told to give up; the
     * {@link Lease} comes when it has released its own. All get it in the order in which they asked; one that others
     * wait behind is told to give up as soon as it does.
     *
     * <p>Whether it may follow is decided about the last that asked for the client id and has not released it, in one
     * step with the rest: nobody else comes between. When it may not, nobody is told anything.
     *
     * @return completes on any thread with the lease or the reason why there is none; when the directory cannot say in
     *     time, fails with {@link io.godwit.kv.client.RangeException}
     */
    CompletableFuture<Answer> acquire(TenantId tenant, ClientId clientId, Holder holder, Takeover takeover);

    /** Whom a connection may drive out. */
    enum Takeover {
        OF_ANYBODY,
        /** A connection with the same user name, or without one. */
        OF_SAME_USER
    }

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

    /** What becomes of a request. */
    sealed interface Answer permits Lease, Refusal {}

    /** The right to use a client id. */
    non-sealed interface Lease extends Answer {
        /**
         * Whatever the connection has asked of the stores comes before what the next one asks for, and it asks for
         * nothing more. Further calls do nothing.
         */
        void release();
    }

    /** Why a connection does not get the client id. */
    enum Refusal implements Answer {
        /** The connection that has it is another user's. */
        OTHER_USER
    }
}
