package io.godwit.inbox.leader.delivery;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.format.QueueReader;
import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Sender;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.ledger.Holds;
import io.godwit.inbox.ledger.Ledger;
import io.godwit.inbox.ledger.OutboundPacketIds;
import io.godwit.inbox.ledger.Qos0Places;
import io.godwit.inbox.ledger.Qos0Room;
import io.godwit.inbox.ledger.SentCeiling;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Feeds one attachment: walks the ledger from the front and sends messages as far as the client's credit allows. Owned
 * by the range leader.
 *
 * <p>Source of a message: a message just applied is still in memory, and is held until sent. When too much would be
 * held, later messages stay only in the store and {@code complete} becomes false. When the held messages are sent,
 * pages are read until one has reached the end of the queue. Messages applied during a read are held beside its page,
 * so that it catches up with a busy queue.
 *
 * <p>A QoS 0 message is sent at once when nothing waits before it; else it waits in memory behind the messages now
 * queued.
 *
 * <p>A message that was never sent waits until the stored ceiling allows it ({@link SentCeiling}).
 */
public final class Outbox implements Sender {
    private static final int MAX_HELD = 256;
    private static final int MAX_HELD_BYTES = 256 * 1024;
    /** Most messages in one hand-over. */
    private static final int MAX_HANDOVER = 256;

    /** Parts shared by the outboxes of one leader. */
    public record Range(LeaderContext context, Writes writes, Settling settling, InboxReports reports, Qos0Room room) {
        Holds holds() {
            return room.holds();
        }
    }

    /** Reads pages of the queue; if a read fails, the inbox is discarded. */
    public interface Pages {
        void read(Function<RangeReader, QueueReader.Page> work, Consumer<QueueReader.Page> then);
    }

    private final Range range;
    private final Writes writes;
    private final Inbox state;
    private final Ledger ledger;
    private final DeliveryStream deliveries;
    private final Pages pages;

    /** Deliveries begin with the first request, because the connection does not know its session before that. */
    private boolean started;

    private long credit;
    private long sentAtMillis;

    /** Greater than every sequence that an earlier attachment may have sent. */
    private final long sentBefore;

    private final SentCeiling ceiling = new SentCeiling();
    /** Whether the batch that is to raise the ceiling is not sealed yet. */
    private boolean raising;

    private boolean waitsForCeiling;
    /** Applied messages that are not sent, in order; each is in the ledger, perhaps finished. */
    private final ArrayDeque<QueuedCopy> held = new ArrayDeque<>();

    private int heldBytes;
    /** Whether all applied messages that are not sent are held. */
    private boolean complete;

    private @Nullable ArrayDeque<QueuedCopy> duringRead;
    private int duringReadBytes;
    private boolean duringReadLost;
    private @Nullable Qos0Places qos0;
    private List<InboxMessage> handover = new ArrayList<>();
    private boolean flushQueued;
    private boolean closed;

    Outbox(Range range, Inbox state, DeliveryStream deliveries, Pages pages) {
        this.range = range;
        this.writes = range.writes();
        this.state = state;
        this.ledger = state.queue.ledger();
        this.deliveries = deliveries;
        this.pages = pages;
        sentBefore = ledger.sentBelow();
        ledger.rewind();
        complete = ledger.isEmpty();
    }

    public void request(int messages) {
        started = true;
        credit += messages;
        pump();
    }

    public long credit() {
        return credit;
    }

    @Override
    public SentCeiling ceiling() {
        return ceiling;
    }

    /** A message was placed in the queue and in {@code batch}, which also writes the ceiling if that must move. */
    public void placed(Batch batch, long sequence, long now) {
        if (keepsUp() ? ceiling.isNear(sequence) : hasStopped(now) && ceiling.canFallTo(reach())) {
            batch.wantProgress(state);
        }
    }

