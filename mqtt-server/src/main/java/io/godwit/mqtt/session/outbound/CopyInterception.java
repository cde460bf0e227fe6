package io.godwit.mqtt.session.outbound;

import io.godwit.mqtt.intercept.ChangeRules;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes the copies for one client through the interceptors, one at a time: the copy to be sent next. Confined to the
 * connection's loop.
 *
 * <p>A QoS 1 or 2 copy may not reach the plugin, because too many calls wait or the broker skips the plugin for a
 * while. It is then asked about again after a pause. Meanwhile it stays in its queue, within the queue's limits: a
 * message that is acknowledged to its publisher is dropped only by a plugin or by a documented limit.
 */
public final class CopyInterception {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final Connection connection;
    private final ClientInfo receiver;
    private final InterceptorChain chain;
    private final ChangeRules rules;
    private final Runnable onAnswer;

    /** The copy being asked about, and the answer; null before there is one, and after it was returned. */
    private @Nullable Object asked;

    private @Nullable Intercepted answer;
    private boolean isAsking;
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    /** @param onAnswer run on the loop when {@link #of} has a new answer */
    public CopyInterception(SessionCore session, InterceptorChain chain, Runnable onAnswer) {
        this.connection = session.connection;
        this.receiver = session.client();
        this.chain = chain;
        this.rules = new MessageBounds(connection.maxPacketBytes()).ofDelivery();
        this.onAnswer = onAnswer;
    }

    /** Null without interceptors. */
    public static @Nullable CopyInterception of(SessionCore session, Runnable onAnswer) {
        InterceptorChain chain = session.services.interceptors.deliver();
        return chain == null ? null : new CopyInterception(session, chain, onAnswer);
    }

    /**
     * The interceptors' decision about a copy, returned once; null while it, or the decision about an earlier copy, is
     * pending.
     *
     * @param copy identified by its object identity
     * @param qos of the copy
     */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // by identity: two equal copies are different
    public Intercepted of(Object copy, Message message, Qos qos) {
        if (isAsking) {
            return null;
        }
        Intercepted known = asked == copy ? answer : null;
        asked = null; // an idle session must not keep a message
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

    /** Whether to ask again after a pause; {@code onAnswer} then calls {@link #of} again. */
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
