package io.godwit.broker.messages;

import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.broker.api.TenantShares;
import io.godwit.common.failure.Failures;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.inbound.OperatorIntake;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Publishes for operators as a client's connection does: a retained message is stored first, then distributed, and the
 * outcome is the one that a client would get. Thread-safe.
 */
public final class OperatorPublisher implements MessagePublisher {
    /**
     * Bound of messages of operators under way, and the same for plugins. A message counts until its outcome is known,
     * even if nobody waits for it any more.
     */
    static final int MAX_UNDER_WAY = 64;

    static final long MAX_UNDER_WAY_BYTES = 32L << 20;
    /** Operators of one tenant have one part in this many. */
    static final int SHARES = 4;

    /** A client id that no client may have. */
    private static final ClientId ID = new ClientId("\0api");

    private static final int MQTT_5 = 5;
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    /** {@link OperatorIntake#admit}. */
    public interface Admission {
        CompletableFuture<OperatorIntake.Answer> admit(ClientInfo publisher, Message message);
    }

    private final Function<ClientInfo, Publisher> publishers;
    private final RetainClient retain;
    private final Admission admission;
    private final TopicLimits limits;
    private final TopicRules rules;
    private final int maxMessageBytes;
    private final LongSupplier wallMillis;
    /** Messages of operators under way, and their heap bytes. */
    private final TenantShares underWay = new TenantShares(MAX_UNDER_WAY, MAX_UNDER_WAY_BYTES, SHARES);
    /** Those of plugins, which nothing divides by tenant. */
    private final TenantShares underWayOfPlugins = new TenantShares(MAX_UNDER_WAY, MAX_UNDER_WAY_BYTES, 1);

    /**
     * @param publishers {@link io.godwit.dist.client.DistClient#publisher(ClientInfo)}
     * @param admission checks what the tenant may do
     * @param limits of the node, for what plugins publish
     * @param maxMessageBytes the largest packet that a listener accepts
     * @param wallMillis milliseconds since the epoch, by the clock of the stores
     */
    public OperatorPublisher(
            Function<ClientInfo, Publisher> publishers,
            RetainClient retain,
            Admission admission,
            TopicLimits limits,
            TopicRules rules,
            int maxMessageBytes,
            LongSupplier wallMillis) {
        this.publishers = publishers;
        this.retain = retain;
        this.admission = admission;
        this.limits = limits;
        this.rules = rules;
        this.maxMessageBytes = maxMessageBytes;
        this.wallMillis = wallMillis;
    }

    @Override
    public CompletableFuture<Outcome> publish(String tenant, Outgoing outgoing) {
        return publish(tenant, outgoing, underWay, this::admitted);
    }

    /** For plugins: only the limits of the node hold. They have the same bound as operators, and do not share it. */
    public MessagePublisher ofPlugins() {
        return (tenant, outgoing) -> publish(tenant, outgoing, underWayOfPlugins, this::withinNode);
    }

