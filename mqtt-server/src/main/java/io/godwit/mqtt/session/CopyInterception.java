package io.godwit.mqtt.session;

import io.godwit.mqtt.intercept.ChangeRules;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Has the copies for one client intercepted, one at a time: that which is to be sent next. Confined to the connection's
 * loop.
 *
 * <p>A copy of QoS 1 or 2 that the plugin was not given, since too many calls wait or it is not called for a while, is
 * asked about again after a pause. It stays in its queue, with the bounds of that: what is acknowledged to its
 * publisher is dropped by a plugin or by a stated limit.
 */
final class CopyInterception {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final Connection connection;
    private final ClientInfo receiver;
    private final InterceptorChain chain;
    private final ChangeRules rules;
    private final Runnable onAnswer;

    /** The copy that the answer is about, and the answer; null before they are there, and once they are told. */
    private @Nullable Object asked;

    private @Nullable Intercepted answer;
    private boolean isAsking;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

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
     * @param qos of the copy
     */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // the same object is asked for: two equal copies are two
    Intercepted of(Object copy, Message message, Qos qos) {
        if (isAsking) {
            return null;
        }
        Intercepted known = asked == copy ? answer : null;
        asked = null; // an idle session keeps no message
        answer = null;
        if (known != null) {
            return mustAskAgain(known, qos) ? null : known;
        }
        CompletableFuture<Intercepted> outcome = chain.run(receiver, message, rules);
        if (outcome.isDone()) {
            Intercepted now = outcome.join();
            return mustAskAgain(now, qos) ? null : now;
        }
        asked = copy;
        isAsking = true;
        OnEventLoop.whenCompleteInOrder(connection, outcome, (value, failure) -> {
            answer = failure == null ? value : new Intercepted.Failed("", String.valueOf(failure.getMessage()), true);
            isAsking = false;
            onAnswer.run();
        });
        return null;
    }

    /** If so, {@link #of} is called by {@code onAnswer} after a pause, and asks again. */
    private boolean mustAskAgain(Intercepted outcome, Qos qos) {
        if (qos == Qos.AT_MOST_ONCE || !(outcome instanceof Intercepted.Failed failed) || failed.wasAsked()) {
            pauseMillis = FIRST_PAUSE_MILLIS;
            return false;
        }
        isAsking = true;
        CompletableFuture<Void> pause =
                new CompletableFuture<Void>().completeOnTimeout(null, pauseMillis, TimeUnit.MILLISECONDS);
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
        OnEventLoop.whenCompleteInOrder(connection, pause, (nothing, failure) -> {
            isAsking = false;
            onAnswer.run();
        });
        return true;
    }
}
