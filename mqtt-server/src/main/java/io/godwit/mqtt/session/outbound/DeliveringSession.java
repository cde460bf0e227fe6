package io.godwit.mqtt.session.outbound;

import io.godwit.dist.client.Delivery;
import io.godwit.mqtt.client.AckPace;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a session: sends messages to its client, within its window, and knows which of them are under way.
 * Reports a client that reads too slowly. Where the messages come from is the matter of {@code QueueingSession} and
 * {@code PersistentSession}. Confined to the connection's event loop.
 *
 * <p>It is a base class of {@code Session} and not an object of its own, because it would be one more object per
 * connection.
 */
public abstract class DeliveringSession extends SessionCore {
    /** A socket is full for a moment in any burst; one that stays full this long belongs to a slow client. */
    private static final int STUCK_SECONDS = 3;

    private static final long[] NO_SEQUENCES = {};

    // null until the first use: an idle session has none of them
    private @Nullable Inflight inflight;
    private @Nullable OutboundAliases outboundAliases;

    /** Set while the client reads too slowly. */
    private @Nullable SlowSpell slow;
    /** Seconds for which the client's socket has accepted nothing, up to {@link #STUCK_SECONDS}. */
    private byte stuckSeconds;

    protected DeliveringSession(Connection connection, SessionServices services, SessionTerms terms) {
        super(connection, services, terms);
    }

    // ---- under way

    /** Outbound QoS 1 and 2 messages under way. */
    protected final Inflight inflight() {
        Inflight present = inflight;
        if (present == null) {
            present = new Inflight(services.queuedBytes, counts());
            inflight = present;
        }
        return present;
    }

    /** Sequences of the messages in {@link #inflight}, in no order. */
    protected final long[] sequencesUnderWay() {
        return inflight == null ? NO_SEQUENCES : inflight.sequences();
    }

    /** Messages of shared subscriptions under way, in the order in which they were sent. */
    protected final List<Delivery> takeHeldForOthers() {
        return inflight == null ? List.of() : inflight.takeHeld();
    }

    /** State of the outbound message with this packet id: one of the constants of {@link Inflight}. */
    protected final byte stateOf(int packetId) {
        return inflight == null ? Inflight.NONE : inflight.state(packetId);
    }

    /** Number of outbound QoS 1 and 2 messages under way. */
    protected final int outboundUnderWay() {
        return inflight == null ? 0 : inflight.size();
    }

    /** How long the client takes to acknowledge; null before the first message that needs it. */
    public final @Nullable AckPace ackPace() {
        return inflight == null ? null : inflight.times().pace(services.nowMillis());
    }

    /** The connection is over. */
    protected final void closeInflight() {
        if (inflight != null) {
            inflight.close();
            inflight = null; // a list of matches may reference the session a while longer
        }
    }

    // ---- sending

    /** Whether one more QoS 1 or 2 message may be sent now. */
    protected final boolean hasWindow() {
        return (inflight == null
                        || inflight.size() < terms.sendWindow()
                                && inflight.mayHoldMore(policy().number(TenantSetting.MAX_QUEUED_BYTES)))
                && connection.isWritable();
    }

    /**
     * Sends one delivery.
     *
     * @param ids subscription identifiers, empty when none
     * @param packetId 0 at QoS 0
     * @return false when it is not sent: the topic is outside the client's mount point, or the packet is too large
     *     for the client, which counts as a drop [MQTT5-3.1.2-25]
     */
    protected final boolean sendPublish(
            Message message, Qos qos, boolean retain, int[] ids, int packetId, boolean dup) {
        String topic = terms.topics().delivered(message.topic());
        if (topic == null) {
            return false;
        }
        int alias = 0;
        boolean isNewAlias = false;
        MessageProperties properties = message.properties();
        if (terms.isV5()) {
            properties = withRemainingExpiry(message);
            OutboundAliases aliases = outboundAliases();
            if (aliases != null) {
                alias = aliases.known(topic);
                isNewAlias = alias == 0;
                if (isNewAlias) {
                    alias = aliases.next();
                } else {
                    topic = "";
                }
            }
        }
        boolean isSent = connection.send(
                new Publish(packetId, dup, qos, retain, topic, alias, message.payload(), properties, ids));
        if (!isSent) {
            dropped(message, DropReason.PACKET_TOO_LARGE);
            return false;
        }
        if (isNewAlias && outboundAliases != null) {
            outboundAliases.announced(topic, alias);
        }
        counted(message, qos, retain, packetId, dup);
        return true;
    }

    /** A message that needs an answer was sent to the client. */
    protected final void awaitsAnswer(int packetId, Message message) {
        inflight().times().sent(packetId, Math.max(message.receivedAtMillis(), waitsSinceMillis()));
    }