    /** Whether the credit covers all waiting messages. */
    private boolean keepsUp() {
        return ledger.tailOrdinal() - ledger.cursor() <= credit;
    }

    private boolean hasStopped(long now) {
        return credit == 0 && now - sentAtMillis >= SentCeiling.STOPPED_MILLIS;
    }

    /** The first unsent sequence beyond the credit, if every message before it takes one. */
    private long reach() {
        long next = keepsUp() ? state.queue.sequences().peek() : ledger.sequenceAt(ledger.cursor() + credit);
        return Math.max(next, ledger.sentBelow());
    }

    /** At sealing: moves the ceiling and returns it for the batch to write. */
    @Override
    public long tellCeiling() {
        raising = false;
        boolean keepsUp = keepsUp();
        long reach = reach();
        return !keepsUp && hasStopped(range.context().nowMillis()) && ceiling.canFallTo(reach)
                ? ceiling.fallTo(reach)
                : ceiling.tell(reach, keepsUp);
    }

    private void raiseCeiling() {
        if (!raising) {
            raising = true;
            ceiling.goFurther();
            writes.openBatch().wantProgress(state);
        }
    }

    /** A higher ceiling is stored. */
    @Override
    public void ceilingRaised() {
        if (waitsForCeiling) {
            waitsForCeiling = false;
            writes.turn().pumpLater(this);
        }
    }

    /**
     * A batch that was to raise the ceiling failed. On a full disk deliveries continue anyway; else the next batch
     * raises it.
     */
    @Override
    public void ceilingNotRaised(RangeException cause) {
        raising = false;
        if (cause.reason() == RangeException.Cause.DISK_FULL) {
            ceiling.allowUnstored(reach() + SentCeiling.MOST_AHEAD);
            ceilingRaised();
        }
    }

    /** Whether nothing waits before a new message. */
    boolean isCaughtUp() {
        return started && ledger.cursor() == ledger.tailOrdinal() && qos0 == null;
    }

    /**
     * Sends or queues a QoS 0 message for this connection, without storing it.
     *
     * @param isReplay whether it is a retained message from a replay
     */
    public void offerQos0(QueuedCopy copy, boolean isReplay) {
        if (isCaughtUp()) {
            hand(copy, 0, false, false);
            return;
        }
        Qos0Places places = qos0;
        if (places == null) {
            places = new Qos0Places(range.holds());
        }
        places.add(new Qos0Places.Place(copy, ledger.lastSequence(), isReplay), range.room(), state.id);
        qos0 = places.isEmpty() ? null : places;
    }

    /**
     * Continues the connection at this leader: it was given everything up to {@code sequence}, and the ledger entries
     * up to there are in flight with it.
     *
     * @param places QoS 0 messages that still wait; null for none
     */
    public void continueBehind(long sequence, @Nullable Qos0Places places) {
        while (ledger.cursor() < ledger.tailOrdinal() && ledger.sequenceAt(ledger.cursor()) <= sequence) {
            ledger.advance();
        }
        qos0 = places;
    }

    /**
     * An operator has emptied the queue, so all unsent messages are finished. Returns the QoS 0 messages that waited in
     * memory behind them.
     */
    public List<QueuedCopy> purged() {
        Qos0Places places = qos0;
        qos0 = null;
        pump();
        if (ledger.cursor() == ledger.tailOrdinal()) {
            heldAt(Long.MAX_VALUE); // releases all held messages, which are no longer in the queue
        }
        return places == null ? List.of() : places.takeUnsent(ledger);
    }

    /** Whether the message may be sent before it is stored. */
    public boolean maySendEarly(long sequence) {
        return credit > 0 && isCaughtUp() && ceiling.allows(sequence);
    }

    /** Sends the last message of the ledger before it is stored. */
    public void sendEarly(QueuedCopy copy, long now) {
        sentAtMillis = now;
        ledger.advance();
        credit--;
        hand(copy, OutboundPacketIds.of(copy.sequence), false, false);
    }

