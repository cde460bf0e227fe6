package io.godwit.plugin.event;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something an operator may want to know, as an immutable value. */
public sealed interface BrokerEvent {

    /**
     * A connected client reads more slowly than it is sent to: it has lost a message by that, or its socket has taken
     * nothing for seconds.
     */
    record SlowConsumerBegan(ClientInfo client) implements BrokerEvent {}

    /**
     * It keeps up again, or has gone.
     *
     * @param droppedMessages that it lost by that since {@link SlowConsumerBegan}, of those held for it in memory
     */
    record SlowConsumerEnded(ClientInfo client, long droppedMessages, Duration duration) implements BrokerEvent {}

    /** A message was discarded for one receiver. */
    record MessageDropped(TenantId tenant, ClientId receiver, String topic, DropReason reason) implements BrokerEvent {}

    /** A client passed CONNECT. */
    record ClientConnected(ClientInfo client, boolean sessionPresent) implements BrokerEvent {}

    /** A CONNECT was answered no, for whatever reason; of some reasons another event tells more. */
    record ConnectRefused(
            String remoteAddress, String reason, @Nullable String detail) implements BrokerEvent {}

    /**
     * A client that may connect was told to use another server; it counts as a {@link ConnectRefused} too.
     *
     * @param isMoved from now on, not for a while
     */
    record ClientRedirected(ClientInfo client, String serverReference, boolean isMoved) implements BrokerEvent {}

    /** A connection that had passed CONNECT ended. */
    record ClientDisconnected(ClientInfo client, String reason) implements BrokerEvent {}

    /**
     * A connection is held back from now on, until {@link ThrottlingEnded}: it may go on and pause many times
     * meanwhile.
     *
     * @param client null before it has passed CONNECT
     */
    record ThrottlingBegan(String remoteAddress, @Nullable ClientInfo client, ThrottleCause cause)
            implements BrokerEvent {}

    /** A connection has not been held back for a second or two, or has ended. */
    record ThrottlingEnded(String remoteAddress, @Nullable ClientInfo client, ThrottleCause cause)
            implements BrokerEvent {}

    /**
     * A connection was cut off since it sent a large packet slowly while others waited for room, or one that is too
     * large for a CONNECT.
     *
     * @param client null before it has passed CONNECT
     * @param frameBytes of the whole packet
     * @param arrivedBytes of it so far
     */
    record PacketAbandoned(String remoteAddress, @Nullable ClientInfo client, int frameBytes, int arrivedBytes)
            implements BrokerEvent {}

    /**
     * Somebody is kept out for a time for what happened too often.
     *
     * @param subject the address that did it last, or the client id
     */
    record Banned(BanCause cause, String subject, Duration duration) implements BrokerEvent {}

    /** Memory is short: until {@link MemoryRecovered} new connections, subscriptions and publishes are refused. */
    record MemoryShort(MemoryKind kind, int usedPercent) implements BrokerEvent {}

    /** Memory of this kind is no longer short. */
    record MemoryRecovered(MemoryKind kind, int usedPercent) implements BrokerEvent {}

    /** A client sent a PUBLISH; what becomes of it is not known yet. There is one for each, so it costs something. */
    record PublishReceived(ClientInfo publisher, String topic, Qos qos, boolean isRetained, int payloadBytes)
            implements BrokerEvent {}

    /**
     * A PUBLISH was handed to the connection of a client, be it for the first time or again. There is one for each, so
     * it costs something.
     *
     * @param topic as its publisher called it
     * @param isRetained whether its RETAIN flag is set
     */
    record MessageDelivered(ClientInfo receiver, String topic, Qos qos, boolean isRetained, int payloadBytes)
            implements BrokerEvent {}

    /**
     * A client, or an operator in its stead, subscribed.
     *
     * @param filter as that one called it
     * @param qos that was granted
     */
    record Subscribed(ClientInfo subscriber, String filter, Qos qos) implements BrokerEvent {}

    /** A client, or an operator in its stead, ended a subscription that it had. */
    record Unsubscribed(ClientInfo subscriber, String filter) implements BrokerEvent {}

    /** A session began that outlives its connection. */
    record SessionCreated(ClientInfo client) implements BrokerEvent {}

    /** Such a session is over. */
    record SessionEnded(TenantId tenant, ClientId clientId, SessionEndCause cause) implements BrokerEvent {}

    /** A will was published. */
    record WillPublished(TenantId tenant, ClientId clientId, String topic) implements BrokerEvent {}

    /** A will was not published: its client disconnected in good order, or was back before its delay had passed. */
    record WillSuppressed(TenantId tenant, ClientId clientId, String topic) implements BrokerEvent {}

    /** The queue of a stored session is full: messages of QoS 1 and 2 are discarded. */
    record QueueFullBegan(TenantId tenant, ClientId clientId) implements BrokerEvent {}

    /** It has half its room again, or is over. */
    record QueueFullEnded(TenantId tenant, ClientId clientId, long droppedMessages) implements BrokerEvent {}

    /** A peer broke the protocol and was disconnected. */
    record ProtocolViolated(String remoteAddress, String detail) implements BrokerEvent {}

    /** A connection was closed or refused because a limit was reached. A listener is named by transport and address. */
    record ConnectionRefused(String listener, String remoteAddress, ConnectionLimit limit) implements BrokerEvent {}