    /** @param admitting its result is run when the retain store has the message or will never get it */
    private CompletableFuture<Outcome> publish(
            String tenantName,
            Outgoing outgoing,
            TenantShares counted,
            BiFunction<ClientInfo, Message, CompletableFuture<Runnable>> admitting) {
        Message message = new Message(
                outgoing.topic(),
                outgoing.payload(),
                outgoing.qos(),
                outgoing.retain(),
                wallMillis.getAsLong(),
                outgoing.properties());
        ClientInfo publisher;
        try {
            publisher = new ClientInfo(new TenantId(tenantName), ID, null, "", MQTT_5);
            check(message);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        if (!counted.enter(tenantName, message.heapBytes())) {
            return CompletableFuture.failedFuture(new NotServingException(
                    "too much is being published through this node's API, or by this tenant; try again later"));
        }
        CompletableFuture<Runnable> admitted;
        try {
            admitted = admitting.apply(publisher, message);
        } catch (RuntimeException e) { // a message that fails must not count as under way forever
            admitted = CompletableFuture.failedFuture(e);
        }
        return admitted.thenCompose(retained -> begin(publisher, message, retained)
                        .handle((outcome, failure) ->
                                failure == null ? outcome : DistOutcome.ofFailure(Failures.cause(failure)))
                        .thenApply(OperatorPublisher::outcome))
                .whenComplete((done, failure) -> counted.leave(tenantName, message.heapBytes()))
                .copy(); // a stage that its caller has completed would not run the action
    }

    private CompletableFuture<Runnable> withinNode(ClientInfo publisher, Message message) {
        return limits.allow(message.topic())
                ? CompletableFuture.completedFuture(OperatorPublisher::doNothing)
                : CompletableFuture.failedFuture(
                        new IllegalArgumentException("is over maxTopicLevels or maxTopicBytes"));
    }

    private CompletableFuture<Runnable> admitted(ClientInfo publisher, Message message) {
        return admission.admit(publisher, message).handle((answer, failure) -> {
            if (answer == null) {
                throw new NotServingException("the limits of the tenant are not known now; try again later");
            }
            if (answer instanceof OperatorIntake.Answer.Admitted admitted) {
                return admitted.retained();
            }
            throw answer instanceof OperatorIntake.Answer.Refused refused
                    ? exception(refused)
                    : new WrongFieldException("tenant", "there is no such tenant, or this node has too many tenants");
        });
    }

    private static RuntimeException exception(OperatorIntake.Answer.Refused refused) {
        String limit = refused.by().key() + " of the tenant is " + refused.by().text(refused.most());
        return switch (refused.by()) {
            case MAX_QOS -> new WrongFieldException("qos", "is too high: " + limit);
            case RETAIN -> new WrongFieldException("retain", "is not allowed: " + limit);
            case CHECK_PAYLOAD_FORMAT -> new WrongFieldException("payload", "is not UTF-8: " + limit);
            case MAX_PAYLOAD_BYTES -> new TooLargeException("the payload is too large: " + limit);
            case MAX_PUBLISH_RATE, MAX_TENANT_PUBLISH_RATE, MAX_BANDWIDTH_IN, MAX_TENANT_BANDWIDTH_IN ->
                new TooFastException("published too fast: " + limit, Duration.ofNanos(refused.waitNanos()));
            case MAX_RETAINED_MESSAGES, MAX_RETAINED_BYTES ->
                new LimitReachedException("the tenant may retain no more: " + limit);
            default -> new WrongFieldException("topic", "is over a limit: " + limit);
        };
    }

    /** Throws the exceptions of {@link MessagePublisher#publish}. */
    private void check(Message message) {
        String topic = message.topic();
        int bytes = message.payload().length + topic.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxMessageBytes || message.heapBytes() > 4L * maxMessageBytes) {
            throw new TooLargeException("a message has at most " + maxMessageBytes + " bytes here");
        }
        String wrong = new MessageBounds(maxMessageBytes).wrongWith(message);
        if (wrong != null) { // no packet could carry it to a receiver
            throw new IllegalArgumentException("cannot be sent: " + wrong);
        }
        ReasonCode refusal = ClientTopics.UNCHANGED.refusal(rules, topic);
        if (refusal == ReasonCode.NOT_AUTHORIZED) {
            throw new NotAllowedException("the broker alone publishes to this topic");
        } else if (refusal != null) {
            throw new IllegalArgumentException("is refused: " + refusal);
        }
    }

    /** A delayed message is retained when it is published. */
    private CompletableFuture<DistOutcome> begin(ClientInfo publisher, Message message, Runnable retained) {
        try {
            boolean mustRetain = message.retain() && !rules.isDelayed(message.topic());
            CompletableFuture<Void> stored = mustRetain ? retain.set(publisher.tenant(), message) : DONE;
            return stored.whenComplete((done, failure) -> retained.run())
                    .thenCompose(done -> publishers
                            .apply(publisher) // confined to this message
                            .publish(message, null)
                            .thenApply(OperatorPublisher::partly));
        } catch (RuntimeException e) { // a message that fails must not count as under way forever
            retained.run();
            return CompletableFuture.failedFuture(e);
        }
    }

    /** One receiver's store may have refused the message after others, or the retain store, have stored it. */
    private static DistOutcome partly(DistOutcome outcome) {
        return outcome == DistOutcome.OVERLOADED ? DistOutcome.FAILED : outcome;
    }

    private static Outcome outcome(DistOutcome outcome) {
        return switch (outcome) {
            case DELIVERED -> Outcome.DELIVERED;
            case NO_MATCH -> Outcome.NO_SUBSCRIBERS;
            case OVERLOADED -> Outcome.OVERLOADED;
            case FAILED -> Outcome.NOT_STORED;
        };
    }

    private static void doNothing() {
        // nothing was counted
    }
}
