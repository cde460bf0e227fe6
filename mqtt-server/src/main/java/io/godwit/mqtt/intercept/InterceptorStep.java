package io.godwit.mqtt.intercept;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;

/** One interceptor of a chain, behind whatever guards it. Any thread. */
public interface InterceptorStep {
    /** What the plugin calls itself. */
    String plugin();

    /**
     * What becomes of the message.
     *
     * @param client who publishes or receives it
     * @return complete at once or on any thread, in bounded time; fails when there is no answer, which was counted
     */
    CompletableFuture<Interception> ask(ClientInfo client, Message message);

    /** Whether the plugin was given the message when {@link #ask} failed with this. */
    boolean wasAsked(Throwable failure);

    /** Its answer cannot be used; to be counted. */
    void invalid(String detail);
}
