package io.godwit.mqtt.session;

import io.godwit.mqtt.intercept.ChangeRules;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Has the copies for one client intercepted, one at a time: that which is to be sent next. Confined to the connection's
 * loop.
 */
final class CopyInterception {
    private final Connection connection;
    private final ClientInfo receiver;
    private final InterceptorChain chain;
    private final ChangeRules rules;
    private final Runnable onAnswer;

    /** The copy that the answer is about, and the answer; null before they are there, and once they are told. */
    private @Nullable Object asked;

    private @Nullable Intercepted answer;
    private boolean isAsking;

    /** @param onAnswer run, by mail, when {@link #of} has an answer that it did not have before */
    CopyInterception(Session session, InterceptorChain chain, Runnable onAnswer) {
        this.connection = session.connection;
        this.receiver = session.client();
        this.chain = chain;
        this.rules = new MessageBounds(connection.maxPacketBytes()).ofDelivery();
        this.onAnswer = onAnswer;
    }

    /** Null without interceptors. */
    static @Nullable CopyInterception of(Session session, Runnable onAnswer) {
        InterceptorChain chain = session.services.interceptors.deliver();
        return chain == null ? null : new CopyInterception(session, chain, onAnswer);
    }

    /**
     * What becomes of a copy, told once; null while that is not known, or is not known of an earlier one.
     *
     * @param copy tells one from the next, by its identity
     */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // the same object is asked for: two equal copies are two
    Intercepted of(Object copy, Message message) {
        if (isAsking) {
            return null;
        }
        Intercepted known = asked == copy ? answer : null;
        asked = null; // an idle session keeps no message
        answer = null;
        if (known != null) {
            return known;
        }
        CompletableFuture<Intercepted> outcome = chain.run(receiver, message, rules);
        if (outcome.isDone()) {
            return outcome.join();
        }
        asked = copy;
        isAsking = true;
        OnEventLoop.whenCompleteInOrder(connection, outcome, (value, failure) -> {
            answer = failure == null ? value : new Intercepted.Failed("", String.valueOf(failure.getMessage()));
            isAsking = false;
            onAnswer.run();
        });
        return null;
    }
}
