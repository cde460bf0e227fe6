package io.godwit.mqtt.transport.report;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.MemoryKind;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.event.SubscribeRefusalCause;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports everything in the frontend that an operator may want to know: each method counts it and raises the event if
 * there is a listener. The event object is made only then. Any thread.
 */
public final class MqttReports {
    private final MqttMetrics metrics;
    private final ConnectMetrics connects;
    private final TrafficMetrics traffic;
    private final MessageMetrics messages;
    private final SessionMetrics sessions;
    private final NodeMetrics node;
    private final EventListener events;
    private final Tracing tracing;

    /** Without traces. */
    public MqttReports(MqttMetrics metrics, EventListener events) {
        this(metrics, events, new Tracing());
    }

    public MqttReports(MqttMetrics metrics, EventListener events, Tracing tracing) {
        this.metrics = metrics;
        this.connects = metrics.connects();
        this.traffic = metrics.traffic();
        this.messages = metrics.messages();
        this.sessions = metrics.sessions();
        this.node = metrics.node();
        this.events = events;
        this.tracing = tracing;
    }

    /** The traces of clients and messages. */
    public Tracing tracing() {
        return tracing;
    }

    /** Counters without an event. */
    public MqttMetrics metrics() {
        return metrics;
    }

    // ---- connections

    public void connectionRefused(String listener, SocketAddress remote, ConnectionLimit limit) {
        connects.refusedConnections.increment(limit);
        if (events.isListening(BrokerEvent.ConnectionRefused.class)) {
            events.onEvent(new BrokerEvent.ConnectionRefused(listener, text(remote), limit));
        }
    }

    public void connectRefused(Connection connection, String reason, @Nullable String detail) {
        connects.refusedConnects.increment();
        if (events.isListening(BrokerEvent.ConnectRefused.class)) {
            events.onEvent(new BrokerEvent.ConnectRefused(connection.remoteAddress(), reason, detail));
        }
    }

    /** A client that may connect is redirected to another server. */
    public void redirected(ClientInfo client, String serverReference, boolean isMoved) {
        (isMoved ? connects.redirectsForGood : connects.redirectsForNow).increment();
        if (events.isListening(BrokerEvent.ClientRedirected.class)) {
            events.onEvent(new BrokerEvent.ClientRedirected(client, serverReference, isMoved));
        }
    }

    /** A client was refused because its tenant has reached a limit. */
    public void tenantLimitReached(ClientInfo client, TenantResource resource, long most) {
        sessions.tenantRefusals.increment(resource);
        if (events.isListening(BrokerEvent.TenantLimitReached.class)) {
            events.onEvent(new BrokerEvent.TenantLimitReached(client, resource, most));
        }
    }

    /** The connection is closed, because no CONNECT has come in time. */
    public void connectTimedOut(Connection connection) {
        connects.connectsTimedOut.increment();
        if (events.isListening(BrokerEvent.ConnectTimedOut.class)) {
            events.onEvent(new BrokerEvent.ConnectTimedOut(connection.remoteAddress()));
        }
    }

    /** The peer has ended the connection before a CONNECT of it was answered. */
    public void connectAbandoned(Connection connection, ConnectProgress progress) {
        connects.abandonedConnects.increment(progress);
        if (events.isListening(BrokerEvent.ConnectAbandoned.class)) {
            events.onEvent(new BrokerEvent.ConnectAbandoned(connection.remoteAddress(), progress));
        }
    }

    public void protocolViolated(Connection connection, String detail) {
        connects.protocolErrors.increment();
        if (events.isListening(BrokerEvent.ProtocolViolated.class)) {
            events.onEvent(new BrokerEvent.ProtocolViolated(connection.remoteAddress(), detail));
        }
    }

    public void connected(ClientInfo client, boolean sessionPresent) {
        connects.connects.increment();
        if (sessionPresent) {
            sessions.resumedSessions.increment();
        }
        if (events.isListening(BrokerEvent.ClientConnected.class)) {
            events.onEvent(new BrokerEvent.ClientConnected(client, sessionPresent));
        }
    }

    public void disconnected(ClientInfo client, DisconnectCause cause, String detail) {
        connects.disconnects.increment();
        if (events.isListening(BrokerEvent.ClientDisconnected.class)) {
            events.onEvent(new BrokerEvent.ClientDisconnected(client, cause, detail));
        }
    }

    public void throttlingBegan(Connection connection, @Nullable ClientInfo client, ThrottleCause cause) {
        traffic.begunThrottlings.increment(cause);
        if (events.isListening(BrokerEvent.ThrottlingBegan.class)) {
            events.onEvent(new BrokerEvent.ThrottlingBegan(connection.remoteAddress(), client, cause));
        }
    }

