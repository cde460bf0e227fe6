package io.godwit.plugin.auth;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may connect and what a client may publish and subscribe to. One instance serves a node.
 *
 * <p>Every check answers with a future. It is called on threads of the plugin, on several at once, or on event loops if
 * the factory says that it does not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}); then what blocks or
 * computes for long belongs on threads of the provider, which complete the future there. A future that is complete on
 * return costs the least.
 *
 * <p>The broker fails closed: an exception, a null, a failed future and an answer that does not come within the
 * configured time all refuse, and raise a {@link io.godwit.plugin.event.BrokerEvent.AuthFailed}.
 *
 * <p>Of several providers ({@code authConfig.providers}) each may leave a question to those behind it, by "undecided".
 * The one that lets a client in is the first to be asked what it may publish and subscribe to.
 */
public interface AuthProvider extends AutoCloseable {

    /**
     * The checks this provider wants to be asked for; constant. The broker does not call the others and allows what
     * they are about, so a check that would allow everything is best left out. Of several providers one that does not
     * check logins lets nobody in, and one that does not check publishes or filters allows them to clients that it has
     * let in, and has no say about others.
     */
    default Set<AuthCheck> checks() {
        return EnumSet.allOf(AuthCheck.class);
    }

    /**
     * Checks a CONNECT without an authentication method. Asked before anything is done for the client: neither a
     * session nor an earlier connection of its client id is touched by a refused one.
     */
    CompletableFuture<ConnectResult> connect(ConnectRequest request);

    /**
     * Begins an extended authentication (MQTT 5.0, 4.12), at a CONNECT that names a method or at a re-authentication.
     * Called as the checks are.
     *
     * @return null when the method is not known here: the client is refused with "bad authentication method"
     */
    default @Nullable AuthExchange exchange(ExchangeRequest request) {
        return null;
    }

    /**
     * Checks one publish, or the will in a CONNECT. Called for each publish whose decision is not remembered, see
     * {@link #rulesVersion}.
     */
    CompletableFuture<AuthDecision> publish(PublishRequest request);

    /** Checks one filter of a SUBSCRIBE. */
    CompletableFuture<AuthDecision> subscribe(SubscribeRequest request);

    /**
     * A number that changes whenever an earlier answer of {@link #publish} may no longer hold. While it stays the same
     * the broker may use the answer to a connection's last publish again for one with the same topic, QoS and RETAIN
     * flag. Called for every publish, on event loops, if the factory says that it does not block; else ten times a
     * second, so that a change is noticed that much later. Must cost next to nothing.
     */
    default long rulesVersion() {
        return 0;
    }

    /** Ends threads and the like; called once, after the last check. */
    @Override
    default void close() {}
}
