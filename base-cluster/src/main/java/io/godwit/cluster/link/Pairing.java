package io.godwit.cluster.link;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This end of what two processes are to each other, from the agreement of both ({@link Contacts}) until it is over.
 *
 * <p>Why no frame is lost, doubled or reordered while it lasts:
 *
 * <ul>
 *   <li>A frame gets its sequence number when it is sent as a whole for the first time, and keeps it: connections
 *       change no number, and send what has one by the numbers. So a number is the same frame whenever it is sent, and
 *       a frame of which only pieces were sent is known by no number to anybody.
 *   <li>It stays in {@link LaneOutlet} until it is confirmed, and {@link LaneInlet} confirms only what its receiver has
 *       returned from: confirmed implies received, and what is not confirmed is still here to be sent.
 *   <li>A connection begins with what each end expects next, which is at most one above what it has received. The
 *       outlet goes on exactly there, so nothing is left out. When the receiver was still busy with messages of an
 *       earlier connection, more may have been received than was told; the inlet passes over those numbers, so nothing
 *       is doubled.
 *   <li>In a connection messages arrive in order, and the inlet takes a message only when it goes on where the last one
 *       ended: a gap, by whatever fault, ends the pairing instead of losing a frame. A piece goes on at its offset in
 *       the one frame that comes in pieces; the last one tells the number, which must be the next.
 *   <li>Frames are received by their numbers, so in the order in which they were sent as a whole for the first time.
 *       That is the order of the sends, but for frames of different orders ({@link LaneOutlet} says which): a frame is
 *       passed only by what was sent as a whole before it, and what has a number is not passed any more.
 *   <li>Only one connection is attached. What comes in another is not taken, and a confirmation counts for the
 *       connection that it came in, so that neither end takes a number of one for that of another.
 * </ul>
 *
 * When it is over: {@link #end} is called once, by any thread, with the first reason. From then on sends are lost at
 * once. The pairing's thread tells the other end ({@link LinkMessage#END}), if there is a connection, and calls {@code
 * lost} for each frame that was not confirmed; it may or may not have been received. The receivers' threads stop
 * between two frames. When all of them have, {@code whenEnded} is called; no receiver is any more. If the other end was
 * not reached, its next contact is refused ({@link Contacts}), or it has no connection for as long as the silence
 * lasts.
 *
 * <p>Threads: senders put frames into queues. The pairing's task, on one thread of the pool at a time, owns all outlets
 * and the sending side of the stream; each lane's task owns its inlet, so a slow receiver delays no other lane. A task
 * does a bounded part at once. The CONTROL lanes have a thread of their own: whoever does not confirm what comes there
 * is excluded, however much there is to do for the other lanes.
 */
final class Pairing implements Peer {
    private static final Logger LOG = LoggerFactory.getLogger(Pairing.class);
    private static final Lane[] LANES = Lane.values();
    private static final int MESSAGES_AT_ONCE = 16;

    private final String nodeId;
    private final long incarnation;
    private final long session;
    private final Agreement agreement;
    /** Whether the other end takes frames that pass a larger one. */
    private final boolean knowsOrders;

    private final LinkLimits limits;
    private final LongSupplier nanoClock;
    private final Consumer<Pairing> whenEnded;
    private final PairingLane[] lanes = new PairingLane[LANES.length];
    private final SerialTask sending;

    /** Why it is over; the first who says so counts, of any threads. */
    private final AtomicReference<@Nullable String> over = new AtomicReference<>();
    /** Tasks that have not ended: the lanes' and the pairing's. */
    private final AtomicInteger parts = new AtomicInteger(LANES.length + 1);
    /** What frames go over; null while there is none. Set by the links' thread. */
    private volatile @Nullable LinkConnection attached;
    /** As listeners were told. Set by the links' thread. */
    private volatile boolean isConnected;

    // the pairing's task
    private @Nullable LinkConnection current;
    /** In {@code current}, by lane. */
    private final long[] confirmationsSent = new long[LANES.length];

    private final long[] confirmationsHeard = new long[LANES.length];
    private int turn;
    private boolean hasEnded;

