package io.godwit.mqtt.auth;

import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the publishes of one connection are allowed, and remembers the last answer: devices publish to the
 * same topic again and again. Confined to the connection's loop.
 */
public final class PublishChecks {
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);

    private final Authorizer authorizer;
    private final ClientInfo client;
    private final InOrder order;

    // the last request and its answer
    private @Nullable String topic;
    private Qos qos = Qos.AT_MOST_ONCE;
    private boolean retain;
    private long version;
    private @Nullable Object grant;
    private CompletableFuture<AuthDecision> answer = ALLOWED;

    public PublishChecks(Connection connection, Authorizer authorizer, ClientInfo client) {
        this.authorizer = authorizer;
        this.client = client;
        this.order = new InOrder(connection);
    }

    /**
     * The decision on {@code message}; never fails.
     *
     * @param subject the topic to check: that of the message, or, for a delayed message, the topic it will be
     *     published to
     * @param given the present grant of the provider to the client
     */
    public CompletableFuture<AuthDecision> of(Message message, String subject, @Nullable Object given) {
        long now =
                authorizer.rulesVersion(client); // before the provider is asked: a change meanwhile makes it outdated
        if (!subject.equals(topic)
                || message.qos() != qos
                || message.retain() != retain
                || now != version
                || given != grant
                || answer.getNow(AuthDecision.ALLOWED) == Authorizer.NO_ANSWER) {
            topic = subject;
            qos = message.qos();
            retain = message.retain();
            version = now;
            grant = given;
            answer = authorizer.publish(new PublishRequest(client, subject, qos, retain, false, given));
        }
        return answer;
    }

    /** Runs the results of publishes in the order of the publishes. */
    public InOrder order() {
        return order;
    }
}
