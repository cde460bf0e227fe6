package io.godwit.cluster.link;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One lane of a pairing: what its senders, its pairing's thread and its receiver's thread share, and what each owns.
 */
final class PairingLane {
    /** Messages that a receiver takes before other lanes have their turn. */
    private static final int MESSAGES_AT_ONCE = 4;

    private final Lane lane;
    private final Pairing pairing;
    private final LaneCounters counters;
    private final Predicate<byte[]> receiver;
    private final SerialTask receiving;

    /** Given by senders, taken by the pairing's thread. */
    private final Queue<LaneOutlet.Outgoing> given = new ConcurrentLinkedQueue<>();
    /** Charges of what is not confirmed. Senders add, the pairing's thread takes away. */
    private final AtomicLong unconfirmedBytes = new AtomicLong();

    // the pairing's thread
    final LaneOutlet outlet;
    /** The frame that tells the round trip, when it is confirmed; 0 for none. */
    private long sampled;

    private long sampledNanos;

    // the thread of the receiver
    private final LaneInlet inlet;
    private @Nullable LinkConnection connection;
    private boolean hasEnded;

    /** Received in {@code connection}. Written by the thread of the receiver. */
    private volatile Progress progress = new Progress(null, 0);

    private record Progress(@Nullable LinkConnection connection, long upTo) {}

    PairingLane(
            Lane lane,
            Pairing pairing,
            int version,
            int maxFrameBytes,
            LaneCounters counters,
            Predicate<byte[]> receiver,
            Executor pool) {
        this.lane = lane;
        this.pairing = pairing;
        this.counters = counters;
        this.receiver = receiver;
        this.receiving = new SerialTask(pool, this::receive);
        this.outlet = new LaneOutlet(lane, version);
        this.inlet = new LaneInlet(lane, maxFrameBytes);
    }

    LaneCounters counters() {
        return counters;
    }

    // --- senders

    /** Returns how many bytes waited before. */
    long give(LaneOutlet.Outgoing frame) {
        long before = unconfirmedBytes.getAndAdd(frame.charge());
        given.add(frame);
        return before;
    }

    long unconfirmedBytes() {
        return unconfirmedBytes.get();
    }

    // --- the pairing's thread

    /** Hands what was given to the outlet. */
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

    /** Forgets what was measured in the connection before. */
    void resumed() {
        sampled = 0;
    }

    /** After the outlet was told of a confirmation. */
    void measure(LongSupplier nanoClock) {
        if (sampled != 0 && outlet.confirmedUpTo() >= sampled) {
            counters.roundTripNanos.set(Math.max(1, nanoClock.getAsLong() - sampledNanos));
            sampled = 0;
        }
    }

    void settle(LaneOutlet.Outgoing frame) {
        unconfirmedBytes.addAndGet(-frame.charge());
    }

    /** Up to where this end has received in a connection; 0 for nothing. */
    long receivedIn(LinkConnection of) {
        Progress now = progress;
        return now.connection() == of ? now.upTo() : 0;
    }

    // --- the thread of the receiver

    /** There is something to receive, or the pairing is over. Any thread. */
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
        if (now == null) {
            return false;
        }
        for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
            byte[] message = now.poll(lane);
            if (message == null) {
                return false;
            }
            if (!take(now, message)) {
                return true; // it is over
            }
        }
        return true;
    }

    private boolean take(LinkConnection from, byte[] message) {
        boolean isTaken = false;
        try {
            isTaken = inlet.take(message, this::received);
        } catch (LinkProtocolException e) {
            pairing.violated(String.valueOf(e.getMessage()));
        }
        if (inlet.confirmable() > 0) {
            progress = new Progress(from, inlet.confirmable());
            pairing.look();
        }
        return isTaken;
    }

    private boolean received(byte[] frame) {
        if (pairing.isOver() || !receiver.test(frame)) {
            return false;
        }
        counters.receivedFrames.incrementAndGet();
        counters.receivedBytes.addAndGet(frame.length);
        return true;
    }
}