    Pairing(
            String nodeId,
            long incarnation,
            long session,
            Agreement agreement,
            LinkLimits limits,
            Map<Lane, LaneReceiver> receivers,
            Map<Lane, LaneCounters> counters,
            Executor pool,
            Executor control,
            LongSupplier nanoClock,
            Consumer<Pairing> whenEnded) {
        this.nodeId = nodeId;
        this.incarnation = incarnation;
        this.session = session;
        this.agreement = agreement;
        this.knowsOrders = agreement.layout() >= LinkMessage.PIECES_VERSION;
        this.limits = limits;
        this.nanoClock = nanoClock;
        this.whenEnded = whenEnded;
        this.sending = new SerialTask(pool, this::run);
        for (Lane lane : LANES) {
            lanes[lane.ordinal()] = new PairingLane(
                    lane,
                    this,
                    agreement.layout(),
                    limits.maxFrameBytes(),
                    counters.getOrDefault(lane, new LaneCounters()),
                    frame -> receive(receivers.get(lane), lane, frame),
                    lane == Lane.CONTROL ? control : pool,
                    nanoClock);
        }
    }

    /** Null when it is not received: it is over. */
    private @Nullable CompletableFuture<?> receive(@Nullable LaneReceiver receiver, Lane lane, byte[] frame) {
        if (receiver == null) {
            abandon("nothing receives lane " + lane);
            return null;
        }
        try {
            return receiver.take(this, frame);
        } catch (RuntimeException | Error e) { // the thread's outermost frame
            LOG.error("receiver failed lane={} peer={}", lane, this, e);
            abandon("receiver of lane " + lane + " failed: " + e);
            return null;
        }
    }

    // --- the peer, any thread

