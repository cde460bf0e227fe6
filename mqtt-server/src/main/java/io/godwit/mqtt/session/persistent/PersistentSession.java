package io.godwit.mqtt.session.persistent;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.client.LiveSubscriptions;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.outbound.CopyInterception;
import io.godwit.mqtt.session.outbound.Inflight;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A session kept by the inbox store, while its client is connected. Outbound messages come through the attachment, with
 * packet ids; the client's answers go back to it. Confined to the connection's event loop.
 *
 * <p>The store gets credit for {@code window + buffer} QoS 1 and 2 messages. Those within the window are under way to
 * the client; the others wait here, so that the next message can follow an acknowledgement without waiting for the
 * store. Acknowledgements go to the store once per read, with as much new credit.
 */
public final class PersistentSession extends Session implements InboxMail.Reader, StoredReplays.Owner {
    private static final int MAX_BUFFERED = 256;
    private static final int MAX_WAITING_QOS0 = 1000;

    private final InboxAttachment attachment;
    private final InboxReceiver receiver;
    private final int[] receivedBefore;
    private final int credit;
    private final InboxMail mail;
    private final SubscriptionSteps subscriptions;
    /** Subscriptions to which an earlier connection still owed retained messages. */
    private final List<StoredSubscription> owed;

    // null until the first use
    private @Nullable StoredReplays replays;
    private @Nullable ReleaseQueue releases;

    /** Messages delivered by the store and not yet sent. */
    private final ArrayDeque<InboxMessage> waiting = new ArrayDeque<>(0);

    /** Null without interceptors. */
    private final @Nullable CopyInterception interception;

    /** When the client connected; wall clock. */
    private final long beganMillis;

    /** One above the last sequence that was sent. */
    private long sentBelow;

    /** Sequences of the PUBACKs of this read. */
    private long[] acknowledged = {};

    private int acknowledgedCount;
    private int creditOwed;
    /** Shared subscriptions whose groups have been told that the client is connected; null for none. */
    private @Nullable Set<TopicFilter> memberships;

    /** Whether packets of one read are being handled: acknowledgements go to the store after the last. */
    private boolean isReading;

    private boolean isDetached;
    /** Complete when the leader has decided the detach. */
    private final CompletableFuture<Void> detaching = new CompletableFuture<>();
    /** Unanswered sequences when the connection ended; null before. */
    private long @Nullable [] unansweredAtEnd;

    /** @param end see {@link Session.End} */
    public PersistentSession(
            Connection connection,
            SessionServices services,
            SessionTerms terms,
            AttachReply reply,
            InboxMail mail,
            End end) {
        super(connection, services, terms, end);
        this.beganMillis = services.nowMillis();
        this.interception = CopyInterception.of(this, this::drainAnswered);
        this.attachment = reply.attachment();
        this.receivedBefore = reply.inbound();
        this.receiver =
                new InboxReceiver(terms.client().tenant(), terms.client().clientId(), reply.incarnation());
        this.credit = Math.min(65_535, terms.sendWindow() + Math.min(terms.sendWindow(), MAX_BUFFERED));
        this.mail = mail;
        this.subscriptions =
                new SubscriptionSteps(connection, services.dist, receiver, attachment, reply.attachNumber());
        reply.subscriptions().forEach(s -> {
            noteAdded(s.filter());
            tellConnected(s.filter());
        });
        this.owed = reply.subscriptions().stream()
                .filter(StoredSubscription::isOwedRetained)
                .toList();
    }

    @Override
    public void start() {
        mail.openTo(this);
        attachment.request(credit);
        for (StoredSubscription subscription : owed) {
            RetainedReplay replay = StoredReplays.resumed(subscription);
            beginReplay(replay);
            replay(replay, true);
        }
    }

    private void tellConnected(TopicFilter filter) {
        if (!filter.isShared() || isClosed()) {
            return;
        }
        if (memberships == null) {
            memberships = new HashSet<>(2);
        }
        memberships.add(filter);
        services.dist.setConnected(filter, receiver, true);
    }

    /** Not before the route is gone: a SUBSCRIBE that the client has sent before may just be under way. */
    private void tellUnsubscribed(TopicFilter filter) {
        if (memberships != null && memberships.remove(filter)) {
            services.dist.setConnected(filter, receiver, false);
        }
    }

    // ---- deliveries

