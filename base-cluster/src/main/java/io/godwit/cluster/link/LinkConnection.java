package io.godwit.cluster.link;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a link, from its first message to its end. The first message goes to who made it. What follows is
 * sorted here by the stream's thread, and taken by the threads of the pairing: messages of data wait in a queue for
 * each lane, of confirmations the highest counts. So nothing but data grows, and data up to {@link
 * LinkLimits#maxArrivedBytes}, which an end that keeps to its window cannot pass.
 */
final class LinkConnection implements LinkStream.Events {
    private static final int LANES = Lane.values().length;

    /** Told on the stream's thread; must hand over. */
    interface Owner {
        /** The first message. */
        void begun(LinkConnection connection, byte[] message);

        /** The other end does not keep to the protocol. */
        void broken(LinkConnection connection, String why);

        /** The other end says that the pairing is over. */
        void endedByOther(LinkConnection connection, String why);

        void closed(LinkConnection connection, String why);
    }

    private final Owner owner;
    private final LinkLimits limits;
    private final VersionRange layouts;

    // the owner's, before the pairing is attached
    private @Nullable LinkStream stream;
    private String nodeId = "";
    private boolean isDialed;
    private long session;
    private long[] told = new long[LANES];
    private long[] theirs = new long[LANES];
    private long theirWindow;
    private Agreement agreement = new Agreement(0, 0, 0);

    // the stream's thread
    private boolean hasBegun;
    private boolean isRefused;

    /** Whether the other end may send more than its first message. Set once. Read by the stream's thread. */
    private volatile boolean isAccepted;

    /** Set once. Read by the stream's thread. */
    private volatile @Nullable Pairing pairing;

    private volatile boolean isClosed;
    private final LaneArrivals[] arrivals = new LaneArrivals[LANES];
    /** By lane: written by the stream's thread, read by the pairing's. */
    private final AtomicLongArray confirmed = new AtomicLongArray(LANES);

    /** Data of one lane: put by the stream's thread, taken by the lane's. */
    private static final class LaneArrivals {
        private final Queue<byte[]> messages = new ConcurrentLinkedQueue<>();
        private final AtomicLong bytes = new AtomicLong();
    }

    /** @param layouts of messages that can be read here */
    LinkConnection(Owner owner, LinkLimits limits, VersionRange layouts) {
        this.owner = owner;
        this.limits = limits;
        this.layouts = layouts;
        for (int i = 0; i < LANES; i++) {
            arrivals[i] = new LaneArrivals();
        }
    }

    // --- for the owner, until the pairing is attached

    /** Null before it is there. */
    @Nullable
    LinkStream stream() {
        return stream;
    }

    void stream(LinkStream made) {
        stream = made;
    }

    /** This end dials. */
    void dials(String otherId, long ofSession) {
        nodeId = otherId;
        session = ofSession;
        isDialed = true;
        isAccepted = true; // the other end may send data right behind its answer
    }

    /** This end was dialed. */
    void dialedBy(String otherId, long ofSession) {
        nodeId = otherId;
        session = ofSession;
    }

    /** The other end is about to be told so; until then it has nothing to send. */
    void accepted() {
        isAccepted = true;
    }

    boolean isDialed() {
        return isDialed;
    }

    /** Empty while it is not known. */
    String nodeId() {
        return nodeId;
    }

    long session() {
        return session;
    }

    /** What the other end is told to go on with; by the lane's index. */
    void tell(long[] next) {
        told = next;
    }

    /** What the other end wants, and what both keep to. */
    void hear(long[] next, long windowBytes, Agreement agreed) {
        theirs = next;
        theirWindow = windowBytes;
        agreement = agreed;
    }

    /** Once the other end was heard. */
    Agreement agreement() {
        return agreement;
    }

    void attach(Pairing to) {
        pairing = to;
    }

    boolean isClosed() {
        return isClosed;
    }

    // --- for the pairing

    long told(Lane lane) {
        return told[lane.ordinal()];
    }

    long theirs(Lane lane) {
        return theirs[lane.ordinal()];
    }

    long theirWindow() {
        return theirWindow;
    }

    /** The next message of data; null when none has come. */
    byte @Nullable [] poll(Lane lane) {
        LaneArrivals of = arrivals[lane.ordinal()];
        byte[] message = of.messages.poll();
        if (message != null) {
            of.bytes.addAndGet(-message.length);
        }
        return message;
    }

    /** Up to where the other end has confirmed in this connection. */
    long confirmed(Lane lane) {
        return confirmed.get(lane.ordinal());
    }

    // --- the stream's thread

    @Override
    public void received(byte[] message) {
        if (isRefused) {
            return;
        }
        if (!hasBegun) {
            hasBegun = true;
            owner.begun(this, message);
            return;
        }
        try {
            sort(message);
        } catch (LinkProtocolException e) {
            isRefused = true;
            owner.broken(this, String.valueOf(e.getMessage()));
        }
    }

    private void sort(byte[] message) throws LinkProtocolException {
        byte kind = LinkMessage.kind(message, layouts);
        if (!isAccepted) {
            throw new LinkProtocolException("kind " + kind + " before it was accepted");
        }
        if (kind == LinkMessage.DATA || kind == LinkMessage.PIECE) {
            Lane lane = LinkMessage.lane(message);
            LaneArrivals to = arrivals[lane.ordinal()];
            if (to.bytes.addAndGet(message.length) > limits.maxArrivedBytes()) {
                throw new LinkProtocolException("lane " + lane + " is sent more than its window");
            }
            to.messages.add(message);
            Pairing known = pairing;
            if (known != null) {
                known.arrived(lane);
            }
        } else if (kind == LinkMessage.CONFIRMED) {
            LinkMessage.confirmations(
                    message, (lane, upTo) -> confirmed.accumulateAndGet(lane.ordinal(), upTo, Math::max));
            writable();
        } else if (kind == LinkMessage.END) {
            isRefused = true;
            owner.endedByOther(this, LinkMessage.why(message));
        } else {
            throw new LinkProtocolException("unknown kind " + kind);
        }
    }

    @Override
    public void writable() {
        Pairing known = pairing;
        if (known != null) {
            known.look();
        }
    }

    @Override
    public void closed(String why) {
        isClosed = true;
        owner.closed(this, why);
    }
}
