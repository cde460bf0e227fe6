package io.godwit.plugin.auth;

import java.util.concurrent.CompletableFuture;

/**
 * One run of an extended authentication with one client. Calls come one at a time, on the threads that those of the
 * {@link AuthProvider} come on: the next after the answer to the one before. The rules for answers are
 * those of {@link AuthProvider}.
 */
public interface AuthExchange {
    /**
     * Takes what the client sent.
     *
     * @param data Authentication Data of its CONNECT or AUTH, empty when absent; read only
     */
    CompletableFuture<AuthStep> onData(byte[] data);

    /** It is over: accepted, refused, timed out, or the connection has gone. Called exactly once. */
    default void close() {}
}