    @Override
    public String nodeId() {
        return nodeId;
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

    long session() {
        return session;
    }

    @Override
    public boolean isConnected() {
        return isConnected && !isOver();
    }

    Agreement agreement() {
        return agreement;
    }

    @Override
    public int version() {
        return agreement.payload();
    }

    @Override
    public int maxFrameBytes() {
        return agreement.maxFrameBytes();
    }

    @Override
    public void send(Lane lane, byte[] frame, Confirmation confirmation) {
        send(lane, frame, null, confirmation);
    }

    @Override
    public void send(Lane lane, byte[] frame) {
        send(lane, frame, null, null);
    }

    @Override
    public void send(Lane lane, byte[] frame, @Nullable Object order, @Nullable Confirmation confirmation) {
        if (!isOver()) {
            send(lane, new LaneOutlet.Outgoing(frame, knowsOrders ? order : null, confirmation));
        } else if (confirmation != null) {
            confirmation.lost();
        }
    }

    private void send(Lane lane, LaneOutlet.Outgoing frame) {
        if (frame.bytes().length > agreement.maxFrameBytes()) {
            throw new IllegalArgumentException("frame of " + frame.bytes().length + " bytes, at most "
                    + agreement.maxFrameBytes() + " are sent to " + nodeId);
        }
        PairingLane of = lanes[lane.ordinal()];
        long before = of.give(frame);
        sending.signal();
        if (before > limits.boundBytes() && isTooMuch(before, of.passableBytes())) {
            end("more than " + limits.boundBytes() + " bytes wait in lane " + lane);
        }
    }

    /** Small frames go on beside a passable one that is larger than the bound. */
    private boolean isTooMuch(long bytes, long passableBytes) {
        return bytes - passableBytes > limits.boundBytes() || bytes > limits.boundBytes() + agreement.maxFrameBytes();
    }

    @Override
    public boolean isWritable(Lane lane) {
        return unconfirmedBytes(lane) < limits.windowBytes();
    }

    @Override
    public boolean isWritable(Lane lane, int frameBytes) {
        PairingLane of = lanes[lane.ordinal()];
        long passable = of.passableBytes();
        long others = of.unconfirmedBytes() - passable;
        long window = limits.windowBytes();
        if (knowsOrders && frameBytes > PASSABLE_BYTES) {
            return passable < window && others < 2 * window;
        }
        return others < window && passable < window + agreement.maxFrameBytes();
    }

    long unconfirmedBytes(Lane lane) {
        return lanes[lane.ordinal()].unconfirmedBytes();
    }

    @Override
    public void abandon(String why) {
        end(LinkMessage.words(why));
    }

    void violated(String why) {
        LOG.warn("peer does not keep to the protocol peer={} why={}", this, why);
        end("protocol: " + why);
    }

    /** It is over, if it was not yet. */
    void end(String why) {
        if (over.compareAndSet(null, why)) {
            look();
        }
    }

    boolean isOver() {
        return over.get() != null;
    }

    /** Once it is over. */
    String why() {
        return String.valueOf(over.get());
    }

    // --- the links' thread

    /** What it is ready to receive, by the lane's index. */
    long[] expected() {
        long[] next = new long[LANES.length];
        for (Lane lane : LANES) {
            next[lane.ordinal()] = lanes[lane.ordinal()].received() + 1;
        }
        return next;
    }

    void connected(boolean changed) {
        isConnected = changed;
    }

    void attach(@Nullable LinkConnection connection) {
        attached = connection;
        look();
        for (PairingLane lane : lanes) {
            lane.signal();
        }
    }

    // --- what connections and lanes tell

    @Nullable
    LinkConnection attached() {
        return attached;
    }

    void arrived(Lane lane) {
        lanes[lane.ordinal()].signal();
    }

    /** There may be something to send or to settle. */
    void look() {
        sending.signal();
    }

    void partEnded() {
        if (parts.decrementAndGet() == 0) {
            whenEnded.accept(this);
        }
    }

    // --- the pairing's task

    private boolean run() {
        try {
            if (isOver()) {
                finish();
                return false;
            }
            for (PairingLane lane : lanes) {
                lane.collect();
            }
            settle();
            return write();
        } catch (LinkProtocolException e) {
            violated(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) { // the thread's outermost frame
            LOG.error("peer given up peer={}", this, e);
            end("failed here: " + e);
        }
        return true;
    }

    /** Follows the attached connection, and takes its confirmations. */
    private void settle() throws LinkProtocolException {
        LinkConnection now = attached;
        boolean isNew = now != current;
        current = now;
        for (Lane each : LANES) {
            PairingLane lane = lanes[each.ordinal()];
            if (isNew) {
                lane.resumed();
                confirmationsSent[each.ordinal()] = 0;
                confirmationsHeard[each.ordinal()] = 0;
                if (now == null) {
                    lane.outlet.suspend();
                } else {
                    lane.outlet.resume(now.theirs(each), now.theirWindow(), frame -> confirmed(lane, frame));
                }
            }
            long upTo = now == null ? 0 : now.confirmed(each);
            if (upTo > confirmationsHeard[each.ordinal()]) {
                confirmationsHeard[each.ordinal()] = upTo;
                lane.outlet.confirm(upTo, frame -> confirmed(lane, frame));
                lane.measure(nanoClock);
            }
        }
    }

    private static void confirmed(PairingLane lane, LaneOutlet.Outgoing frame) {
        lane.settle(frame);
        Confirmation confirmation = frame.confirmation();
        if (confirmation != null) {
            confirmation.confirmed();
        }
    }

    /** Confirmations first: they free what the other end holds. Then each lane in turn. */
    private boolean write() {
        LinkConnection to = current;
        LinkStream stream = to == null ? null : to.stream();
        if (to == null || stream == null || !stream.isReady()) {
            return false;
        }
        confirm(to, stream);
        int idle = 0;
        for (int sent = 0; sent < MESSAGES_AT_ONCE; ) {
            byte[] message = lanes[turn].next(nanoClock);
            turn = (turn + 1) % LANES.length;
            if (message == null) {
                idle++;
                if (idle == LANES.length) {
                    return false;
                }
                continue;
            }
            idle = 0;
            stream.send(message);
            sent++;
            if (!stream.isReady()) {
                return false; // told when it is
            }
        }
        return true;
    }

    private void confirm(LinkConnection to, LinkStream stream) {
        long[] due = new long[LANES.length];
        boolean isDue = false;
        for (int i = 0; i < LANES.length; i++) {
            long upTo = lanes[i].receivedIn(to);
            if (upTo > confirmationsSent[i]) {
                confirmationsSent[i] = upTo;
                due[i] = upTo;
                isDue = true;
            }
        }
        if (isDue) {
            stream.send(LinkMessage.confirmed(agreement.layout(), due));
        }
    }

    /** Also for what is given while it ends, or after. */
    private void finish() {
        for (PairingLane lane : lanes) {
            lane.collect();
            for (LaneOutlet.Outgoing frame : lane.outlet.end()) {
                lane.settle(frame);
                lose(frame.confirmation());
            }
        }
        if (!hasEnded) {
            hasEnded = true;
            LinkConnection last = attached;
            LinkStream stream = last == null ? null : last.stream();
            if (stream != null) {
                stream.send(LinkMessage.end(agreement.layout(), why()));
                stream.finish();
            }
            for (PairingLane lane : lanes) {
                lane.signal();
            }
            partEnded();
        }
    }

    private void lose(@Nullable Confirmation confirmation) {
        try {
            if (confirmation != null) {
                confirmation.lost();
            }
        } catch (RuntimeException | Error e) { // the others must learn of it
            LOG.error("confirmation failed peer={}", this, e);
        }
    }

    @Override
    public String toString() {
        return nodeId + '/' + incarnation + '#' + session;
    }
}
