package io.godwit.mqtt.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;

/** One interceptor of a chain, with its guards. Any thread. */
public interface InterceptorStep {
    /** The plugin's own name. */
    String plugin();

    /**
     * Asks the plugin about the message.
     *
     * @param client the publisher or receiver
     * @return complete at once or on any thread, in bounded time; fails without an answer, which has been counted
     */
    CompletableFuture<Interception> ask(ClientInfo client, Message message);

    /** Whether the plugin had seen the message when {@link #ask} failed with this. */
    boolean wasAsked(Throwable failure);

    /** Counts an answer that cannot be used. */
    void invalid(String detail);
}
