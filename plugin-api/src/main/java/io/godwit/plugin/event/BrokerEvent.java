package io.godwit.plugin.event;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something an operator may want to know, as an immutable value. */
public sealed interface BrokerEvent {

    /**
     * A connected client reads more slowly than messages arrive for it: it has lost a message by that, or its socket
     * has taken nothing for seconds.
     */
    record SlowConsumerBegan(ClientInfo client) implements BrokerEvent {}

    /**
     * The client keeps up again, or has gone.
     *
     * @param droppedMessages messages lost by that since {@link SlowConsumerBegan}, of those held for it in memory
     */
    record SlowConsumerEnded(ClientInfo client, long droppedMessages, Duration duration) implements BrokerEvent {}

    /** A message was discarded for one receiver. */
    record MessageDropped(TenantId tenant, ClientId receiver, String topic, DropReason reason) implements BrokerEvent {}

    /** A client passed CONNECT. */
    record ClientConnected(ClientInfo client, boolean sessionPresent) implements BrokerEvent {}

    /** A CONNECT was refused, for any reason; for some reasons another event gives more detail. */
    record ConnectRefused(
            String remoteAddress, String reason, @Nullable String detail) implements BrokerEvent {}

    /** A connection was closed because no CONNECT arrived in time. Raised on its event loop. */
    record ConnectTimedOut(String remoteAddress) implements BrokerEvent {}

    /**
     * A connection ended before the broker had answered a CONNECT: its peer closed it, or it was lost. Raised on its
     * event loop. A connection that was closed for a limit raises {@link ConnectionRefused} before.
     */
    record ConnectAbandoned(String remoteAddress, ConnectProgress progress) implements BrokerEvent {}

    /**
     * A client that may connect was redirected to another server; it also raises a {@link ConnectRefused}.
     *
     * @param isMoved whether the redirection is permanent
     */
    record ClientRedirected(ClientInfo client, String serverReference, boolean isMoved) implements BrokerEvent {}

    /**
     * A connection that had passed CONNECT ended.
     *
     * @param detail a description for people, here and where another event has a cause and a detail
     */
    record ClientDisconnected(ClientInfo client, DisconnectCause cause, String detail) implements BrokerEvent {}

    /**
     * The broker starts to throttle a connection. Until {@link ThrottlingEnded} the connection may pause and resume
     * many times.
     *
     * @param client null before it has passed CONNECT
     */
    record ThrottlingBegan(String remoteAddress, @Nullable ClientInfo client, ThrottleCause cause)
            implements BrokerEvent {}

    /** A connection has not been throttled for a second or two, or has ended. */
    record ThrottlingEnded(String remoteAddress, @Nullable ClientInfo client, ThrottleCause cause)
            implements BrokerEvent {}

    /**
     * A connection was closed because it sent a large packet slowly while others waited for memory, or because its
     * packet is too large for a CONNECT.
     *
     * @param client null before it has passed CONNECT
     * @param frameBytes size of the whole packet
     * @param arrivedBytes how much of it had arrived
     */
    record PacketAbandoned(String remoteAddress, @Nullable ClientInfo client, int frameBytes, int arrivedBytes)
            implements BrokerEvent {}

    /**
     * A source or a client is banned for a time after repeated faults.
     *
     * @param subject the address of the last fault, or the client id
     */
    record Banned(BanCause cause, String subject, Duration duration) implements BrokerEvent {}

    /**
     * Memory is short: until {@link MemoryRecovered} the broker refuses new connections, subscriptions and publishes.
     */
    record MemoryShort(MemoryKind kind, int usedPercent) implements BrokerEvent {}

    /** Memory of this kind is no longer short. */
    record MemoryRecovered(MemoryKind kind, int usedPercent) implements BrokerEvent {}

    /**
     * A client sent a PUBLISH; its outcome is not known yet. Raised for each PUBLISH, so listening to it has a cost.
     */
    record PublishReceived(ClientInfo publisher, String topic, Qos qos, boolean isRetained, int payloadBytes)
            implements BrokerEvent {}

    /**
     * A PUBLISH was handed to the connection of a client, for the first time or again. Raised for each one, so
     * listening to it has a cost.
     *
     * @param topic as the publisher named it
     * @param isRetained whether its RETAIN flag is set
     */
    record MessageDelivered(ClientInfo receiver, String topic, Qos qos, boolean isRetained, int payloadBytes)
            implements BrokerEvent {}