    private void dropQos0(List<InboxMessage> messages) {
        for (InboxMessage m : messages) {
            if (m.qos() == Qos.AT_MOST_ONCE) {
                dropped(m.message(), DropReason.SESSION_ENDED);
            }
        }
    }

    @Override
    public void deliver(List<InboxMessage> messages) {
        if (isClosed()) {
            dropQos0(messages); // QoS 1 and 2 messages stay in the inbox
            return;
        }
        for (int i = 0; i < messages.size(); i++) {
            InboxMessage m = messages.get(i);
            if (m.released()) {
                inflight().put(m.packetId(), Inflight.AWAITS_PUBCOMP, m.sequence());
                connection.send(new PubRel(m.packetId(), ReasonCode.SUCCESS));
            } else if (m.qos() == Qos.AT_MOST_ONCE) {
                deliverQos0(m);
            } else if (interception == null && waiting.isEmpty() && hasWindow()) {
                send(m);
            } else {
                waiting.addLast(m);
                queued(m.message(), m.qos());
            }
            if (replays != null && m.retain()) {
                replays.delivered();
            }
        }
        if (interception != null) {
            drainAnswered();
        }
    }

    /** Continues after an answer of interceptors, and passes on acknowledgements of copies that they dropped. */
    private void drainAnswered() {
        if (!isClosed()) {
            drain();
            flushAcknowledgements();
        }
    }

    private void deliverQos0(InboxMessage m) {
        if (!connection.isWritable() || waiting.size() >= credit + MAX_WAITING_QOS0) {
            dropped(m.message(), unwritable());
        } else if (interception == null && waiting.isEmpty()) {
            send(m);
        } else {
            waiting.addLast(m);
        }
    }

    private void send(InboxMessage m) {
        send(m, m.message());
    }

    /** @param message as the interceptors left it */
    private void send(InboxMessage m, Message message) {
        boolean isQos0 = m.qos() == Qos.AT_MOST_ONCE;
        if (isExpired(m.message()) && !m.redelivered()) { // a flow that has begun must be finished [MQTT5-4.4.0-1]
            dropped(m.message(), DropReason.EXPIRED);
        } else if (sendPublish(
                message, m.qos(), m.retain(), m.subscriptionIds(), m.packetId(), !isQos0 && m.redelivered())) {
            if (!isQos0) {
                byte state = m.qos() == Qos.AT_LEAST_ONCE ? Inflight.AWAITS_PUBACK : Inflight.AWAITS_PUBREC;
                inflight().put(m.packetId(), state, m.sequence());
                awaitsAnswer(m.packetId(), m.message());
                sentBelow = m.sequence() + 1;
            }
            return;
        }
        giveUp(m);
    }

    /** Does not send the message: the store treats it as acknowledged. */
    private void giveUp(InboxMessage m) {
        if (m.redelivered() && m.qos() == Qos.EXACTLY_ONCE) {
            // the client may know the packet id, and would take its next message for a repetition
            record(m.packetId(), m.sequence());
        } else if (m.qos() != Qos.AT_MOST_ONCE) {
            if (m.qos() == Qos.AT_LEAST_ONCE) {
                acknowledge(m.sequence());
            } else {
                attachment.complete(m.sequence());
                creditOwed++;
            }
            if (!isReading) {
                flushAcknowledgements();
            }
        }
    }

    /** @param head the first waiting message; stays there when this returns false */
    private boolean sendIntercepted(CopyInterception by, InboxMessage head) {
        if (isExpired(head.message()) && !head.redelivered()) {
            send(waiting.removeFirst());
            return true;
        }
        Intercepted outcome = by.of(head, head.message(), head.qos());
        if (outcome == null) {
            return false;
        }
        waiting.removeFirst();
        if (outcome instanceof Intercepted.Passed passed) {
            send(head, passed.message());
            return true;
        }
        dropped(head.message(), DropReason.INTERCEPTED);
        giveUp(head);
        return true;
    }

    @Override
    protected long waitsSinceMillis() {
        return beganMillis;
    }

    /** The window applies only to QoS 1 and 2 [MQTT5-4.9.0-3]. */
    private boolean mayGo(InboxMessage head) {
        return head.qos() == Qos.AT_MOST_ONCE ? connection.isWritable() : hasWindow();
    }

