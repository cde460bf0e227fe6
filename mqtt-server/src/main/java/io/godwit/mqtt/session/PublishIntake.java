package io.godwit.mqtt.session;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.auth.PublishChecks;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes the publishes of one connection in. Confined to its loop.
 *
 * <p>The order of events for one PUBLISH: {@link #onPublish} resolves its alias, {@link #check} asks whether it is allowed, {@link #take}
 * checks it against the Receive Maximum. A QoS 2 message of a persistent
 * session is first committed by the inbox store ({@code receive}), a retained one by the retain store ({@code set}): a subscriber of the
 * next moment then either finds it retained or gets it live. Then it is distributed, for QoS 2 marked so ({@code distributed}), and
 * acknowledged in the order of arrival by the {@link AckQueue}. Since publishes of one connection must not overtake each other
 * [MQTT5-4.6.0-5], whatever arrives while an earlier one waits for its commit waits behind it in {@link #waiting}; without such a wait
 * nothing is queued.
 *
 * <p>Back-pressure: reading pauses while too many messages, or bytes, of this connection or of the loop's share of the node are taken in
 * and not yet stored.
 */
final class PublishIntake {
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);

    private final Session session;
    private final SessionServices services;
    private final Connection connection;
    private final @Nullable InboxAttachment attachment;
    private final boolean isV5;
    private final UnstoredBudget budget;

    /** Null when publishes need not be asked about. */
    private final @Nullable PublishChecks checks;

    private final AckQueue acks = new AckQueue(this::sendAck);
    private @Nullable InboundAliases aliases;
    private @Nullable Map<Integer, Received> received;

    /** Publishes that wait for a commit, theirs or an earlier one's; in the order of arrival. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    /** Those in {@link #waiting} whose retain set has not begun; while there are any, later ones must not begin theirs. */
    private int retainsToBegin;

    private int unstored;
    private long unstoredBytes;
    private boolean isPaused;
    private boolean isPausedByNode;
    /** QoS 1 and 2 publishes that count against the Receive Maximum [MQTT5-3.3.4-7]. */
    private int underWay;

    private boolean isClosed;

    /**
     * @param attachment keeps QoS 2 messages; null to keep packet ids in memory
     * @param receivedBefore QoS 2 packet ids the stored session knows
     */
    PublishIntake(Session session, @Nullable InboxAttachment attachment, int[] receivedBefore) {
        this.session = session;
        this.services = session.services;
        this.connection = session.connection;
        this.attachment = attachment;
        this.isV5 = session.terms.isV5();
        this.budget = services.budgetOf(connection.loop());
        this.checks = services.authorizer.asks(AuthCheck.PUBLISH)
                ? new PublishChecks(connection, services.authorizer, session.client())
                : null;
        for (int packetId : receivedBefore) {
            received().put(packetId, Received.RESUMED);
        }
    }

    void onPublish(Publish publish) {
        if (isClosed || !connection.isOpen()) {
            return; // read before the connection was closed; never acknowledged
        }
        String said = publish.topicAlias() == 0 ? publish.topic() : aliases().resolve(publish);
        services.metrics.publishIn();
        ReasonCode refusal = said.charAt(0) == '$' ? services.topicRules().refusal(said) : null;
        if (refusal != null) {
            if (checks == null || checks.order().isEmpty()) {
                reject(publish, said, refusal);
            } else { // the answers leave in the order of the publishes
                checks.order().add(ALLOWED, decision -> reject(publish, said, refusal));
            }
            return;
        }
        String topic = session.terms.topics().published(said);
        Message message = new Message(
                topic, publish.payload(), publish.qos(), publish.retain(), services.nowMillis(), publish.properties());
        if (checks == null) {
            take(publish.packetId(), message);
        } else {
            check(checks, publish.packetId(), message);
        }
    }

    // ---- whether it is allowed

    private void check(PublishChecks asked, int packetId, Message message) {
        boolean isRepeated = message.qos() == Qos.EXACTLY_ONCE && received().containsKey(packetId);
        CompletableFuture<AuthDecision> answer =
                isRepeated ? ALLOWED : asked.of(message, services.topicRules().subject(message.topic()));
        if (answer.isDone() && asked.order().isEmpty()) {
            checked(packetId, message, answer.join());
            return;
        }
        begin(message);
        asked.order().add(answer, decision -> {
            try {
                checked(packetId, message, decision);
            } finally {
                end(message);
            }
        });
    }

    private void checked(int packetId, Message message, AuthDecision decision) {
        if (decision instanceof AuthDecision.Denied denied) {
            services.authorizer.publishDenied(session.client(), message.topic(), false, denied);
            deny(packetId, message.qos());
        } else if (!isClosed && connection.isOpen()) {
            take(packetId, message);
        } else if (message.qos() == Qos.AT_MOST_ONCE) {
            publishLate(message);
        }
    }

    /** Under 3.1.1 the answer can not say so, but there must be one, or the connection be closed [MQTT311-3.3.5-2]. */
    private void deny(int packetId, Qos qos) {
        if (isClosed) {
            return;
        }
        if (services.authorizer.disconnectsOnDeniedPublish()) {
            connection.disconnect(ReasonCode.NOT_AUTHORIZED, null);
        } else if (qos != Qos.AT_MOST_ONCE) {
            countUnderWay();
            acks.complete(acks.reserve(packetId, qos == Qos.EXACTLY_ONCE), ReasonCode.NOT_AUTHORIZED);
        }
    }

    /** The client sent it and hung up before the answer was there: nobody would send it again. */
    private void publishLate(Message message) {
        begin(message);
        CompletableFuture<?> stored = mustRetain(message)
                ? services.retain.set(session.client().tenant(), message)
                : CompletableFuture.completedFuture(true);
        OnEventLoop.whenComplete(
                connection,
                stored.thenCompose(done -> session.publisher.publish(message, null)),
                (outcome, failure) -> {
                    if (failure != null) {
                        reportRefused(message, String.valueOf(failure.getMessage()));
                    }
                    end(message);
                });
    }

    // ---- taking it in

    private void take(int packetId, Message message) {
        if (message.qos() == Qos.EXACTLY_ONCE) {
            onQos2(packetId, message);
        } else {
            AckQueue.Slot slot = null;
            if (message.qos() == Qos.AT_LEAST_ONCE) {
                countUnderWay();
                slot = acks.reserve(packetId, false);
            }
            if (mustRetain(message) || !waiting.isEmpty()) {
                enqueue(new Waiting(message, slot, 0));
            } else {
                distribute(message, slot, 0, null);
            }
        }
    }

    private void onQos2(int packetId, Message message) {
        Received known = received().get(packetId);
        if (known == Received.DISTRIBUTING) {
            return; // a repetition; the PUBREC of the first one is on its way
        }
        if (known == Received.RECORDED) {
            connection.send(new PubRec(packetId));
            return;
        }
        countUnderWay();
        received().put(packetId, Received.DISTRIBUTING);
        AckQueue.Slot slot = acks.reserve(packetId, true);
        if (attachment != null || mustRetain(message) || !waiting.isEmpty()) {
            enqueue(new Waiting(message, slot, packetId));
        } else {
            distribute(message, slot, packetId, null);
        }
    }

    /** One for later is retained when it is published. */
    private boolean mustRetain(Message message) {
        return message.retain() && !services.topicRules().isDelayed(message.topic());
    }

    /** Does not take a publish that no client may send, at any time. 3.1.1 has no answer for that but to take it and drop it. */
    private void reject(Publish publish, String topic, ReasonCode code) {
        if (isClosed) {
            return;
        }
        services.metrics.publishRefused();
        services.events.onEvent(new BrokerEvent.PublishRefused(session.client(), topic, code.name()));
        int packetId = publish.packetId();
        if (publish.qos() == Qos.EXACTLY_ONCE) {
            Received known = received().get(packetId);
            if (known == null || known == Received.RESUMED) {
                countUnderWay();
                AckQueue.Slot slot = acks.reserve(packetId, true);
                if (!isV5) {
                    received().put(packetId, Received.RECORDED);
                }
                acks.complete(slot, code);
            } else if (known == Received.RECORDED) {
                connection.send(new PubRec(packetId));
            }
        } else if (publish.qos() == Qos.AT_LEAST_ONCE) {
            countUnderWay();
            acks.complete(acks.reserve(packetId, false), code);
        }
    }

    private void countUnderWay() {
        if (++underWay > services.config.receiveMaximum() && isV5) {
            throw new ProtocolException(
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED,
                    "more than " + services.config.receiveMaximum() + " publishes");
        }
    }

    // ---- publishes that need a commit before their distribution

    private void enqueue(Waiting entry) {
        begin(entry.taken);
        waiting.addLast(entry);
        if (mustRetain(entry.taken)) {
            entry.mustBeginRetain = true;
            retainsToBegin++;
        }
        if (attachment != null && entry.packetId != 0) {
            entry.commits++;
            OnEventLoop.whenComplete(
                    connection,
                    attachment.receive(entry.packetId, entry.taken),
                    (inbound, failure) -> received(entry, inbound, failure));
        } else if (entry.mustBeginRetain && retainsToBegin == 1) {
            beginRetain(entry);
        }
        advance();
    }

    private void received(Waiting entry, InboxAttachment.Inbound inbound, @Nullable Throwable failure) {
        if (failure != null) {
            entry.refusal = refusal(entry.taken, failure);
            entry.mustClose = mustCloseAfter(entry.packetId, failure);
        } else if (inbound.isDistributed()) {
            entry.isDistributed = true;
        } else {
            if (inbound.message() != null) {
                entry.message = inbound.message();
            }
            entry.token = new DeliveryToken(inbound.tokenOrigin(), inbound.tokenNumber(), inbound.tokenFinishedBelow());
        }
        committed(entry);
    }

    /** After a time-out a store may have it: at QoS 2 only a new connection can ask again. */
    private static boolean mustCloseAfter(int packetId, Throwable failure) {
        return packetId != 0 && DistOutcome.ofFailure(failure) != DistOutcome.OVERLOADED;
    }

    private void beginRetain(Waiting entry) {
        entry.mustBeginRetain = false;
        retainsToBegin--;
        entry.commits++;
        OnEventLoop.whenComplete(
                connection, services.retain.set(session.client().tenant(), entry.message), (done, failure) -> {
                    if (failure != null) {
                        entry.refusal = refusal(entry.message, failure);
                        entry.mustClose = entry.token != null || mustCloseAfter(entry.packetId, failure);
                    }
                    committed(entry);
                });
    }

    private void committed(Waiting entry) {
        entry.commits--;
        if (isClosed && entry.slot != null) {
            if (entry.commits == 0) {
                end(entry.taken); // close() has taken it out of the queue
            }
            return;
        }
        advance();
    }

    private void advance() {
        for (Waiting head = waiting.peekFirst(); head != null && head.commits == 0; head = waiting.peekFirst()) {
            if (head.mustBeginRetain && head.refusal == null && !head.isDistributed) {
                beginRetain(head);
                continue; // its commit count tells whether it is done already
            }
            if (head.mustBeginRetain) {
                head.mustBeginRetain = false;
                retainsToBegin--;
            }
            waiting.removeFirst();
            leaveQueue(head);
        }
    }

    private void leaveQueue(Waiting entry) {
        ReasonCode refusal = entry.refusal;
        if (refusal != null) {
            end(entry.taken);
            refuse(entry.slot, entry.packetId, refusal, entry.mustClose);
        } else if (entry.isDistributed) {
            end(entry.taken);
            settle(entry.slot, entry.packetId, ReasonCode.SUCCESS);
        } else {
            distribute(entry.message, entry.slot, entry.packetId, entry.token);
            end(entry.taken);
        }
    }

    // ---- distribution and acknowledgement

    private void distribute(
            Message message, AckQueue.@Nullable Slot slot, int packetId, @Nullable DeliveryToken token) {
        var outcome = session.publisher.publish(message, token);
        if (outcome.isDone() && slot == null && outcome.getNow(DistOutcome.FAILED) == DistOutcome.DELIVERED) {
            return; // nobody waits for QoS 0
        }
        if (outcome.isDone()) {
            distributed(message, slot, packetId, token, outcome.getNow(DistOutcome.FAILED));
            return;
        }
        begin(message);
        OnEventLoop.whenComplete(connection, outcome, (value, failure) -> {
            distributed(message, slot, packetId, token, failure == null ? value : DistOutcome.FAILED);
            end(message);
        });
    }

    private void distributed(
            Message message,
            AckQueue.@Nullable Slot slot,
            int packetId,
            @Nullable DeliveryToken token,
            DistOutcome outcome) {
        ReasonCode code = switch (outcome) {
            case DELIVERED -> ReasonCode.SUCCESS;
            case NO_MATCH -> ReasonCode.NO_MATCHING_SUBSCRIBERS;
            case OVERLOADED -> ReasonCode.QUOTA_EXCEEDED;
            case FAILED -> ReasonCode.UNSPECIFIED_ERROR;
        };
        if (code.isError()) {
            if (slot != null) { // what the receivers of QoS 0 miss is reported for each of them, by the dist-worker
                reportRefused(message, outcome.name());
            }
            // some receivers may have it: a QoS 2 message that was refused would be published anew and reach them twice
            refuse(slot, packetId, code, packetId != 0);
            return;
        }
        if (token == null || attachment == null) {
            settle(slot, packetId, code);
            return;
        }
        // also when the connection is closed by now: else the next one would have it distributed again
        begin(message);
        OnEventLoop.whenComplete(connection, attachment.distributed(packetId, token.number()), (done, failure) -> {
            if (failure == null) {
                settle(slot, packetId, code);
            } else if (!isClosed) {
                refuse(slot, packetId, refusal(message, failure), true);
            }
            end(message);
        });
    }

    private void settle(AckQueue.@Nullable Slot slot, int packetId, ReasonCode code) {
        if (isClosed || slot == null) {
            return;
        }
        if (packetId != 0) {
            received().put(packetId, Received.RECORDED);
        }
        acks.complete(slot, code);
    }

    /**
     * Refuses a publish that could not be stored. Under 3.1.1 no acknowledgement can say so: the connection is closed and the client will
     * repeat it.
     *
     * @param mustClose whether the message may have got somewhere, so that an answer that ends its QoS 2 flow would be wrong: with the connection
     *     the client keeps the message as one that it has sent
     */
    private void refuse(AckQueue.@Nullable Slot slot, int packetId, ReasonCode code, boolean mustClose) {
        if (isClosed || slot == null) {
            return;
        }
        if (mustClose || !isV5) {
            connection.disconnect(code, "a publish could not be stored");
            return;
        }
        if (packetId != 0) {
            received().remove(packetId);
        }
        acks.complete(slot, code);
    }

    private void sendAck(int packetId, boolean isQos2, ReasonCode code) {
        if (!isQos2 || code.isError()) {
            underWay--;
        }
        ReasonCode said = isV5 ? code : ReasonCode.SUCCESS;
        connection.send(isQos2 ? new PubRec(packetId, said) : new PubAck(packetId, said));
    }

    private ReasonCode refusal(Message message, Throwable failure) {
        reportRefused(message, String.valueOf(failure.getMessage()));
        return DistOutcome.ofFailure(failure) == DistOutcome.OVERLOADED
                ? ReasonCode.QUOTA_EXCEEDED
                : ReasonCode.UNSPECIFIED_ERROR;
    }

    private void reportRefused(Message message, String cause) {
        services.metrics.publishRefused();
        services.events.onEvent(new BrokerEvent.PublishRefused(session.client(), message.topic(), cause));
    }

    void onPubRel(PubRel rel) {
        int packetId = rel.packetId();
        Received known = received().get(packetId);
        if (known == Received.DISTRIBUTING) {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "PUBREL before PUBREC, packet id " + packetId);
        }
        if (known == null) {
            connection.send(new PubComp(packetId, isV5 ? ReasonCode.PACKET_IDENTIFIER_NOT_FOUND : ReasonCode.SUCCESS));
            return;
        }
        if (attachment == null) {
            completed(packetId);
            return;
        }
        OnEventLoop.whenComplete(connection, attachment.release(packetId), (wasKnown, failure) -> {
            if (isClosed) {
                return;
            }
            if (failure == null) {
                completed(packetId);
            } else {
                connection.disconnect(ReasonCode.UNSPECIFIED_ERROR, "a PUBREL could not be stored");
            }
        });
    }

    private void completed(int packetId) {
        if (received().remove(packetId) == Received.RECORDED) {
            underWay--;
        }
        connection.send(new PubComp(packetId));
    }

    // ---- back-pressure

    /** A message is held until {@link #end}; may nest for one message. */
    private void begin(Message message) {
        long bytes = bytesOf(message);
        unstored++;
        unstoredBytes += bytes;
        budget.add(bytes);
        if (!isPaused
                && (unstored >= services.config.receiveMaximum()
                        || unstoredBytes >= services.config.maxUnstoredBytes())) {
            isPaused = true;
            connection.pauseReading(Connection.Pause.UNACKNOWLEDGED);
        }
        if (!isPausedByNode && budget.isExceeded()) {
            isPausedByNode = true;
            connection.pauseReading(Connection.Pause.NODE_BUDGET);
            budget.pause(() -> {
                isPausedByNode = false;
                connection.resumeReading(Connection.Pause.NODE_BUDGET);
            });
        }
    }

    private void end(Message message) {
        long bytes = bytesOf(message);
        unstored--;
        unstoredBytes -= bytes;
        budget.subtract(bytes);
        if (isPaused
                && unstored <= services.config.receiveMaximum() / 2
                && unstoredBytes <= services.config.maxUnstoredBytes() / 2) {
            isPaused = false;
            connection.resumeReading(Connection.Pause.UNACKNOWLEDGED);
        }
        if (unstored == 0) {
            session.intakeQuiet();
        }
    }

    private static long bytesOf(Message message) {
        return message.payload().length + message.topic().length() + 128L;
    }

    /** Whether no publish is under way. */
    boolean isQuiet() {
        return unstored == 0;
    }

    /**
     * The connection is over. What is to be acknowledged and has not begun to be distributed is forgotten: its client has no acknowledgement and
     * sends it again. QoS 0 goes on its way, since nobody would send that again.
     */
    void close() {
        isClosed = true;
        List<Waiting> unacknowledged =
                waiting.stream().filter(entry -> entry.slot != null).toList();
        waiting.removeAll(unacknowledged);
        for (Waiting entry : unacknowledged) {
            if (entry.mustBeginRetain) {
                entry.mustBeginRetain = false;
                retainsToBegin--;
            }
            if (entry.commits == 0) {
                end(entry.taken);
            }
        }
        advance();
    }

    private InboundAliases aliases() {
        if (aliases == null) {
            aliases = new InboundAliases(isV5 ? services.config.topicAliasMaximum() : 0);
        }
        return aliases;
    }

    private Map<Integer, Received> received() {
        if (received == null) {
            received = new HashMap<>();
        }
        return received;
    }

    /** State of an inbound QoS 2 packet id. */
    private enum Received {
        /** Known from before this connection; the store knows how far it is. */
        RESUMED,
        /** Taken in, PUBREC not yet sent. */
        DISTRIBUTING,
        /** PUBREC sent, PUBREL awaited. */
        RECORDED
    }

    /** A publish that waits. */
    private static final class Waiting {
        private final Message taken;
        /** What to distribute: for a repeated QoS 2 message the one committed first. */
        private Message message;

        private final AckQueue.@Nullable Slot slot;
        /** 0 unless QoS 2. */
        private final int packetId;

        /** Commits under way. */
        private int commits;

        private boolean mustBeginRetain;
        private boolean isDistributed;
        private boolean mustClose;
        private @Nullable DeliveryToken token;
        private @Nullable ReasonCode refusal;

        private Waiting(Message message, AckQueue.@Nullable Slot slot, int packetId) {
            this.taken = message;
            this.message = message;
            this.slot = slot;
            this.packetId = packetId;
        }
    }
}