    public void throttlingEnded(Connection connection, @Nullable ClientInfo client, ThrottleCause cause) {
        traffic.endedThrottlings.increment(cause);
        if (events.isListening(BrokerEvent.ThrottlingEnded.class)) {
            events.onEvent(new BrokerEvent.ThrottlingEnded(connection.remoteAddress(), client, cause));
        }
    }

    public void packetAbandoned(Connection connection, @Nullable ClientInfo client, int frameBytes, int arrivedBytes) {
        traffic.abandonedPackets.increment();
        if (events.isListening(BrokerEvent.PacketAbandoned.class)) {
            events.onEvent(
                    new BrokerEvent.PacketAbandoned(connection.remoteAddress(), client, frameBytes, arrivedBytes));
        }
    }

    /**
     * A connection has not found the next leader of its inbox in time.
     *
     * @param hasNodeLost whether the node of the last leader was lost; else that leader stopped normally
     */
    public void homeNotFound(ClientInfo client, boolean hasNodeLost, Duration limit, Throwable cause) {
        (hasNodeLost ? sessions.lostHomesOver : sessions.movedHomesOver).increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(
                    hasNodeLost ? NodeWait.HOME_LOST : NodeWait.HOME_MOVED,
                    limit,
                    "inbox of " + client.clientId().value() + ": " + cause.getMessage()));
        }
    }

    /** @param listener named by transport and address */
    public void certificatesReloaded(String listener) {
        node.reloadedCertificates.increment();
        if (events.isListening(BrokerEvent.CertificatesReloaded.class)) {
            events.onEvent(new BrokerEvent.CertificatesReloaded(listener));
        }
    }

    /** @param listener named by transport and address */
    public void certificatesRejected(String listener, String cause) {
        node.rejectedCertificates.increment();
        if (events.isListening(BrokerEvent.CertificatesRejected.class)) {
            events.onEvent(new BrokerEvent.CertificatesRejected(listener, cause));
        }
    }

    public void banned(BanCause cause, String subject, Duration duration) {
        connects.bans.increment(cause);
        if (events.isListening(BrokerEvent.Banned.class)) {
            events.onEvent(new BrokerEvent.Banned(cause, subject, duration));
        }
    }

    public void memoryShort(MemoryKind kind, int usedPercent) {
        node.memoryShortages.increment(kind);
        if (events.isListening(BrokerEvent.MemoryShort.class)) {
            events.onEvent(new BrokerEvent.MemoryShort(kind, usedPercent));
        }
    }

    public void memoryRecovered(MemoryKind kind, int usedPercent) {
        node.memoryRecoveries.increment(kind);
        if (events.isListening(BrokerEvent.MemoryRecovered.class)) {
            events.onEvent(new BrokerEvent.MemoryRecovered(kind, usedPercent));
        }
    }

    // ---- authorization

    public void connectDenied(ClientInfo client, RefusalReason reason, String detail) {
        connects.deniedConnects.increment(reason);
        if (events.isListening(BrokerEvent.ConnectDenied.class)) {
            events.onEvent(new BrokerEvent.ConnectDenied(client, reason, detail));
        }
    }

    public void publishDenied(ClientInfo client, String topic, boolean isWill, String detail) {
        messages.deniedPublishes.increment();
        if (events.isListening(BrokerEvent.PublishDenied.class)) {
            events.onEvent(new BrokerEvent.PublishDenied(client, topic, isWill, detail));
        }
    }

    public void subscribeDenied(ClientInfo client, String filter, String detail) {
        sessions.deniedSubscribes.increment();
        if (events.isListening(BrokerEvent.SubscribeDenied.class)) {
            events.onEvent(new BrokerEvent.SubscribeDenied(client, filter, detail));
        }
    }

    public void authFailed(AuthCheck check, ClientInfo client, String cause) {
        connects.authFailures.increment();
        if (events.isListening(BrokerEvent.AuthFailed.class)) {
            events.onEvent(new BrokerEvent.AuthFailed(check, client, cause));
        }
    }

    // ---- sessions and messages

    public void sessionCreated(ClientInfo client) {
        sessions.createdSessions.increment();
        if (events.isListening(BrokerEvent.SessionCreated.class)) {
            events.onEvent(new BrokerEvent.SessionCreated(client));
        }
    }

    /** A PUBLISH was read. */
    public void publishReceived(ClientInfo publisher, String topic, Qos qos, boolean retain, int payloadBytes) {
        messages.publishIn(payloadBytes);
        if (events.isListening(BrokerEvent.PublishReceived.class)) {
            events.onEvent(new BrokerEvent.PublishReceived(publisher, topic, qos, retain, payloadBytes));
        }
    }

    /** A PUBLISH of a client was accepted. */
    public void publishAccepted(ClientInfo publisher, Message message, boolean hasReceivers) {
        messages.acceptedPublishes.increment();
        if (events.isListening(BrokerEvent.PublishAccepted.class)) {
            events.onEvent(new BrokerEvent.PublishAccepted(publisher, message.topic(), message.qos(), hasReceivers));
        }
    }

    /** A client acknowledged a message; {@link SessionMetrics} counts these by event loop. */
    public void acknowledged(ClientInfo receiver, int packetId, ReasonCode code) {
        if (events.isListening(BrokerEvent.MessageAcknowledged.class)) {
            events.onEvent(new BrokerEvent.MessageAcknowledged(receiver, packetId, code.isError()));
        }
    }

    /** A PUBLISH was handed to the connection of its receiver. */
    public void delivered(ClientInfo receiver, Message message, Qos qos, boolean retain) {
        messages.publishOut(message.payload().length);
        if (events.isListening(BrokerEvent.MessageDelivered.class)) {
            events.onEvent(
                    new BrokerEvent.MessageDelivered(receiver, message.topic(), qos, retain, message.payload().length));
        }
    }

    /**
     * A SUBSCRIBE was answered.
     *
     * @param codes of the filters, in their order
     */
    public void subscribed(ClientInfo subscriber, List<Subscription> asked, List<ReasonCode> codes) {
        sessions.subscribed(codes);
        if (events.isListening(BrokerEvent.Subscribed.class)) {
            for (int i = 0; i < codes.size(); i++) {
                if (!codes.get(i).isError()) {
                    Qos granted = Qos.of(codes.get(i).value());
                    events.onEvent(new BrokerEvent.Subscribed(
                            subscriber, asked.get(i).filter().text(), granted));
                }
            }
        }
    }

    /** An UNSUBSCRIBE was answered, like {@link #subscribed}. */
    public void unsubscribed(ClientInfo subscriber, List<TopicFilter> asked, List<ReasonCode> codes) {
        sessions.unsubscribed(codes);
        if (events.isListening(BrokerEvent.Unsubscribed.class)) {
            for (int i = 0; i < codes.size(); i++) {
                if (codes.get(i) == ReasonCode.SUCCESS) {
                    events.onEvent(new BrokerEvent.Unsubscribed(
                            subscriber, asked.get(i).text()));
                }
            }
        }
    }

    public void publishRefused(ClientInfo publisher, String topic, PublishRefusalCause cause, String detail) {
        messages.refusedPublishes.increment();
        if (events.isListening(BrokerEvent.PublishRefused.class)) {
            events.onEvent(new BrokerEvent.PublishRefused(publisher, topic, cause, detail));
        }
    }

    /** An interceptor dropped a publish. */
    public void publishIntercepted(ClientInfo publisher, String topic, String plugin, String detail) {
        messages.interceptedPublishes.increment();
        if (events.isListening(BrokerEvent.PublishIntercepted.class)) {
            events.onEvent(new BrokerEvent.PublishIntercepted(publisher, topic, plugin, detail));
        }
    }

    public void subscribeRefused(ClientInfo subscriber, String filter, SubscribeRefusalCause cause, String detail) {
        sessions.refusedSubscribes.increment();
        if (events.isListening(BrokerEvent.SubscribeRefused.class)) {
            events.onEvent(new BrokerEvent.SubscribeRefused(subscriber, filter, cause, detail));
        }
    }

    /** A message was not delivered to {@code receiver}. */
    public void dropped(ClientInfo receiver, String topic, DropReason reason) {
        messages.drops.increment(reason);
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(receiver.tenant(), receiver.clientId(), topic, reason));
        }
    }

    public void slowConsumerBegan(ClientInfo client) {
        sessions.begunSlowConsumers.increment();
        if (events.isListening(BrokerEvent.SlowConsumerBegan.class)) {
            events.onEvent(new BrokerEvent.SlowConsumerBegan(client));
        }
    }

    public void slowConsumerEnded(ClientInfo client, long droppedMessages, int seconds) {
        sessions.endedSlowConsumers.increment();
        if (events.isListening(BrokerEvent.SlowConsumerEnded.class)) {
            events.onEvent(new BrokerEvent.SlowConsumerEnded(client, droppedMessages, Duration.ofSeconds(seconds)));
        }
    }

    public void replayDelayed(ClientInfo receiver, String filter, String cause) {
        sessions.delayedReplays.increment();
        if (events.isListening(BrokerEvent.ReplayDelayed.class)) {
            events.onEvent(new BrokerEvent.ReplayDelayed(receiver, filter, cause));
        }
    }

    /** A new subscription does not get all retained messages, because of its tenant's limit. */
    public void replayLimited(ClientInfo receiver, String filter, long most) {
        sessions.limitedReplays.increment();
        if (events.isListening(BrokerEvent.ReplayLimited.class)) {
            events.onEvent(new BrokerEvent.ReplayLimited(receiver, filter, most));
        }
    }

    /** An address as reports name it. */
    public static String text(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
                : String.valueOf(address);
    }
}
