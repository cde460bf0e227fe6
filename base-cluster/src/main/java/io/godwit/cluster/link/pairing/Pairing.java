package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.connection.Agreement;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.connection.LinkLimits;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import io.godwit.cluster.link.stream.LinkStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This end of the relation between two processes, from the agreement of both ({@code Contacts}) until it is over.
 *
 * <p>Why no frame is lost, duplicated or reordered during its life:
 *
 * <ul>
 *   <li>A frame gets its sequence number when it is first sent as a whole, and keeps it over all connections. Numbered
 *       frames are sent in the order of their numbers. So a number always means the same frame, and a frame of which
 *       only pieces were sent has no number at either end.
 *   <li>A frame stays in {@link LaneOutlet} until it is confirmed, and {@link LaneInlet} confirms a frame only after
 *       its receiver has returned. So a confirmed frame was received, and an unconfirmed one can be sent again.
 *   <li>A connection begins with the number that each end expects next, which is at most one above the last that it has
 *       received. The outlet goes on exactly there, so no frame is left out. If the receiver was still busy with
 *       messages of an earlier connection, more may have been received than was announced; the inlet skips those
 *       numbers, so no frame is duplicated.
 *   <li>Within a connection messages arrive in order, and the inlet accepts a message only if it begins where the last
 *       one ended: a gap, from whatever fault, ends the pairing instead of losing a frame. A piece must continue at its
 *       offset in the one frame that comes in pieces; the last piece has the next sequence number.
 *   <li>Frames are received in the order of their numbers, which is the order in which they were first sent as a whole.
 *       That is the order of the sends, except for frames of different orders ({@link LaneOutlet}): only frames sent as
 *       a whole before a frame can pass it, and a frame with a number is not passed any more.
 *   <li>Only one connection is attached. Messages of other connections are not taken, and a confirmation counts only
 *       for the connection in which it came, so the numbers of two connections are never mixed up.
 * </ul>
 *
 * The end: {@link #end} takes effect once, on any thread; the first reason counts. Later sends are lost at once. The
 * pairing's task tells the other end ({@link LinkMessage#END}) if there is a connection, and calls {@code lost} for
 * each unconfirmed frame, which may or may not have been received. The receivers' tasks stop after the frame that they
 * are handling. When all have stopped, {@code whenEnded} is called, and no receiver runs any more. If the other end was
 * not reached, its next contact is refused ({@code Contacts}), or it ends its pairing after the silence.
 *
 * <p>Threads: senders put frames into queues. The pairing's task owns all outlets and the sending side of the stream.
 * It runs on the thread of the stream's events, so that no other thread has to wake up between a frame and the socket;
 * while there is no stream, it runs on a thread of the pool. Each lane's task owns its inlet and runs on the pool, so a
 * slow receiver delays no other lane. A task does a bounded amount of work at once. The CONTROL lanes have a thread of
 * their own, because a node that does not confirm CONTROL frames is excluded, however busy the other lanes are.
 *
 * <p>A message costs each end much more than a frame in it. So while many frames pass, the pairing's task runs about
 * once per {@link #BEAT_NANOS}: frames and confirmations of the data lanes wait until then and share a message. Frames
 * behind many unconfirmed bytes do not wait, nor do CONTROL frames.
 */
public final class Pairing implements Peer, LinkConnection.Taker {
    private static final Logger LOG = LoggerFactory.getLogger(Pairing.class);
    private static final Lane[] LANES = Lane.values();
    private static final byte[] NOTHING = {};
    private static final int MESSAGES_AT_ONCE = 16;
    /** How long frames wait for others while many pass. */
    static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** With fewer frames in {@code BUSY_NANOS} nobody waits: one publisher that awaits each answer is not slowed. */
    static final int BUSY_FRAMES = 8;

    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Frames do not wait behind this many unconfirmed bytes. */
    private static final int URGENT_BYTES = LinkMessage.BATCH_BYTES / 2;

    private final PairingId id;
    private final Agreement agreement;
    /** Whether the other end supports frames that pass a larger one. */
    private final boolean knowsOrders;

    private final LinkLimits limits;
    private final Executor pool;
    private final LongSupplier nanoClock;
    private final PairingLane[] lanes = new PairingLane[LANES.length];
    private final PairingState state;

    /** Whether listeners were told that it is connected. Set by the links' thread. */
    private volatile boolean isConnected;

    // used by the pairing's task
    private @Nullable LinkConnection current;
    /** Confirmed sequence numbers sent in {@code current}, by lane. */
    private final long[] confirmationsSent = new long[LANES.length];

    private final long[] confirmationsHeard = new long[LANES.length];
    /** When the count of {@code passed} began. */
    private long passedSinceNanos;
    /** Frames that were sent or confirmed since then. */
    private long passed;

    private int turn;
    private boolean hasEnded;

    public Pairing(
            PairingId id,
            Agreement agreement,
            PairingServices services,
            Map<Lane, LaneCounters> counters,
            Consumer<Pairing> whenEnded) {
        this.id = id;
        this.agreement = agreement;
        this.knowsOrders = agreement.layout() >= LinkMessage.PIECES_VERSION;
        this.limits = services.limits();
        this.pool = services.pool();
        this.nanoClock = services.nanoClock();
        this.passedSinceNanos = nanoClock.getAsLong();
        this.state = new PairingState(
                toString(), LANES.length + 1, new SerialTask(this::execute, this::run), () -> whenEnded.accept(this));
        for (Lane lane : LANES) {
            lanes[lane.ordinal()] = new PairingLane(
                    lane,
                    state,
                    agreement.layout(),
                    counters.getOrDefault(lane, new LaneCounters()),
                    frame -> receive(services.receivers().get(lane), lane, frame),
                    services);
        }
    }

    /** The receiver's future; null if the frame was not received, because the pairing is over. */
    private @Nullable CompletableFuture<?> receive(@Nullable LaneReceiver receiver, Lane lane, byte[] frame) {
        if (receiver == null) {
            abandon("no receiver for lane " + lane);
            return null;
        }
        try {
            return receiver.take(this, frame);
        } catch (RuntimeException | Error e) { // outermost frame of the thread
            LOG.error("receiver failed lane={} peer={}", lane, this, e);
            abandon("receiver of lane " + lane + " failed: " + e);
            return null;
        }
    }

    // --- Peer, any thread

    @Override
    public String nodeId() {
        return id.nodeId();
    }

    @Override
    public long incarnation() {
        return id.incarnation();
    }

    public long session() {
        return id.session();
    }

    @Override
    public boolean isConnected() {
        return isConnected && !isOver();
    }

    public Agreement agreement() {
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
        send(lane, frame, NOTHING, order, confirmation);
    }

    @Override
    public void send(Lane lane, byte[] head, byte[] tail, @Nullable Object order, @Nullable Confirmation confirmation) {
        if (!isOver()) {
            send(lane, new LaneOutlet.Outgoing(head, tail, knowsOrders ? order : null, confirmation));
        } else if (confirmation != null) {
            confirmation.lost();
        }
    }

    private void send(Lane lane, LaneOutlet.Outgoing frame) {
        if (frame.length() > agreement.maxFrameBytes()) {
            throw new IllegalArgumentException("frame of " + frame.length() + " bytes, at most "
                    + agreement.maxFrameBytes() + " are sent to " + id.nodeId());
        }
        PairingLane of = lanes[lane.ordinal()];
        long before = of.give(frame);
        if (lane == Lane.CONTROL || before > URGENT_BYTES) {
            state.look();
        } else {
            state.lookUnlessDue();
        }
        if (before > limits.boundBytes() && isTooMuch(before, of.passableBytes())) {
            end("more than " + limits.boundBytes() + " bytes wait in lane " + lane);
        }
    }

    /** Passable bytes do not count to the bound, so that small frames go on beside a frame larger than the bound. */
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

    public long unconfirmedBytes(Lane lane) {
        return lanes[lane.ordinal()].unconfirmedBytes();
    }

    @Override
    public void abandon(String why) {
        end(LinkMessage.words(why));
    }

    public void violated(String why) {
        state.violated(why);
    }

    /** Ends the pairing, unless it is over already. */
    public void end(String why) {
        state.end(why);
    }

    public boolean isOver() {
        return state.isOver();
    }

    /** Why it is over. Call only when it is over. */
    public String why() {
        return state.why();
    }

    // --- the links' thread

    /** The sequence number of the next frame that this end expects, by lane index. */
    public long[] expected() {
        long[] next = new long[LANES.length];
        for (Lane lane : LANES) {
            next[lane.ordinal()] = lanes[lane.ordinal()].received() + 1;
        }
        return next;
    }

    public void connected(boolean changed) {
        isConnected = changed;
    }

    public void attach(@Nullable LinkConnection connection) {
        state.attach(connection);
        for (PairingLane lane : lanes) {
            lane.signal();
        }
    }

    // --- called by connections

    @Override
    public void arrived(Lane lane) {
        lanes[lane.ordinal()].signal();
    }

    @Override
    public void look() {
        state.look();
    }

    // --- the pairing's task

    /** Changes of the thread are harmless: {@link SerialTask} begins no run before the last one has ended. */
    private void execute(Runnable task) {
        LinkConnection to = state.attached();
        LinkStream stream = to == null ? null : to.stream();
        Executor thread = stream == null ? null : stream.thread();
        (thread == null ? pool : thread).execute(task);
    }

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
            boolean isMoreToDo = write();
            if (!isMoreToDo) {
                beat();
            }
            return isMoreToDo;
        } catch (LinkProtocolException e) {
            violated(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) { // outermost frame of the thread
            LOG.error("peer given up peer={}", this, e);
            end("failed on this node: " + e);
        }
        return true;
    }

    /** Follows the attached connection, and handles its confirmations. */
    private void settle() throws LinkProtocolException {
        LinkConnection now = state.attached();
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

    /** Sends confirmations first, because they free memory at the other end, then messages of each lane in turn. */
    private boolean write() {
        LinkConnection to = current;
        LinkStream stream = to == null ? null : to.stream();
        if (to == null || stream == null || !stream.isReady()) {
            return false;
        }
        confirm(to, stream);
        int idle = 0;
        for (int sent = 0; sent < MESSAGES_AT_ONCE; ) {
            long next = lanes[turn].outlet.nextSequence();
            byte[] message = lanes[turn].next(nanoClock);
            passed += lanes[turn].outlet.nextSequence() - next;
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
                return false; // the stream signals when it is ready again
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
                passed += upTo - Math.max(confirmationsSent[i], to.told(LANES[i]) - 1);
                confirmationsSent[i] = upTo;
                due[i] = upTo;
                isDue = true;
            }
        }
        if (isDue) {
            stream.send(LinkMessage.confirmed(agreement.layout(), due));
        }
    }

    /** If many frames pass, delays the next run of the task by a beat, so that frames share a message. */
    private void beat() {
        long now = nanoClock.getAsLong();
        boolean isBusy = passed >= BUSY_FRAMES;
        if (now - passedSinceNanos >= BUSY_NANOS) {
            passedSinceNanos = now;
            passed = 0;
        }
        LinkConnection to = current;
        LinkStream stream = to == null ? null : to.stream();
        LinkStream.EventThread thread = stream == null ? null : stream.thread();
        if (isBusy && thread != null && thread.hasFineTimers()) {
            state.lookLater(thread, BEAT_NANOS);
        }
    }

    /** Drops all frames, including those given during or after the end, and ends the task. */
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
            LinkConnection last = state.attached();
            LinkStream stream = last == null ? null : last.stream();
            if (stream != null) {
                stream.send(LinkMessage.end(agreement.layout(), why()));
                stream.finish();
            }
            for (PairingLane lane : lanes) {
                lane.signal();
            }
            state.partEnded();
        }
    }

    private void lose(@Nullable Confirmation confirmation) {
        try {
            if (confirmation != null) {
                confirmation.lost();
            }
        } catch (RuntimeException | Error e) { // the others must still be told
            LOG.error("confirmation failed peer={}", this, e);
        }
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