    /**
     * A PUBLISH of a client was accepted: it is in the queues of all stored sessions that subscribe to it and on its
     * way to the others. At QoS 1 and 2 the client gets its PUBACK or PUBREC next. A PUBLISH that is not accepted
     * raises {@link PublishRefused}, {@link PublishDenied} or {@link PublishIntercepted}, or its connection ends first;
     * at QoS 0, {@link MessageDropped} for each receiver that does not get it. A QoS 2 message that its client sends
     * again raises this once. Raised for each one on the event loop of the publisher, so listening to it has a cost.
     *
     * @param hasReceivers false if nobody subscribes to the topic
     */
    record PublishAccepted(ClientInfo publisher, String topic, Qos qos, boolean hasReceivers) implements BrokerEvent {}

    /**
     * A client acknowledged a message of QoS 1 or 2, by PUBACK or PUBCOMP. Raised for each one on the event loop of the
     * receiver, so listening to it has a cost.
     *
     * @param packetId the packet identifier of the message on this connection
     * @param isRefused whether the client answered with an error; the message is not sent again all the same
     */
    record MessageAcknowledged(ClientInfo receiver, int packetId, boolean isRefused) implements BrokerEvent {}

    /**
     * A retained message is set, for a publish, a will or an operator. Raised on the node that asked for it, by a
     * thread of the store, once for each message, so listening to it has a cost. May be missing if the node of the
     * topic's range was lost meanwhile.
     */
    record RetainedMessageSet(TenantId tenant, String topic, int payloadBytes) implements BrokerEvent {}

    /** Like {@link RetainedMessageSet}: a message without payload removed the one of its topic, if there was one. */
    record RetainedMessageCleared(TenantId tenant, String topic) implements BrokerEvent {}

    /**
     * The broker removed a retained message whose expiry interval had passed. Subscribers do not get it from the end of
     * the interval; the removal follows within about a second, later if the topic's range had no leader. Only that
     * leader's node raises it, on a thread of the range, once for each message. There is no event for a message that
     * was replaced or cleared before its removal. May be missing if the leadership changed during the removal.
     */
    record RetainedMessageExpired(TenantId tenant, String topic) implements BrokerEvent {}

    /**
     * A copy of a message of QoS 1 or 2 was written to the queue of a stored session, whether or not its client is
     * connected. A connected client may have the copy already. If it acknowledges the copy before it is written, the
     * write is cancelled, and there is no such event. Raised for each copy by the leader of the queue, on a thread of
     * the range, so listening to it has a cost.
     *
     * @param receiver for the queue of a SubBroker, a client id that begins with a zero character
     * @param qos of the copy
     */
    record MessageQueued(TenantId tenant, ClientId receiver, String topic, Qos qos, int payloadBytes)
            implements BrokerEvent {}

    /**
     * A client subscribed, or an operator did so for it.
     *
     * @param filter as the client or operator wrote it
     * @param qos the granted QoS
     */
    record Subscribed(ClientInfo subscriber, String filter, Qos qos) implements BrokerEvent {}

    /** A client, or an operator for it, removed an existing subscription. */
    record Unsubscribed(ClientInfo subscriber, String filter) implements BrokerEvent {}

    /** A session that outlives its connection began. */
    record SessionCreated(ClientInfo client) implements BrokerEvent {}

    /** A session that outlives its connection ended. */
    record SessionEnded(TenantId tenant, ClientId clientId, SessionEndCause cause) implements BrokerEvent {}

    /** A will was published. */
    record WillPublished(TenantId tenant, ClientId clientId, String topic) implements BrokerEvent {}

    /**
     * A connection ended without a normal DISCONNECT, and the will of its client waits for its delay.
     * {@link WillSuppressed} follows if the client comes back before; otherwise {@link WillPublished}. If the session
     * ends during the delay (it expires or is deleted, or the client makes a clean start), the will is published then.
     * Raised by the leader of the session, on a thread of the range. It may come twice if the store failed meanwhile.
     *
     * @param delay until the will is published; not longer than the expiry interval of the session
     */
    record WillDelayed(TenantId tenant, ClientId clientId, String topic, Duration delay) implements BrokerEvent {}

