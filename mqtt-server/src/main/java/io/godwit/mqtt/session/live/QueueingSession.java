package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.mqtt.intercept.Intercepted;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.outbound.CopyInterception;
import io.godwit.mqtt.session.outbound.Inflight;
import io.godwit.mqtt.subscribe.ReplayQueue;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a session that lives in memory: sends them at once, or lets them wait. They come through
 * {@link #deliver}, and from replays of retained messages. Confined to the connection's event loop, except for
 * {@link #hold}.
 *
 * <p>QoS 0 deliveries are sent at once, or dropped if the client reads too slowly. QoS 1 and 2 deliveries wait in a
 * bounded queue while the client's window is used up or its socket is full; at the limit the queue's policy drops one.
 * Every drop is counted and reported. From half of the limit on, publishers wait for their acknowledgements, for a
 * bounded time ({@link PublisherHold}). Messages of a shared subscription go to another member of the group instead of
 * being dropped, at the limit and at the end.
 *
 * <p>It is a base class of {@link TransientSession} and not an object of its own, because it would be one more object
 * per connection.
 */
abstract class QueueingSession extends Session implements ReplayQueue.Sink {
    /** Null without interceptors, like {@link #zeroLane}. */
    private final @Nullable CopyInterception interception;

    private final @Nullable ZeroLane zeroLane;

    // null until the first use: an idle session has none of them
    private @Nullable LiveQueue queue;
    private @Nullable ReplayQueue replays;

    /**
     * Null while the queue is short. A hold whose time is over stays until the queue is empty, so that a client that
     * never catches up holds publishers only once. Volatile: the loops of publishers read it.
     */
    private volatile @Nullable PublisherHold hold;

    QueueingSession(Connection connection, SessionServices services, SessionTerms terms, End end) {
        super(connection, services, terms, end);
        this.interception = CopyInterception.of(this, this::drain);
        this.zeroLane = ZeroLane.of(this, this::sendIntercepted, this::drain);
    }

    // ---- deliveries

    /**
     * Takes one live delivery.
     *
     * @param shared the shared frames, when other sessions of this loop get the same message; else null
     */
    final void deliver(Delivery delivery, Match match, @Nullable SharedPublish shared) {
        Message message = delivery.message();
        Qos qos = Qos.min(message.qos(), match.qos());
        boolean retain = message.retain() && match.retainAsPublished();
        try {
            if (isClosed() || !connection.isOpen()) {
                handOnOrDrop(delivery, match, DropReason.SESSION_ENDED);
            } else if (qos == Qos.AT_MOST_ONCE) {
                deliverQos0(delivery, match, retain, shared);
            } else {
                deliverQueued(delivery, match, qos, retain, shared);
            }
        } catch (RuntimeException
                | Error e) { // outermost frame of this receiver: its fault must not affect the publisher
            connection.fail(e);
        }
    }

    private void deliverQos0(Delivery delivery, Match match, boolean retain, @Nullable SharedPublish shared) {
        if (!connection.isWritable()) {
            if (isOrdered(match)) {
                dropped(delivery.message(), unwritable());
            } else {
                handOnOrDrop(delivery, match, unwritable());
            }
            return;
        }
        if (zeroLane == null) {
            send(delivery.message(), Qos.AT_MOST_ONCE, retain, match.subscriptionIds(), 0, shared);
        } else if (!zeroLane.add(
                new ZeroLane.Copy(delivery.message(), delivery, match, retain, match.subscriptionIds(), shared))) {
            dropped(delivery.message(), DropReason.INTERCEPTED);
        }
        noteLive(delivery.message());
    }

    /** Sends a QoS 0 copy after its interceptors have decided. */
    @SuppressWarnings("ReferenceEquality") // by identity: the shared frames belong to this very message
    private void sendIntercepted(ZeroLane.Copy copy, Intercepted outcome) {
        DropReason end = isClosed() || !connection.isOpen() ? DropReason.SESSION_ENDED : unwritable();
        if (!(outcome instanceof Intercepted.Passed passed)) {
            dropped(copy.message(), DropReason.INTERCEPTED);
        } else if (end != DropReason.SESSION_ENDED && connection.isWritable()) {
            Message message = passed.message();
            SharedPublish shared = message == copy.message() ? copy.shared() : null;
            send(message, Qos.AT_MOST_ONCE, copy.retain(), copy.ids(), 0, shared);
        } else if (copy.delivery() != null && copy.match() != null) {
            handOnOrDrop(copy.delivery(), copy.match(), end);
        } else {
            dropped(copy.message(), end);
        }
    }

    private void deliverQueued(
            Delivery delivery, Match match, Qos qos, boolean retain, @Nullable SharedPublish shared) {
        Message message = delivery.message();
        Delivery own = match.sharedBy() == null ? null : delivery.only(match);
        if (interception == null && (queue == null || queue.isEmpty()) && hasWindow()) {
            sendAcknowledged(message, qos, retain, match.subscriptionIds(), shared, own);
            noteLive(message);
            return;
        }
        LiveQueue.Entry entry = new LiveQueue.Entry(message, qos, retain, match.subscriptionIds(), own);
        if (queue().isFullFor(message) && own != null && !isOrdered(match)) {
            handOn(own, () -> enqueue(entry));
        } else {
            enqueue(entry);
        }
        if (interception != null && hasWindow()) {
            drain();
        }
    }

    /** Queues a message; at the limit one is dropped. */
    private void enqueue(LiveQueue.Entry entry) {
        Message message = entry.message();
        if (isClosed()) {
            dropped(message, DropReason.SESSION_ENDED);
            return;
        }
        LiveQueue waiting = queue();
        if (waiting.isFullFor(message)) {
            if (!policy().is(TenantSetting.OVERFLOW_POLICY)) {
                dropped(message, DropReason.QUEUE_FULL_NEWEST);
                return;
            }
            LiveQueue.Entry oldest = waiting.poll();
            if (oldest != null) {
                dropped(oldest.message(), DropReason.QUEUE_FULL_OLDEST);
            }
        }
        waiting.add(entry);
        queued(message, entry.qos());
        noteLive(message);
        if (hold == null && waiting.isOverHalf() && services.publisherWaits.begin()) {
            hold = new PublisherHold(services.publisherWaits);
            connection.needTicks();
        }
    }

    /**
     * The future that a publisher must wait for before the acknowledgement of the message; null for none. Any thread.
     */
    @Nullable
    final CompletableFuture<DistOutcome> hold(Message message, Match match) {
        PublisherHold present = hold;
        return present == null || present.isOver() || Qos.min(message.qos(), match.qos()) == Qos.AT_MOST_ONCE
                ? null
                : present.over();
    }

    private void letGo() {
        PublisherHold present = hold;
        if (present == null) {
            return;
        }
        LiveQueue waiting = queue;
        if (waiting == null || waiting.isEmpty() || !present.isOver() && waiting.isUnderQuarter()) {
            hold = null;
            present.end();
        }
    }

    private void handOnOrDrop(Delivery delivery, Match match, DropReason reason) {
        if (match.sharedBy() == null) {
            dropped(delivery.message(), reason);
        } else {
            handOn(delivery.only(match), () -> dropped(delivery.message(), reason));
        }
    }

    /**
     * Gives a message of a shared subscription to another member. Runs as its own task: the next member may pass it on
     * as well, and the calls must not nest.
     *
     * @param ifNobody run on the loop when no other member can take it
     */
    private void handOn(Delivery own, Runnable ifNobody) {
        connection
                .loop()
                .execute(() -> OnEventLoop.whenComplete(connection, services.dist.handOn(own), (outcome, failure) -> {
                    if (failure == null && outcome == DistOutcome.NO_MATCH) {
                        ifNobody.run();
                    } else if (failure != null || outcome != DistOutcome.DELIVERED) {
                        dropped(own.message(), DropReason.STORE_FAILED);
                    }
                }));
    }

    /**
     * Messages of an ordered group do not go to another member even when this one is full: that would break the order.
     */
    private static boolean isOrdered(Match match) {
        TopicFilter filter = match.sharedBy();
        return filter == null || filter.sharing() == TopicFilter.Sharing.ORDERED;
    }

    private void sendAcknowledged(
            Message message,
            Qos qos,
            boolean retain,
            int[] ids,
            @Nullable SharedPublish shared,
            @Nullable Delivery own) {
        Inflight underWay = inflight();
        int packetId = underWay.take(qos == Qos.AT_LEAST_ONCE ? Inflight.AWAITS_PUBACK : Inflight.AWAITS_PUBREC);
        if (!send(message, qos, retain, ids, packetId, shared)) {
            underWay.remove(packetId);
            return;
        }
        awaitsAnswer(packetId, message);
        if (own != null && qos == Qos.AT_LEAST_ONCE) {
            underWay.hold(packetId, own); // a QoS 2 message must not go to another member [MQTT5-4.8.2-5]
        }
    }

    private boolean send(
            Message message, Qos qos, boolean retain, int[] ids, int packetId, @Nullable SharedPublish shared) {
        if (shared == null || ids.length != 0 || !takesSharedFrames()) {
            return sendPublish(message, qos, retain, ids, packetId, false);
        }
        if (!connection.send(shared, qos, retain, packetId)) {
            dropped(message, DropReason.PACKET_TOO_LARGE);
            return false;
        }
        counted(message, qos, retain, packetId, false);
        return true;
    }

    /** Sends what the window and the socket accept now. */
    private void drain() {
        drainQueue();
        if (replays != null && !isClosed()) {
            replays.advance();
        }
        letGo();
    }

    private void drainQueue() {
        LiveQueue waiting = queue;
        if (waiting != null && !isClosed()) {
            while (!waiting.isEmpty() && hasWindow()) {
                LiveQueue.Entry entry = waiting.peek();
                if (entry == null) {
                    break;
                }
                boolean isExpired = isExpired(entry.message());
                Intercepted outcome = null;
                if (interception != null && !isExpired) {
                    outcome = interception.of(entry, entry.message(), entry.qos());
                    if (outcome == null) {
                        break; // the answer is pending
                    }
                }
                waiting.poll();
                if (isExpired) {
                    dropped(entry.message(), DropReason.EXPIRED);
                } else if (outcome == null) {
                    sendAcknowledged(entry.message(), entry.qos(), entry.retain(), entry.ids(), null, entry.shared());
                } else if (outcome instanceof Intercepted.Passed passed) {
                    sendAcknowledged(passed.message(), entry.qos(), entry.retain(), entry.ids(), null, entry.shared());
                } else {
                    dropped(entry.message(), DropReason.INTERCEPTED);
                }
            }
        }
    }

    @Override
    protected final void onPubAck(PubAck ack) {
        end(ack.packetId(), Inflight.AWAITS_PUBACK, ack.reasonCode());
    }

    @Override
    protected final void onPubRec(PubRec rec) {
        int packetId = rec.packetId();
        byte state = stateOf(packetId);
        if (rec.reasonCode().isError()) {
            end(packetId, Inflight.AWAITS_PUBREC, rec.reasonCode());
        } else if (state == Inflight.AWAITS_PUBREC || state == Inflight.AWAITS_PUBCOMP) {
            inflight().put(packetId, Inflight.AWAITS_PUBCOMP, 0);
            connection.send(new PubRel(packetId, ReasonCode.SUCCESS));
        } else {
            connection.send(new PubRel(packetId, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
        }
    }

    @Override
    protected final void onPubComp(PubComp comp) {
        end(comp.packetId(), Inflight.AWAITS_PUBCOMP, comp.reasonCode());
    }

    private void end(int packetId, byte expected, ReasonCode code) {
        if (stateOf(packetId) == expected) {
            acknowledged(packetId, code);
            inflight().remove(packetId);
        }
    }

    @Override
    public final void onReadComplete() {
        intakeRead();
        drain();
    }

    @Override
    public final void onWritable() {
        drain();
    }

    @Override
    protected final boolean tick() {
        if (replays != null) {
            replays.onTick();
        }
        PublisherHold present = hold;
        if (present != null && !present.isOver()) {
            present.tick();
        }
        return replays != null || present != null && !present.isOver();
    }

    // ---- retained messages

    @Override
    public final void beginReplay(RetainedReplay replay) {
        if (replays == null) {
            replays = new ReplayQueue(connection, services.retain, client().tenant(), this, services.noteBytes);
            connection.needTicks();
        }
        replays.begin(replay);
    }

    @Override
    public final void replay(RetainedReplay replay, boolean isWanted) {
        if (replays != null) {
            replays.run(replay, isWanted);
        }
    }

    /** Ends the replays of a filter. */
    final void cancelReplay(TopicFilter filter) {
        if (replays != null) {
            replays.cancel(filter);
        }
    }

    private void noteLive(Message message) {
        if (replays != null) {
            replays.noteLive(message.topic());
        }
    }

    @Override
    public final boolean isReady() {
        return !isClosed()
                && connection.isOpen()
                && (queue == null || queue.isEmpty())
                && hasWindow()
                && (zeroLane == null || zeroLane.isEmpty());
    }

    @Override
    public final void accept(RetainedReplay replay, Message message) {
        Qos qos = Qos.min(message.qos(), replay.qos());
        if (qos == Qos.AT_MOST_ONCE && zeroLane != null) {
            // it is empty, so this succeeds
            zeroLane.add(new ZeroLane.Copy(message, null, null, true, replay.subscriptionIds(), null));
        } else if (interception != null) {
            queue().add(new LiveQueue.Entry(message, qos, true, replay.subscriptionIds(), null));
            drainQueue();
        } else if (qos == Qos.AT_MOST_ONCE) {
            send(message, qos, true, replay.subscriptionIds(), 0, null);
        } else {
            sendAcknowledged(message, qos, true, replay.subscriptionIds(), null, null);
        }
    }

    @Override
    public final long maxMatches() {
        return maxRetainedMatches();
    }

    @Override
    public final void limited(RetainedReplay replay, long most) {
        replayLimited(replay, most);
    }

    @Override
    public final boolean isSettled() {
        return true; // sending is all this session does
    }

    @Override
    public final void completed(RetainedReplay replay) {
        // nothing to record
    }

    @Override
    public final void delayed(RetainedReplay replay, Throwable cause) {
        replayDelayed(replay, cause);
    }

    @Override
    public final void ended(RetainedReplay replay) {
        if (replays != null && replays.isEmpty()) {
            replays = null;
        }
    }

    @Override
    protected final int queued() {
        return queue == null ? 0 : queue.size();
    }

    // ---- the end

    /**
     * The session is over: gives up what waits here. Called when the groups of its shared subscriptions do not choose
     * it any more.
     */
    final void endDeliveries() {
        // unacknowledged messages go to another member (MQTT 5.0, 4.8.2); without another member, this client was the
        // last to get them
        takeHeldForOthers().forEach(own -> handOn(own, () -> {}));
        if (queue != null) {
            for (LiveQueue.Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
                Message message = entry.message();
                Runnable drop = () -> dropped(message, DropReason.SESSION_ENDED);
                if (entry.shared() == null) {
                    drop.run();
                } else {
                    handOn(entry.shared(), drop);
                }
            }
            queue = null;
        }
        if (zeroLane != null) {
            zeroLane.close();
        }
        letGo();
        if (replays != null) {
            replays.close();
            replays = null;
        }
    }

    private LiveQueue queue() {
        if (queue == null) {
            queue = new LiveQueue(services.queuedBytes, counts());
            boundQueue(queue);
        }
        return queue;
    }

    private void boundQueue(LiveQueue waiting) {
        waiting.bound(
                (int) policy().number(TenantSetting.MAX_QUEUED_MESSAGES),
                policy().number(TenantSetting.MAX_QUEUED_BYTES));
    }

    @Override
    protected final void policyChanged() {
        if (queue != null) {
            boundQueue(queue);
        }
    }
}
