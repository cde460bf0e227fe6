package io.godwit.plugin.auth;

import java.util.concurrent.CompletableFuture;

/**
 * One run of an extended authentication with one client. Calls come one at a time, on the same threads as those of
 * {@link AuthProvider}. The next call comes after the answer to the last one. Answers follow the rules of
 * {@link AuthProvider}.
 */
public interface AuthExchange {
    /**
     * Takes what the client sent.
     *
     * @param data Authentication Data of its CONNECT or AUTH, empty when absent; read only
     */
    CompletableFuture<AuthStep> onData(byte[] data);

    /** The exchange is over: accepted, refused, timed out, or the connection is gone. Called exactly once. */
    default void close() {}
}
