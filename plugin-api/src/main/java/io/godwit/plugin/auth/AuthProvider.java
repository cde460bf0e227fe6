package io.godwit.plugin.auth;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may connect and what a client may publish and subscribe to. One instance serves a node.
 *
 * <p>If there are several providers ({@code authConfig.providers}), each may answer "undecided" and so leave the check
 * to the next one. The provider that accepted a client is the first to check its publishes and filters.
 *
 * <p><b>Thread:</b> threads of the plugin, several at once; or, if the factory says that it does not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), event loops. The provider must then move blocking or long
 * work to its own threads and complete the future there.
 *
 * <p><b>Cost:</b> a call for each CONNECT, for each filter of a SUBSCRIBE, and for each publish without a remembered
 * decision ({@link #rulesVersion}). The client's request waits for the answer. A future that is complete on return
 * costs the least. {@link #checks} says which calls are not needed at all.
 *
 * <p><b>Failure:</b> the broker fails closed. An exception, a null, a failed future and a missing answer within
 * {@code authConfig.timeoutSeconds} refuse, and raise a {@link io.godwit.plugin.event.BrokerEvent.AuthFailed}; so do
 * calls that the broker does not make, because too many others are not answered or the provider did not answer in time.
 */
public interface AuthProvider extends AutoCloseable {

    /**
     * The checks this provider implements; constant. The broker does not call the others and allows what they would
     * check, so leave out a check that would allow everything. With several providers, one without the login check
     * accepts no client. One without the publish or filter check allows these actions for the clients that it accepted,
     * and has no say about other clients.
     */
    default Set<AuthCheck> checks() {
        return EnumSet.allOf(AuthCheck.class);
    }

    /**
     * Checks a CONNECT without an authentication method. The broker calls it before it does anything for the client: a
     * refused CONNECT changes neither the session nor an earlier connection of its client id.
     */
    CompletableFuture<ConnectResult> connect(ConnectRequest request);

    /**
     * Begins an extended authentication (MQTT 5.0, 4.12), at a CONNECT that names a method or at a re-authentication.
     * Called on the same threads as the checks.
     *
     * @return null if this provider does not know the method: the client is refused with "bad authentication method"
     */
    default @Nullable AuthExchange exchange(ExchangeRequest request) {
        return null;
    }

    /**
     * Checks one publish, or the will in a CONNECT. Called for each publish without a remembered decision, see
     * {@link #rulesVersion}.
     */
    CompletableFuture<AuthDecision> publish(PublishRequest request);

    /** Checks one filter of a SUBSCRIBE. */
    CompletableFuture<AuthDecision> subscribe(SubscribeRequest request);

    /**
     * A number that changes whenever an earlier answer of {@link #publish} may no longer hold. While it stays the same,
     * the broker may reuse the answer to a connection's last publish for the next one with the same topic, QoS and
     * RETAIN flag. If the factory says that it does not block, this is called for every publish, on event loops; else
     * ten times a second, so the broker notices a change up to a tenth of a second late. Must cost next to nothing.
     */
    default long rulesVersion() {
        return 0;
    }

    /** Releases threads and other resources; called once, after the last check. */
    @Override
    default void close() {}
}
