package io.godwit.mqtt.session.inbound;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.auth.InOrder;
import io.godwit.mqtt.auth.PublishChecks;
import io.godwit.mqtt.intercept.ChangeRules;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.MessageBounds;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts the publishes of one connection. Confined to its loop.
 *
 * <p>The steps for one PUBLISH: {@link #onPublish} resolves its alias, {@link #ask} asks for authorization and passes
 * it to interceptors, {@link #take} reserves its acknowledgement ({@link InboundAcks}). A publish that a store must
 * commit first waits in the {@link CommitQueue}, and later publishes wait after it; without such a wait nothing is
 * queued. Then it is distributed ({@link Distribution}) and acknowledged. {@link Unstored} applies back-pressure.
 */
public final class PublishIntake {
    private static final Logger LOG = LoggerFactory.getLogger(PublishIntake.class);
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    private static final byte[] NO_PAYLOAD = {};

    private final SessionCore session;
    private final SessionServices services;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;

    /** Null when publishes need no authorization. */
    private final @Nullable PublishChecks checks;

    /** Null without interceptors, like {@link #changes}. */
    private final @Nullable InterceptorChain interceptors;

    private final @Nullable ChangeRules changes;

    /** Handles publishes in their order; null when neither authorization nor interceptors apply. */
    private final @Nullable InOrder turns;

    private final InboundAcks acks;
    private final Unstored unstored;
    private final Distribution distribution;
    private final CommitQueue commits;
    private @Nullable InboundAliases aliases;

    /** The time of the read being handled; 0 outside one. One clock call per read is enough. */
    private long readAtMillis;

    /**
     * @param attachment keeps QoS 2 messages; null to keep packet ids in memory
     * @param receivedBefore QoS 2 packet ids that the stored session knows
     */
    public PublishIntake(SessionCore session, @Nullable InboxAttachment attachment, int[] receivedBefore) {
        this.session = session;
        this.services = session.services;
        this.connection = session.connection;
        this.attachment = attachment;
        this.checks = services.authorizer.asks(AuthCheck.PUBLISH)
                ? new PublishChecks(connection, services.authorizer, session.client())
                : null;
        this.interceptors = services.interceptors.publish();
        this.changes = interceptors == null
                ? null
                : new MessageBounds(connection.maxPacketBytes())
                        .ofPublish(services.config.limits(), services.topicRules());
        this.turns = checks != null ? checks.order() : interceptors != null ? new InOrder(connection) : null;
        this.acks = new InboundAcks(session, attachment, receivedBefore);
        this.unstored = new Unstored(session);
        this.distribution = new Distribution(session, attachment, acks, unstored);
        this.commits = new CommitQueue(session, attachment, acks, unstored, distribution);
    }

    public void onPublish(Publish publish) {
        if (session.isClosed() || !connection.isOpen()) {
            services.metrics.traffic().packetsIgnored(1); // read before the connection closed; never acknowledged
            return;
        }
        if (publish.qos() == Qos.EXACTLY_ONCE && acks.isReleasing(publish.packetId())) { // [MQTT5-4.3.3-6]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "PUBLISH after PUBREL, packet id " + publish.packetId());
        }
        String said = publish.topicAlias() == 0 ? publish.topic() : aliases().resolve(publish);
        services.reports.publishReceived(
                session.client(), said, publish.qos(), publish.retain(), publish.payload().length);
        PublishRefusal refusal = refusal(publish, said);
        if (refusal != null) {
            if (turns == null || turns.isEmpty()) {
                reject(publish.packetId(), publish.qos(), said, refusal);
            } else { // answers must leave in the order of the publishes
                rejectInTurn(turns, publish.packetId(), publish.qos(), said, refusal);
            }
            return;
        }
        String topic = session.terms.topics().published(said);
        if (readAtMillis == 0) {
            readAtMillis = services.nowMillis();
        }
        Message message = new Message(
                topic, publish.payload(), publish.qos(), publish.retain(), readAtMillis, publish.properties());
        services.traffic.of(connection.loop()).received(session.client(), message);
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.published(session.client(), message, publish.packetId());
        }
        if (turns == null) {
            take(publish.packetId(), message.qos(), message);
        } else {
            ask(turns, publish.packetId(), message);
        }
    }

    /** All packets of a read are handled. */
    public void onReadComplete() {
        readAtMillis = 0;
    }

    /** Why the publish is refused without asking for authorization; null when it is not. */
    private @Nullable PublishRefusal refusal(Publish publish, String topic) {
        if (isRepeated(publish)) {
            return null;
        }
        TenantPolicy policy = session.policy();
        if (!policy.allows(topic)) {
            return PublishRefusal.TOPIC_LIMIT;
        }
        ReasonCode ofTenant = policy.refusal(
                publish.qos(),
                publish.retain(),
                publish.payload(),
                publish.properties().payloadFormat());
        if (ofTenant != null) {
            return PublishRefusal.ofPolicy(ofTenant);
        }
        if (connection.loop().isMemoryShort() && mustSpareMemory(publish)) {
            return PublishRefusal.MEMORY_SHORT;
        }
        ReasonCode byRule = session.terms.topics().refusal(services.topicRules(), topic);
        return byRule == null ? null : new PublishRefusal(byRule, PublishRefusalCause.TOPIC_NOT_ALLOWED);
    }

    /** A QoS 2 exchange that has begun is finished, whatever has changed since. */
    private boolean isRepeated(Publish publish) {
        return publish.qos() == Qos.EXACTLY_ONCE && acks.stateOf(publish.packetId()) != null;
    }

    /**
     * Whether to refuse a publish because memory is short. A QoS 2 exchange that has begun is finished. A 3.1.1 client
     * can only be stopped from sending more: packets already read are accepted.
     */
    private boolean mustSpareMemory(Publish publish) {
        if (publish.qos() == Qos.AT_MOST_ONCE) {
            return true;
        }
        if (!session.terms.isV5()) {
            connection.pauseReading(Connection.Pause.MEMORY);
            return false;
        }
        return true;
    }

    /** Keeps no payload while the refusal waits its turn, and slows the client down like other waiting publishes. */
    private void rejectInTurn(InOrder order, int packetId, Qos qos, String topic, PublishRefusal why) {
        Message kept = new Message(topic, NO_PAYLOAD, qos, false, 0, MessageProperties.NONE);
        unstored.begin(kept);
        order.add(ALLOWED, decision -> {
            try {
                reject(packetId, qos, topic, why);
            } finally {
                unstored.end(kept);
            }
        });
    }

    /**
     * Refuses the publish. 3.1.1 has no answer for that: a topic over a limit ends the connection; a topic forbidden by
     * a rule is acknowledged and dropped. A publish that CONNACK ruled out also ends a 5.0 connection [MQTT5-3.2.2-11],
     * [MQTT5-3.2.2-14].
     */
    private void reject(int packetId, Qos qos, String topic, PublishRefusal why) {
        if (session.isClosed()) {
            return;
        }
        ReasonCode code = why.code();
        services.reports.publishRefused(session.client(), topic, why.cause(), code.name());
        if (code == ReasonCode.QOS_NOT_SUPPORTED || code == ReasonCode.RETAIN_NOT_SUPPORTED) {
            connection.disconnect(
                    code, DisconnectCause.REQUEST_REFUSED, "the tenant does not allow this QoS or RETAIN flag");
        } else if (!session.terms.isV5() && !session.policy().allows(topic)) {
            connection.disconnect(code, DisconnectCause.REQUEST_REFUSED, "a topic is over the limit");
        } else {
            acks.reject(packetId, qos, code);
        }
    }

    // ---- authorization and interceptors

    /** The result of authorization and interceptors for a publish. */
    private sealed interface Verdict {
        /** The publish repeats one that was already authorized. */
        record Repeated() implements Verdict {}

        record Denied(AuthDecision.Denied decision) implements Verdict {}

        record Allowed(Intercepted outcome) implements Verdict {}
    }

    private void ask(InOrder order, int packetId, Message message) {
        if (message.qos() == Qos.EXACTLY_ONCE && acks.stateOf(packetId) != null) {
            whenJudged(order, packetId, message, CompletableFuture.completedFuture(new Verdict.Repeated()));
            return;
        }
        CompletableFuture<AuthDecision> allowed = checks == null
                ? ALLOWED
                : checks.of(message, services.topicRules().subject(message.topic()), session.grant());
        if (allowed.isDone() && order.isEmpty() && interceptors == null) { // the usual case
            judged(packetId, message, passed(message, allowed.join()));
            return;
        }
        whenJudged(
                order,
                packetId,
                message,
                allowed.thenCompose(decision -> intercepted(message, decision)).exceptionally(PublishIntake::failed));
    }

    private void whenJudged(InOrder order, int packetId, Message message, CompletableFuture<Verdict> verdict) {
        if (verdict.isDone() && order.isEmpty()) {
            judged(packetId, message, verdict.join());
            return;
        }
        unstored.begin(message);
        order.add(verdict, known -> {
            try {
                judged(packetId, message, known);
            } finally {
                unstored.end(message);
            }
        });
    }

    private static Verdict passed(Message message, AuthDecision decision) {
        return decision instanceof AuthDecision.Denied denied
                ? new Verdict.Denied(denied)
                : new Verdict.Allowed(new Intercepted.Passed(message));
    }

    /** Any thread. */
    private CompletableFuture<Verdict> intercepted(Message message, AuthDecision decision) {
        if (decision instanceof AuthDecision.Denied || interceptors == null || changes == null) {
            return CompletableFuture.completedFuture(passed(message, decision));
        }
        return interceptors.run(session.client(), message, changes).thenApply(Verdict.Allowed::new);
    }

    /** Without this, a bug would keep the bytes of the message in the node's budget for ever. */
    private static Verdict failed(Throwable failure) {
        LOG.error("checking a publish failed, it is refused", failure);
        return new Verdict.Allowed(new Intercepted.Failed("", "the check failed: " + failure, true));
    }

    private void judged(int packetId, Message message, Verdict verdict) {
        if (verdict instanceof Verdict.Denied denied) {
            services.authorizer.publishDenied(session.client(), message.topic(), false, denied.decision());
            deny(packetId, message.qos());
        } else if (verdict instanceof Verdict.Allowed allowed) {
            intercepted(packetId, message, allowed.outcome());
        } else if (isRepeatedStill(packetId)) {
            take(packetId, message.qos(), message);
        }
    }

    /** If the PUBREL has come since, the publish would count as a new message that nobody has authorized. */
    private boolean isRepeatedStill(int packetId) {
        return !session.isClosed()
                && connection.isOpen()
                && acks.stateOf(packetId) != null
                && !acks.isReleasing(packetId);
    }

    private void intercepted(int packetId, Message message, Intercepted outcome) {
        if (outcome instanceof Intercepted.Passed passed) {
            if (!session.isClosed() && connection.isOpen()) {
                take(packetId, message.qos(), passed.message());
            } else if (message.qos() == Qos.AT_MOST_ONCE && !isLateOverQuota(passed.message())) {
                distribution.distributeLate(passed.message(), session.mustRetain(passed.message()));
            }
        } else if (outcome instanceof Intercepted.Dropped dropped) {
            services.reports.publishIntercepted(session.client(), message.topic(), dropped.plugin(), dropped.detail());
            end(packetId, message.qos(), ReasonCode.NO_MATCHING_SUBSCRIBERS);
        } else if (outcome instanceof Intercepted.Failed failed) {
            services.reports.publishRefused(
                    session.client(), message.topic(), PublishRefusalCause.INTERCEPTOR_FAILED, failed.detail());
            end(packetId, message.qos(), ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        }
    }

    /** Answers a publish that is not distributed, so that its client does not send it again, except after an error. */
    private void end(int packetId, Qos qos, ReasonCode code) {
        if (qos == Qos.AT_MOST_ONCE || session.isClosed() || !connection.isOpen()) {
            return;
        }
        InboundAcks.Received known = qos == Qos.EXACTLY_ONCE ? acks.stateOf(packetId) : null;
        if (known != null && known != InboundAcks.Received.RESUMED) {
            acks.reject(packetId, qos, code); // a repetition: gets the same answer as the first one
            return;
        }
        AckQueue.Slot slot = acks.open(packetId, qos);
        int kept = qos == Qos.EXACTLY_ONCE ? packetId : 0;
        if (code.isError()) {
            acks.refuse(slot, kept, code, false);
        } else {
            acks.settle(slot, kept, code);
        }
    }

    /** A 3.1.1 answer cannot say so, but there must be one, or the connection must be closed [MQTT311-3.3.5-2]. */
    private void deny(int packetId, Qos qos) {
        if (session.isClosed()) {
            return;
        }
        if (services.authorizer.disconnectsOnDeniedPublish()) {
            connection.disconnect(ReasonCode.NOT_AUTHORIZED, DisconnectCause.NOT_AUTHORIZED, null);
        } else {
            acks.reject(packetId, qos, ReasonCode.NOT_AUTHORIZED);
        }
    }

    // ---- acceptance

    /** @param published the QoS of its PUBLISH, which decides how it is acknowledged */
    private void take(int packetId, Qos published, Message message) {
        boolean isNew = published != Qos.EXACTLY_ONCE || acks.stateOf(packetId) == null;
        boolean isCounted = isNew && isLimited(message);
        if (isCounted && published != Qos.AT_MOST_ONCE) {
            acks.requireRoom(); // it may throw, and then nothing would undo the count
        }
        if (isCounted && isOverQuota(message)) {
            acks.reject(packetId, published, ReasonCode.QUOTA_EXCEEDED);
            return;
        }
        if (published == Qos.EXACTLY_ONCE) {
            takeQos2(packetId, message, isCounted);
            return;
        }
        AckQueue.Slot slot = published == Qos.AT_LEAST_ONCE ? acks.open(packetId, published) : null;
        boolean mustRetain = session.mustRetain(message);
        if (mustRetain || !commits.isEmpty()) {
            commits.add(message, slot, 0, mustRetain, isCounted, false);
        } else {
            distribution.distribute(message, slot, 0, null);
        }
    }

    private void takeQos2(int packetId, Message message, boolean isCounted) {
        InboundAcks.Received known = acks.stateOf(packetId);
        if (known == InboundAcks.Received.DISTRIBUTING) {
            return; // a repetition; the PUBREC of the first one is on its way
        }
        if (known == InboundAcks.Received.RECORDED) {
            connection.send(new PubRec(packetId));
            return;
        }
        AckQueue.Slot slot = acks.open(packetId, Qos.EXACTLY_ONCE);
        // for a resumed id the stored message decides, which is only known when the store answers
        boolean mustRetain = known == InboundAcks.Received.RESUMED || session.mustRetain(message);
        if (attachment != null || mustRetain || !commits.isEmpty()) {
            commits.add(message, slot, packetId, mustRetain, isCounted, known == InboundAcks.Received.RESUMED);
        } else {
            distribution.distribute(message, slot, packetId, null);
        }
    }

    /** Whether the message is to be retained for a tenant with a limit on retained messages. */
    private boolean isLimited(Message message) {
        return message.retain()
                && message.payload().length > 0
                && session.account.limitsRetained()
                && session.mustRetain(message);
    }

    /** Whether the message exceeds the tenant's quota of retained messages; if not, it is counted from now on. */
    private boolean isOverQuota(Message message) {
        TenantAccount account = session.account;
        TenantResource over = account.retaining(message.topic(), message.payload().length);
        if (over != null) {
            services.reports.tenantLimitReached(session.client(), over, account.most(over));
            services.reports.publishRefused(
                    session.client(),
                    message.topic(),
                    PublishRefusalCause.TENANT_LIMIT,
                    ReasonCode.QUOTA_EXCEEDED.name());
        }
        return over != null;
    }

    /** The same for a message that is not counted, because its connection is over. */
    private boolean isLateOverQuota(Message message) {
        if (!isLimited(message)) {
            return false;
        }
        boolean isOver = isOverQuota(message);
        if (!isOver) {
            session.account.retained(message.payload().length);
        }
        return isOver;
    }

    public void onPubRel(PubRel rel) {
        acks.onPubRel(rel);
    }

    /** QoS 1 and 2 publishes whose handshake is not complete. */
    public int underWay() {
        return acks.underWay();
    }

    /** Whether no publish is under way. */
    public boolean isQuiet() {
        return unstored.isEmpty();
    }

    /**
     * The connection is over. Drops publishes that need an acknowledgement and are not being distributed yet; those
     * being distributed are not sent to a next leader. The client got no acknowledgement and sends them again. QoS 0
     * publishes continue, since nobody would send them again.
     */
    public void close() {
        session.publisher.end();
        commits.close();
        acks.close();
    }

    private InboundAliases aliases() {
        if (aliases == null) {
            aliases = new InboundAliases(
                    session.terms.isV5() ? (int) session.agreed.number(TenantSetting.TOPIC_ALIAS_MAXIMUM) : 0);
        }
        return aliases;
    }
}