    private void drain() {
        while (!waiting.isEmpty() && mayGo(waiting.getFirst())) {
            if (interception == null) {
                send(waiting.removeFirst());
            } else if (!sendIntercepted(interception, waiting.getFirst())) {
                break; // the answer is pending
            }
        }
        if (replays != null) {
            replays.advance();
        }
    }

    // ---- answers of the client

    @Override
    protected void onPubAck(PubAck ack) {
        int packetId = ack.packetId();
        if (stateOf(packetId) == Inflight.AWAITS_PUBACK) {
            isReading = true;
            acknowledged(packetId, ack.reasonCode());
            acknowledge(inflight().sequence(packetId));
            inflight().remove(packetId);
        }
    }

    private void acknowledge(long sequence) {
        if (acknowledgedCount == acknowledged.length) {
            acknowledged = Arrays.copyOf(acknowledged, Math.max(16, 2 * acknowledgedCount));
        }
        acknowledged[acknowledgedCount++] = sequence;
        creditOwed++;
    }

    private void flushAcknowledgements() {
        if (acknowledgedCount > 0) {
            attachment.acknowledge(Arrays.copyOf(acknowledged, acknowledgedCount));
            acknowledgedCount = 0;
            if (acknowledged.length > 1024) {
                acknowledged = new long[0];
            }
        }
        if (creditOwed > 0) {
            attachment.request(creditOwed);
            creditOwed = 0;
        }
    }