    /** The message is stored. */
    @Override
    public void applied(QueuedCopy copy) {
        if (isSent(copy.sequence)) {
            return;
        }
        ArrayDeque<QueuedCopy> beside = duringRead;
        if (beside != null) {
            if (beside.size() < MAX_HELD && duringReadBytes < MAX_HELD_BYTES) {
                beside.add(copy);
                duringReadBytes += copy.heldBytes();
            } else {
                duringReadLost = true;
            }
            return;
        }
        if (!complete) {
            return;
        }
        if (isFull()) {
            pump();
        }
        if (isFull() || !range.holds().mayHold()) {
            complete = false;
        } else {
            hold(copy);
        }
        writes.turn().pumpLater(this);
    }

    /** Sends all messages that may be sent now. */
    @Override
    public void pump() {
        long now = -1;
        while (started && !closed) {
            if (ledger.cursor() == ledger.tailOrdinal()) {
                sendQos0(Long.MAX_VALUE);
                complete |= duringRead == null;
                break;
            }
            long ordinal = ledger.cursor();
            long sequence = ledger.sequenceAt(ordinal);
            if (qos0 != null) {
                sendQos0(sequence);
            }
            if (ledger.isFinishedAt(ordinal)) {
                ledger.advance();
                continue;
            }
            if (ledger.isReceivedAt(ordinal)) {
                if (credit == 0) {
                    break;
                }
                sendReleased(sequence);
                continue;
            }
            QueuedCopy copy = heldAt(sequence);
            if (copy == null) {
                readOn(sequence, ledger.qosAt(ordinal));
                break;
            }
            now = now < 0 ? range.context().nowMillis() : now;
            if (!send(copy, ordinal, now)) {
                break;
            }
        }
    }

    /** The attachment is about to end: the connection has not sent the messages from {@code sequence} on. */
    public void unsentFrom(long sequence) {
        ledger.unsentFrom(Math.max(sentBefore, sequence));
    }

    /** Delivers the messages that pumping has gathered. */
    @Override
    public void flush() {
        flushQueued = false;
        if (!handover.isEmpty() && !closed) {
            List<InboxMessage> messages = handover;
            handover = new ArrayList<>();
            deliveries.next(new InboxDelivery.Messages(messages));
        }
    }

    /**
     * Ends deliveries. Returns the QoS 0 messages that still wait, to be appended to the queue; a retained one is left
     * out if a newer live message of its topic is queued before it.
     */
    List<QueuedCopy> close() {
        Qos0Places places = takePlaces();
        return places == null ? List.of() : places.takeUnsent(ledger);
    }

    /** Ends deliveries. Returns the QoS 0 messages that still wait; null for none. */
    @Nullable
    Qos0Places takePlaces() {
        closed = true;
        range.holds().released(heldBytes);
        heldBytes = 0;
        held.clear();
        duringRead = null;
        Qos0Places left = qos0;
        qos0 = null;
        return left;
    }

    private boolean send(QueuedCopy copy, long ordinal, long now) {
        boolean mayHaveBeenSent = ordinal < ledger.sentEnd();
        boolean flowHasBegun = copy.qos == Qos.EXACTLY_ONCE && mayHaveBeenSent;
        if (copy.message.isExpired(now) && !flowHasBegun) {
            unhold();
            writes.finish(state, ordinal);
            range.reports().dropped(state.id, copy.message.topic(), DropReason.EXPIRED);
            return true;
        }
        if (copy.qos == Qos.AT_MOST_ONCE) {
            unhold();
            writes.finish(state, ordinal);
            hand(copy, 0, false, false);
            return true;
        }
        if (credit == 0 || ledger.isPacketIdBusy(ordinal)) {
            return false;
        }
        if (!mayHaveBeenSent && !ceiling.allows(copy.sequence)) {
            waitsForCeiling = true;
            if (!ceiling.isComing(copy.sequence)) {
                raiseCeiling();
            }
            return false;
        }
        unhold();
        ledger.advance();
        credit--;
        sentAtMillis = now;
        hand(copy, OutboundPacketIds.of(copy.sequence), mayHaveBeenSent, false);
        if (ceiling.isNearInQueue(copy.sequence) && ledger.cursor() < ledger.tailOrdinal()) {
            raiseCeiling();
        }
        return true;
    }