    /**
     * A copy was handed to the connection.
     *
     * @param isRetained whether its RETAIN flag is set: it may be older than the subscription
     * @param packetId 0 at QoS 0
     * @param isRepeated whether it was sent before
     */
    protected final void counted(Message message, Qos qos, boolean isRetained, int packetId, boolean isRepeated) {
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.sent(client(), message, qos, packetId, isRepeated);
        }
        services.reports.delivered(client(), message, qos, isRetained);
        services.traffic.of(connection.loop()).sent(client(), message);
        account.delivered(message.payload().length);
        if (isRetained) {
            services.metrics.messages().retainedOut();
        } else if (!isRepeated) {
            services.outLatency.sent(connection.loop(), message, qos, waitsSinceMillis());
        }
    }

    /** A copy must wait for the client. */
    protected final void queued(Message message, Qos qos) {
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.queued(client(), message, qos);
        }
    }

    /** The client has completed the exchange of a copy under way. */
    protected final void acknowledged(int packetId, ReasonCode code) {
        counts().acknowledge();
        AckTimes times = inflight().times();
        if (times.isTimed(packetId)) {
            times.answered(services.nowMillis());
        }
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.acknowledged(client(), packetId, code);
        }
        services.reports.acknowledged(client(), packetId, code);
    }

    /** Messages that arrived before this time had to wait for the client. Wall clock. */
    protected long waitsSinceMillis() {
        return Long.MIN_VALUE; // such a session begins with its connection
    }

    /** Whether this session's frames can be shared with other sessions, except for the packet id. */
    protected final boolean takesSharedFrames() {
        return terms.topicAliasMaximum() == 0 && !terms.topics().isMounted();
    }

    @SuppressWarnings(
            "NullAway") // the Java 17 compiler does not see "byte @Nullable []" in another module's class file
    private MessageProperties withRemainingExpiry(Message message) {
        MessageProperties p = message.properties();
        if (p.messageExpirySeconds() < 0) {
            return p;
        }
        return new MessageProperties(
                p.payloadFormat(),
                message.remainingExpirySeconds(services.nowMillis()),
                p.contentType(),
                p.responseTopic(),
                p.correlationData(),
                p.userProperties());
    }

    private @Nullable OutboundAliases outboundAliases() {
        if (outboundAliases == null && terms.topicAliasMaximum() > 0) {
            outboundAliases = new OutboundAliases(terms.topicAliasMaximum());
        }
        return outboundAliases;
    }

    protected final void dropped(Message message, DropReason reason) {
        services.reports.dropped(client(), message.topic(), reason);
        account.dropped();
        if (reason.isSlowConsumers() && !isClosed() && !connection.isOverBandwidth()) {
            spell().dropped();
        }
    }

    /** Why a QoS 0 message is dropped while the connection is not writable. */
    protected final DropReason unwritable() {
        return connection.isOverBandwidth() ? DropReason.BANDWIDTH : DropReason.SLOW_CONSUMER;
    }

    // ---- a client that reads too slowly: reported at its beginning and end

    private SlowSpell spell() {
        SlowSpell present = slow;
        if (present == null) {
            present = new SlowSpell();
            slow = present;
            connection.needTicks();
            services.reports.slowConsumerBegan(client());
        }
        return present;
    }

    /** A second has passed; see {@link io.godwit.mqtt.transport.connection.PacketHandler#onTick}. */
    public final boolean onTick() {
        boolean isStuck = !connection.isWritable() && !connection.isOverBandwidth();
        stuckSeconds = isStuck ? (byte) Math.min(STUCK_SECONDS, stuckSeconds + 1) : 0;
        if (slow != null || stuckSeconds == STUCK_SECONDS) {
            watchPace(spell(), isStuck);
        }
        boolean isWatching = tick();
        return isWatching || slow != null || !connection.isWritable();
    }

    private void watchPace(SlowSpell spell, boolean isStuck) {
        long timeoutSeconds = policy().number(TenantSetting.SLOW_CONSUMER_TIMEOUT_SECONDS);
        if (!spell.goesOn(isStuck)) {
            endSlow();
        } else if (timeoutSeconds > 0 && spell.seconds() >= timeoutSeconds) {
            connection.disconnect(
                    ReasonCode.QUOTA_EXCEEDED, DisconnectCause.SLOW_CONSUMER, "the client reads too slowly");
        }
    }

    /** The client does not read too slowly any longer, or has gone. */
    protected final void endSlow() {
        SlowSpell ended = slow;
        if (ended != null) {
            slow = null;
            services.reports.slowConsumerEnded(client(), ended.droppedMessages(), ended.seconds());
        }
    }

    /**
     * A second has passed.
     *
     * @return whether the next tick matters
     */
    protected abstract boolean tick();
}
