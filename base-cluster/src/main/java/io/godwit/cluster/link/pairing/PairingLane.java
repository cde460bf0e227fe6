package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One lane of a pairing: its state shared by senders, the pairing's task and the receiver's task, and the state that
 * each of them owns.
 */
final class PairingLane {
    /** Messages that a receiver takes before it lets other lanes run. */
    private static final int MESSAGES_AT_ONCE = 4;
    /**
     * Time after which a receiver lets other lanes run, because one frame may take long, such as a message with many
     * receivers.
     */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Lane lane;
    private final PairingState pairing;
    private final LaneCounters counters;
    private final Function<byte[], @Nullable CompletableFuture<?>> receiver;
    private final LongSupplier nanoClock;
    private final SerialTask receiving;

    /** Frames given by senders, taken by the pairing's task. */
    private final Queue<LaneOutlet.Outgoing> given = new ConcurrentLinkedQueue<>();
    /** Charges of unconfirmed frames. Senders add, the pairing's task subtracts. */
    private final AtomicLong unconfirmedBytes = new AtomicLong();
    /** The part of {@code unconfirmedBytes} that belongs to passable frames. */
    private final AtomicLong passableBytes = new AtomicLong();

    // owned by the pairing's task
    final LaneOutlet outlet;
    /** Sequence number of the frame whose round trip is being measured; 0 for none. */
    private long sampled;

    private long sampledNanos;

    // owned by the receiver's task
    private final LaneInlet inlet;
    private @Nullable LinkConnection connection;
    private boolean hasEnded;
    /** The future that the next frame waits for. */
    private CompletableFuture<?> pause = LaneReceiver.READY;

    private long turnEndNanos;

    /** Received in {@code connection}. Written by the receiver's task. */
    private volatile Progress progress = new Progress(null, 0);

    private record Progress(@Nullable LinkConnection connection, long upTo) {}

    /**
     * @param receiver returns the future that the next frame waits for; null if it did not receive this frame, because
     *     the pairing is over
     */
    PairingLane(
            Lane lane,
            PairingState pairing,
            int version,
            LaneCounters counters,
            Function<byte[], @Nullable CompletableFuture<?>> receiver,
            PairingServices services) {
        this.lane = lane;
        this.pairing = pairing;
        this.counters = counters;
        this.receiver = receiver;
        this.nanoClock = services.nanoClock();
        this.receiving = new SerialTask(services.receiving(lane), this::receive);
        this.outlet = new LaneOutlet(lane, version);
        this.inlet = new LaneInlet(lane, services.limits().maxFrameBytes());
    }

    LaneCounters counters() {
        return counters;
    }

    // --- senders

    /** Queues a frame; returns the unconfirmed bytes before it. */
    long give(LaneOutlet.Outgoing frame) {
        if (frame.isPassable()) {
            passableBytes.addAndGet(frame.charge());
        }
        long before = unconfirmedBytes.getAndAdd(frame.charge());
        given.add(frame);
        return before;
    }

    long unconfirmedBytes() {
        return unconfirmedBytes.get();
    }

    /** The part of {@link #unconfirmedBytes} that belongs to passable frames. */
    long passableBytes() {
        return passableBytes.get();
    }

    // --- the pairing's task

    /** Moves the given frames to the outlet. */
    void collect() {
        for (LaneOutlet.Outgoing frame = given.poll(); frame != null; frame = given.poll()) {
            outlet.add(frame);
        }
    }

    byte @Nullable [] next(LongSupplier nanoClock) {
        long from = outlet.nextSequence();
        byte[] message = outlet.next(counters);
        if (message != null && sampled == 0 && outlet.nextSequence() > from) {
            sampled = from;
            sampledNanos = nanoClock.getAsLong();
        }
        return message;
    }

    /** Stops a measurement that was begun in the former connection. */
    void resumed() {
        sampled = 0;
    }

    /** Ends a measurement if its frame is confirmed. Called after the outlet was told of a confirmation. */
    void measure(LongSupplier nanoClock) {
        if (sampled != 0 && outlet.confirmedUpTo() >= sampled) {
            counters.roundTripNanos.set(Math.max(1, nanoClock.getAsLong() - sampledNanos));
            sampled = 0;
        }
    }

    void settle(LaneOutlet.Outgoing frame) {
        unconfirmedBytes.addAndGet(-frame.charge());
        if (frame.isPassable()) {
            passableBytes.addAndGet(-frame.charge());
        }
    }

    /** The sequence number up to which frames were received in {@code of}; 0 for none. */
    long receivedIn(LinkConnection of) {
        Progress now = progress;
        return now.connection() == of ? now.upTo() : 0;
    }

    // --- the receiver's task

    /** Signals that there is something to receive, or that the pairing is over. Any thread. */
    void signal() {
        receiving.signal();
    }

    /** See {@link LaneInlet#received}. */
    long received() {
        return inlet.received();
    }

    private boolean receive() {
        LinkConnection now = pairing.attached();
        if (pairing.isOver()) {
            if (!hasEnded) {
                hasEnded = true;
                pairing.partEnded();
            }
            return false;
        }
        if (now != connection) {
            connection = now;
            if (now != null) {
                inlet.begin(now.told(lane));
            }
        }
        if (now == null || !pause.isDone()) {
            return false; // signalled when there is a connection, the pause is over or the pairing is
        }
        turnEndNanos = nanoClock.getAsLong() + TURN_NANOS;
        for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
            byte[] message = inlet.isWithin() ? null : now.poll(lane);
            if (message == null && !inlet.isWithin()) {
                return false;
            }
            LaneInlet.Answer answer = take(now, message);
            if (!pause.isDone()) {
                return false;
            }
            if (answer != LaneInlet.Answer.NEXT) {
                return true; // its time is used up, or the pairing is over
            }
        }
        return true;
    }

    /** @param message null to go on with the rest of the last one */
    private LaneInlet.Answer take(LinkConnection from, byte @Nullable [] message) {
        LaneInlet.Answer answer = LaneInlet.Answer.NEVER;
        try {
            if (message != null && LinkMessage.isPiece(message)) {
                answer = inlet.takePiece(message, this::received);
            } else {
                if (message != null) {
                    inlet.open(message);
                }
                answer = inlet.take(this::received);
            }
        } catch (LinkProtocolException e) {
            pairing.violated(String.valueOf(e.getMessage()));
        }
        if (inlet.confirmable() > 0) {
            progress = new Progress(from, inlet.confirmable());
            if (lane == Lane.CONTROL) {
                pairing.look();
            } else {
                pairing.lookUnlessDue();
            }
        }
        return answer;
    }

    private LaneInlet.Answer received(byte[] frame) {
        CompletableFuture<?> next = pairing.isOver() ? null : receiver.apply(frame);
        if (next == null) {
            return LaneInlet.Answer.NEVER;
        }
        counters.receivedFrames.incrementAndGet();
        counters.receivedBytes.addAndGet(frame.length);
        if (!next.isDone()) {
            pause = next;
            next.whenComplete((done, failure) -> signal());
            return LaneInlet.Answer.LATER;
        }
        return nanoClock.getAsLong() - turnEndNanos > 0 ? LaneInlet.Answer.LATER : LaneInlet.Answer.NEXT;
    }
}