    /**
     * A will was not published: its client disconnected normally, or came back within the will delay, which also ends
     * a {@link WillDelayed}.
     */
    record WillSuppressed(TenantId tenant, ClientId clientId, String topic) implements BrokerEvent {}

    /** The queue of a stored session is full: messages of QoS 1 and 2 are discarded. */
    record QueueFullBegan(TenantId tenant, ClientId clientId) implements BrokerEvent {}

    /** The queue is down to half its limit again, or the session is over. */
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
     * A publish was refused, wholly or in part: a store could not take it, memory is short, its topic exceeds a limit,
     * or clients may not publish to that topic.
     */
    record PublishRefused(ClientInfo publisher, String topic, PublishRefusalCause cause, String detail)
            implements BrokerEvent {}

    /**
     * An interceptor dropped a publish; the client got an acknowledgement.
     *
     * @param plugin the plugin's own name
     * @param detail the plugin's reason
     */
    record PublishIntercepted(ClientInfo publisher, String topic, String plugin, String detail)
            implements BrokerEvent {}

    /** A subscription was refused: its filter exceeds a limit, there are too many, or memory is short. */
    record SubscribeRefused(ClientInfo subscriber, String filter, SubscribeRefusalCause cause, String detail)
            implements BrokerEvent {}

    /**
     * A client was refused because its tenant has reached a limit; the refusal itself has an event of its own too.
     * Limits on rates raise {@link ThrottlingBegan} instead.
     *
     * @param most the tenant's limit in the cluster less the amount on other nodes
     */
    record TenantLimitReached(ClientInfo client, TenantResource resource, long most) implements BrokerEvent {}

    /** Retained messages for a new subscription could not be read or queued; the broker tries again. */
    record ReplayDelayed(ClientInfo receiver, String filter, String cause) implements BrokerEvent {}

    /**
     * More retained messages match the filter of a new subscription than the tenant allows: it does not get the rest.
     * Raised once for each such subscription on the event loop of the client, and again for one that goes on after a
     * reconnection.
     *
     * @param most the tenant's limit, {@code maxRetainedMatches}
     */
    record ReplayLimited(ClientInfo receiver, String filter, long most) implements BrokerEvent {}

    /** A client failed authentication or re-authentication; a failed re-authentication ended its connection. */
    record ConnectDenied(ClientInfo client, RefusalReason reason, String detail) implements BrokerEvent {}

    /** A client may not publish to a topic; the message was discarded. If it is a will, the CONNECT is refused. */
    record PublishDenied(ClientInfo publisher, String topic, boolean isWill, String detail) implements BrokerEvent {}

    /** A client may not subscribe to a filter. */
    record SubscribeDenied(ClientInfo subscriber, String filter, String detail) implements BrokerEvent {}

    /** A check got no answer (an exception or a timeout), and so it denied. */
    record AuthFailed(AuthCheck check, ClientInfo client, String cause) implements BrokerEvent {}

    /**
     * A plugin broke its contract.
     *
     * @param plugin the plugin's own name
     * @param kind such as {@code auth-provider}
     * @param detail the call and its result, for people
     */
    record PluginFailed(String plugin, String kind, PluginFault fault, String detail) implements BrokerEvent {}

    /** From now on this node delivers the messages of a SubBroker's subscription. */
    record SubBrokerBegan(String plugin, String subscription) implements BrokerEvent {}

    /**
     * This node no longer delivers them: another node took over, or the inbox cannot be reached; the broker tries
     * again.
     */
    record SubBrokerEnded(String plugin, String subscription, String cause) implements BrokerEvent {}

    /** Delivery of a batch to a SubBroker failed; the batch is delivered again later. */
    record SubBrokerDelayed(String plugin, String subscription, String cause) implements BrokerEvent {}

    /** A changed file of users or rules is wrong; the previous content stays in force. */
    record AuthFileRejected(String file, String cause) implements BrokerEvent {}

    /** A changed file of users or rules is in force. */
    record AuthFileLoaded(String file) implements BrokerEvent {}

    /**
     * A wait for other nodes timed out.
     *
     * @param limit how long it waited
     * @param detail exactly what was missing, and from which node, range or client
     */
    record WaitRanOut(NodeWait what, Duration limit, String detail) implements BrokerEvent {}