    private void sendReleased(long sequence) {
        if (heldAt(sequence) != null) {
            unhold();
        }
        ledger.advance();
        credit--;
        Message nothing = new Message("", new byte[0], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
        QueuedCopy released = new QueuedCopy(sequence, nothing, Qos.EXACTLY_ONCE, false, QueuedCopy.NO_IDS, null);
        hand(released, OutboundPacketIds.of(sequence), true, true);
    }

    private void sendQos0(long beforeSequence) {
        Qos0Places places = qos0;
        if (places == null) {
            return;
        }
        for (QueuedCopy copy = places.next(beforeSequence); copy != null; copy = places.next(beforeSequence)) {
            hand(copy, 0, false, false);
        }
        if (places.isEmpty()) {
            qos0 = null;
        }
    }

    private void hand(QueuedCopy copy, int packetId, boolean redelivered, boolean released) {
        handover.add(new InboxMessage(
                copy.sequence,
                packetId,
                copy.message,
                copy.qos,
                copy.retain,
                redelivered,
                released,
                copy.subscriptionIds));
        if (handover.size() >= MAX_HANDOVER) {
            flush();
        } else if (!flushQueued) {
            flushQueued = true;
            writes.turn().flushLater(this);
        }
    }

    // --- held messages

    private boolean isSent(long sequence) {
        long cursor = ledger.cursor();
        return cursor == ledger.tailOrdinal() || sequence < ledger.sequenceAt(cursor);
    }

    private boolean isFull() {
        return held.size() >= MAX_HELD || heldBytes >= MAX_HELD_BYTES;
    }

    private void hold(QueuedCopy copy) {
        held.add(copy);
        heldBytes += copy.heldBytes();
        range.holds().held(copy.heldBytes());
    }

    private void unhold() {
        int bytes = held.remove().heldBytes();
        heldBytes -= bytes;
        range.holds().released(bytes);
    }

    private @Nullable QueuedCopy heldAt(long sequence) {
        QueuedCopy first = held.peek();
        while (first != null && first.sequence < sequence) {
            unhold();
            first = held.peek();
        }
        return first != null && first.sequence == sequence ? first : null;
    }

    private void readOn(long sequence, int qos) {
        if (complete) {
            if (sequence <= state.queue.appliedSequence()) {
                throw new IllegalStateException(
                        "message lost from the queue of " + state.id.clientId() + " sequence=" + sequence);
            }
            return; // its write is pending; applied() will bring it
        }
        if (duringRead != null
                || credit == 0 && qos != 0
                || !held.isEmpty()
                || range.settling().isSettling()) {
            return;
        }
        duringRead = new ArrayDeque<>();
        duringReadBytes = 0;
        duringReadLost = false;
        pages.read(
                reader -> QueueReader.page(reader, state.prefix, sequence, Long.MAX_VALUE, MAX_HELD, MAX_HELD_BYTES),
                this::pageRead);
    }

    private void pageRead(QueueReader.Page page) {
        ArrayDeque<QueuedCopy> beside = duringRead;
        if (closed || beside == null) {
            return;
        }
        duringRead = null;
        long last = 0;
        for (QueuedCopy copy : page.copies()) {
            hold(copy);
            last = copy.sequence;
        }
        if (page.isEnd() && !duringReadLost) {
            for (QueuedCopy copy : beside) {
                if (copy.sequence > last) {
                    hold(copy);
                }
            }
            complete = true;
        }
        pump();
    }
}