    @Override
    protected void onPubRec(PubRec rec) {
        int packetId = rec.packetId();
        byte state = stateOf(packetId);
        if (rec.reasonCode().isError()) {
            if (state == Inflight.AWAITS_PUBREC) {
                complete(packetId, rec.reasonCode());
            }
        } else if (state == Inflight.AWAITS_PUBREC) {
            record(packetId, inflight().sequence(packetId));
        } else if (state == Inflight.AWAITS_PUBCOMP) {
            connection.send(new PubRel(packetId, ReasonCode.SUCCESS));
        } else if (state == Inflight.NONE) {
            connection.send(new PubRel(packetId, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
        }
    }

    /**
     * Sends PUBREL only after the store has recorded the PUBREC: the next connection must not send PUBLISH again
     * [MQTT5-4.3.3-5].
     */
    private void record(int packetId, long sequence) {
        inflight().put(packetId, Inflight.RECORDING, sequence);
        ReleaseQueue recorded = releases();
        ReleaseQueue.Entry entry = recorded.add(packetId, sequence);
        OnEventLoop.whenComplete(connection, attachment.received(sequence), (done, failure) -> {
            if (isClosed()) {
                return;
            }
            if (failure != null) {
                connection.disconnect(
                        ReasonCode.UNSPECIFIED_ERROR, DisconnectCause.STORE_FAILED, "a PUBREC could not be stored");
                return;
            }
            recorded.stored(entry);
            release(recorded);
        });
    }

    private ReleaseQueue releases() {
        if (releases == null) {
            releases = new ReleaseQueue();
        }
        return releases;
    }

    private void release(ReleaseQueue recorded) {
        for (ReleaseQueue.Entry next = recorded.pollStored(); next != null; next = recorded.pollStored()) {
            inflight().put(next.packetId, Inflight.AWAITS_PUBCOMP, next.sequence);
            connection.send(new PubRel(next.packetId, ReasonCode.SUCCESS));
        }
    }

    @Override
    protected void onPubComp(PubComp comp) {
        if (stateOf(comp.packetId()) == Inflight.AWAITS_PUBCOMP) {
            complete(comp.packetId(), comp.reasonCode());
        }
    }

    private void complete(int packetId, ReasonCode code) {
        isReading = true;
        acknowledged(packetId, code);
        attachment.complete(inflight().sequence(packetId));
        inflight().remove(packetId);
        creditOwed++;
    }

    @Override
    public void onReadComplete() {
        intakeRead();
        isReading = true;
        drain();
        isReading = false;
        flushAcknowledgements();
    }

    @Override
    public void onWritable() {
        drain();
    }

    @Override
    protected boolean tick() {
        if (replays != null) {
            replays.onTick(waiting.isEmpty());
        }
        return replays != null;
    }

    // ---- subscriptions

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<Subscription> added, int subscriptionId) {
        List<StoredSubscription> stored = new ArrayList<>(added.size());
        for (Subscription s : added) {
            stored.add(new StoredSubscription(
                    s.filter(),
                    s.qos(),
                    s.noLocal(),
                    s.retainAsPublished(),
                    s.retainHandling().value(),
                    subscriptionId));
        }
        return subscriptions.subscribe(stored).thenApply(isNew -> {
            added.forEach(s -> tellConnected(s.filter()));
            return isNew;
        });
    }

    @Override
    public @Nullable LiveSubscriptions subscriptions() {
        return null;
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        if (replays != null) {
            filters.forEach(replays::cancel);
        }
        return subscriptions.unsubscribe(filters).thenApply(existed -> {
            filters.forEach(this::tellUnsubscribed);
            return existed;
        });
    }

    /** Ensures that a session just attached has all its routes: a crash may have left one out. */
    public static CompletableFuture<?>[] routesOf(ClientInfo client, AttachReply reply, DistClient dist) {
        InboxReceiver receiver = new InboxReceiver(client.tenant(), client.clientId(), reply.incarnation());
        RouteNumber number = RouteNumber.of(reply.attachNumber(), 0); // before the numbers of SubscriptionSteps
        return reply.subscriptions().stream()
                .map(s -> dist.ensureRoute(s.filter(), receiver, SubscriptionSteps.optionsOf(s), number))
                .toArray(CompletableFuture<?>[]::new);
    }

    // ---- retained messages

    @Override
    public void beginReplay(RetainedReplay replay) {
        if (replays == null) {
            replays = new StoredReplays(this, attachment, this);
            connection.needTicks();
        }
        replays.begin(replay);
    }

    @Override
    public void replay(RetainedReplay replay, boolean isWanted) {
        if (replays != null) {
            replays.run(replay, isWanted);
        }
    }

    @Override
    public boolean isCaughtUp() {
        return !isClosed() && !isDetached && waiting.isEmpty() && hasWindow();
    }

    @Override
    public void replaysEnded() {
        replays = null;
    }

    @Override
    protected int queued() {
        return waiting.size();
    }

    // ---- the end

    @Override
    public void detaching() {
        detaching.complete(null);
    }

    @Override
    public void detached(InboxListener.Reason reason) {
        isDetached = true;
        ReasonCode code = switch (reason) {
            case TAKEN_OVER -> ReasonCode.SESSION_TAKEN_OVER;
            case DELETED -> ReasonCode.ADMINISTRATIVE_ACTION;
            case UNAVAILABLE, MOVED, LOST -> ReasonCode.SERVER_BUSY;
        };
        DisconnectCause cause = switch (reason) {
            case TAKEN_OVER -> DisconnectCause.TAKEN_OVER;
            case DELETED -> DisconnectCause.OPERATOR;
            case UNAVAILABLE, MOVED, LOST -> DisconnectCause.STORE_FAILED;
        };
        connection.disconnect(code, cause, "the session was detached: " + reason);
    }

    @Override
    public long[] unanswered() {
        if (unansweredAtEnd != null) {
            return unansweredAtEnd;
        }
        LongStream unsent =
                waiting.stream().filter(m -> m.qos() != Qos.AT_MOST_ONCE).mapToLong(InboxMessage::sequence);
        return LongStream.concat(Arrays.stream(sequencesUnderWay()), unsent)
                .sorted()
                .toArray();
    }

    @Override
    protected InboxAttachment attachment() {
        return attachment;
    }

    @Override
    protected int[] receivedBefore() {
        return receivedBefore;
    }

    @Override
    protected void release(long disconnectExpirySeconds, boolean publishWill) {
        unansweredAtEnd = unanswered();
        if (memberships != null) {
            memberships.forEach(filter -> services.dist.setConnected(filter, receiver, false));
            memberships = null;
        }
        for (InboxMessage m : waiting) {
            if (m.qos() == Qos.AT_MOST_ONCE) {
                dropped(m.message(), DropReason.SESSION_ENDED);
            }
        }
        waiting.clear();
        if (replays != null) {
            replays.close();
            replays = null;
        }
        CompletableFuture<Void> quiet = subscriptions.close();
        if (isDetached) {
            releaseAfter(quiet);
            return;
        }
        flushAcknowledgements();
        OnEventLoop.whenComplete(connection, CompletableFuture.allOf(quiet, detaching), (done, failure) -> leaving());
        releaseAfter(
                CompletableFuture.allOf(quiet, attachment.detach(disconnectExpirySeconds, publishWill, sentBelow)));
    }

    @Override
    public String toString() {
        return "PersistentSession[" + terms.client() + "]";
    }
}