    /**
     * Another member of the cluster began to serve clients, for the first time or after a lapse.
     *
     * @param incarnation tells one process of the node from the next, here and in the events below
     */
    record MemberServing(String nodeId, long incarnation) implements BrokerEvent {}

    /** The members went on without one of them: it was silent, or its process is over. It may come back. */
    record MemberLapsed(String nodeId, long incarnation) implements BrokerEvent {}

    /** A member did not come back after its lapse: other nodes may serve its clients from now on. */
    record MemberEvicted(String nodeId, long incarnation) implements BrokerEvent {}

    /**
     * Another member left normally. A node that was cut off for long may report this for a member that was evicted
     * meanwhile.
     */
    record MemberLeft(String nodeId, long incarnation) implements BrokerEvent {}

    /** The other members went on without this node. It closes its clients, and joins again. */
    record NodeLapsed(String nodeId, long incarnation) implements BrokerEvent {}

    /** This node serves again after {@link NodeLapsed}. */
    record NodeServingAgain(String nodeId, long incarnation) implements BrokerEvent {}

    /**
     * This node cannot prove that it knows all subscriptions. Until {@link AcknowledgementsResumed} it holds back
     * acknowledgements. It refuses requests that it has held for too long, with {@link WaitRanOut} and
     * {@link PublishRefused} or {@link SubscribeRefused}.
     */
    record AcknowledgementsHeld(String cause) implements BrokerEvent {}

    /** This node acknowledges again after {@link AcknowledgementsHeld}. */
    record AcknowledgementsResumed() implements BrokerEvent {}

    /**
     * A replica on this node was elected leader of its range. Only the node of the new leader raises it, on a thread of
     * the range. The next four are raised on such a thread too, by the node that leads the range or has led it.
     *
     * @param store such as {@code inbox}, here and below
     * @param rangeId unique within the store, never reused, here and below
     * @param epoch rises with each split, merge and change of replicas, here and below
     * @param term rises with each election in the range
     */
    record RangeLeadershipBegan(String store, long rangeId, long epoch, long term) implements BrokerEvent {}

    /**
     * It no longer leads. If the node is killed, there is no such event: only {@link RangeLeadershipBegan} on another
     * node.
     *
     * @param term that of the {@link RangeLeadershipBegan}
     */
    record RangeLeadershipEnded(String store, long rangeId, long term, LeadershipEndCause cause)
            implements BrokerEvent {}

    /**
     * A range was split. May be missing if the leadership changed during the split; then
     * {@link RangeLeadershipBegan} of the new range follows all the same. This holds for the next two as well.
     *
     * @param newRangeId of the right part, which is a range of its own now
     * @param epoch of both parts
     */
    record RangeSplit(String store, long rangeId, long newRangeId, long epoch) implements BrokerEvent {}

    /**
     * A range took over the keys of its neighbour on the right.
     *
     * @param mergedRangeId of the neighbour, which has ended
     * @param epoch of the range now
     */
    record RangesMerged(String store, long rangeId, long mergedRangeId, long epoch) implements BrokerEvent {}

    /**
     * A range has other replicas: one was added or removed, or a learner became a voter. Moving a replica raises
     * several of these events.
     *
     * @param epoch of the range now
     * @param voters ids of all nodes with a voter now
     * @param learners ids of all nodes whose replica does not vote
     */
    record RangeReplicasChanged(String store, long rangeId, long epoch, List<String> voters, List<String> learners)
            implements BrokerEvent {
        public RangeReplicasChanged {
            voters = List.copyOf(voters);
            learners = List.copyOf(learners);
        }
    }

    /**
     * A replica on this node stopped after a fault, such as damaged files or a disk that refuses writes, or could not
     * be opened. Raised by a thread of the range, or by the thread that starts the broker.
     */
    record ReplicaStopped(String store, long rangeId, String cause) implements BrokerEvent {}

    /**
     * A store does not fully serve on this node, or does so for another reason than before. Raised on one thread at a
     * time, within about a second.
     *
     * @param detail what is missing, for an operator
     */
    record StoreDegraded(String store, StoreFault fault, String detail) implements BrokerEvent {}

    /** The store serves fully again after {@link StoreDegraded}. */
    record StoreRecovered(String store) implements BrokerEvent {}
}