    /** The certificate files of a listener have changed: new connections get the new ones. */
    record CertificatesReloaded(String listener) implements BrokerEvent {}

    /** The certificate files of a listener have changed and cannot be used: the old ones stay in force. */
    record CertificatesRejected(String listener, String cause) implements BrokerEvent {}

    /**
     * A publish was not taken in, or not wholly: a store could not take it, memory is short, its topic is over a limit,
     * or no client may publish to it.
     */
    record PublishRefused(ClientInfo publisher, String topic, String cause) implements BrokerEvent {}

    /**
     * An interceptor dropped a publish, which was acknowledged.
     *
     * @param plugin what it calls itself
     * @param detail why, as it says
     */
    record PublishIntercepted(ClientInfo publisher, String topic, String plugin, String detail)
            implements BrokerEvent {}

    /** A subscription was refused: its filter is over a limit, or one too many, or memory is short. */
    record SubscribeRefused(ClientInfo subscriber, String filter, String cause) implements BrokerEvent {}

    /**
     * A client was refused something since its tenant uses as much of it as it may; what was refused has an event of
     * its own too. Of rates that are held back there is {@link ThrottlingBegan} instead.
     *
     * @param most that the tenant may have in the cluster less what other nodes have of it
     */
    record TenantLimitReached(ClientInfo client, TenantResource resource, long most) implements BrokerEvent {}

    /** Retained messages for a new subscription could not be read or queued; it is tried again. */
    record ReplayDelayed(ClientInfo receiver, String filter, String cause) implements BrokerEvent {}

    /** Authentication did not let a client in, or ended its connection when it was repeated. */
    record ConnectDenied(ClientInfo client, RefusalReason reason, String detail) implements BrokerEvent {}

    /** A client may not publish to a topic; the message was discarded. A will is refused with its CONNECT. */
    record PublishDenied(ClientInfo publisher, String topic, boolean isWill, String detail) implements BrokerEvent {}

    /** A client may not subscribe to a filter. */
    record SubscribeDenied(ClientInfo subscriber, String filter, String detail) implements BrokerEvent {}

    /** A check came to no answer (an exception, no answer in time) and so denied. */
    record AuthFailed(AuthCheck check, ClientInfo client, String cause) implements BrokerEvent {}

    /**
     * A plugin did what it must not.
     *
     * @param plugin what it calls itself
     * @param kind such as {@code auth-provider}
     * @param detail what it was called for and what came of it, for people
     */
    record PluginFailed(String plugin, String kind, PluginFault fault, String detail) implements BrokerEvent {}

    /** This node hands the messages of a SubBroker's subscription over from now on. */
    record SubBrokerBegan(String plugin, String subscription) implements BrokerEvent {}

    /** It does so no more: another node's turn has come, or the inbox cannot be reached; another attempt follows. */
    record SubBrokerEnded(String plugin, String subscription, String cause) implements BrokerEvent {}

    /** A batch for a SubBroker failed, and is to be handed over again. */
    record SubBrokerDelayed(String plugin, String subscription, String cause) implements BrokerEvent {}

    /** A changed file of users or rules is wrong; what had been read before stays in force. */
    record AuthFileRejected(String file, String cause) implements BrokerEvent {}

    /** A changed file of users or rules is in force. */
    record AuthFileLoaded(String file) implements BrokerEvent {}

    /**
     * A wait for other nodes has run out.
     *
     * @param limit how long it waited
     * @param detail what exactly was waited for, and of which node, range or client
     */
    record WaitRanOut(NodeWait what, Duration limit, String detail) implements BrokerEvent {}

    /**
     * Another member of the cluster began to serve clients, for the first time or after a lapse.
     *
     * @param incarnation tells one process of the node from the next, here and in what follows
     */
    record MemberServing(String nodeId, long incarnation) implements BrokerEvent {}

    /** The members went on without another one: it was silent, or its process is over. It may come back. */
    record MemberLapsed(String nodeId, long incarnation) implements BrokerEvent {}

    /** Another member did not come back after its lapse: its clients may be served elsewhere from now on. */
    record MemberEvicted(String nodeId, long incarnation) implements BrokerEvent {}

    /**
     * Another member left in good order. A node that was cut off for long may take a member that was evicted meanwhile
     * for one that left.
     */
    record MemberLeft(String nodeId, long incarnation) implements BrokerEvent {}

    /** The other members went on without this node. It closes its clients, and joins again. */
    record NodeLapsed(String nodeId, long incarnation) implements BrokerEvent {}

    /** This node serves again after {@link NodeLapsed}. */
    record NodeServingAgain(String nodeId, long incarnation) implements BrokerEvent {}

    /**
     * This node cannot prove that it knows all subscriptions. Until {@link AcknowledgementsResumed} it holds what it
     * would acknowledge; what it has held for too long it refuses, with {@link WaitRanOut} and {@link PublishRefused}
     * or {@link SubscribeRefused}.
     */
    record AcknowledgementsHeld(String cause) implements BrokerEvent {}

    /** This node acknowledges again after {@link AcknowledgementsHeld}. */
    record AcknowledgementsResumed() implements BrokerEvent {}
}
