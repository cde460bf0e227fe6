package io.godwit.cluster.link.connection;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.link.stream.LinkStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a link, from its first message to its end. The first message goes to the owner. Later messages are
 * sorted here by the stream's thread and taken by the pairing's threads: data messages wait in a queue per lane; of
 * confirmations only the highest is kept. So only data can grow, up to {@link LinkLimits#maxArrivedBytes}, which an end
 * that respects its window cannot exceed.
 */
public final class LinkConnection implements LinkStream.Events {
    private static final int LANES = Lane.values().length;

    /** Receives events on the stream's thread; must hand over and return. */
    public interface Owner {
        /** The first message has arrived. */
        void begun(LinkConnection connection, byte[] message);

        /** The other end broke the protocol. */
        void broken(LinkConnection connection, String why);

        /** The other end says that the pairing is over. */
        void endedByOther(LinkConnection connection, String why);

        void closed(LinkConnection connection, String why);
    }

    /** Learns what has come, once a pairing uses the connection. On the stream's thread. */
    public interface Taker {
        /** A data message of {@code lane} waits for {@link #poll}. */
        void arrived(Lane lane);

        /** A confirmation has come, or the stream is writable again. */
        void look();
    }

    private final Owner owner;
    private final LinkLimits limits;
    private final VersionRange layouts;

    // used by the owner until the pairing is attached
    private @Nullable LinkStream stream;
    private String nodeId = "";
    private boolean isDialed;
    private long session;
    private long[] told = new long[LANES];
    private long[] theirs = new long[LANES];
    private long theirWindow;
    private Agreement agreement = new Agreement(0, 0, 0);

    // used by the stream's thread
    private boolean hasBegun;
    private boolean isRefused;

    /** Whether the other end may send more than its first message. Set once. Read by the stream's thread. */
    private volatile boolean isAccepted;

    /** Set once. Read by the stream's thread. */
    private volatile @Nullable Taker pairing;

    private volatile boolean isClosed;
    private final LaneArrivals[] arrivals = new LaneArrivals[LANES];
    /** The confirmed sequence number of each lane. Written by the stream's thread, read by the pairing's. */
    private final AtomicLongArray confirmed = new AtomicLongArray(LANES);

    /** Data messages of one lane: added by the stream's thread, removed by the lane's. */
    private static final class LaneArrivals {
        private final Queue<byte[]> messages = new ConcurrentLinkedQueue<>();
        private final AtomicLong bytes = new AtomicLong();
    }

    /** @param layouts the versions of messages that can be read */
    public LinkConnection(Owner owner, LinkLimits limits, VersionRange layouts) {
        this.owner = owner;
        this.limits = limits;
        this.layouts = layouts;
        for (int i = 0; i < LANES; i++) {
            arrivals[i] = new LaneArrivals();
        }
    }

    // --- for the owner, until the pairing is attached

    /** The stream; null until it is set. */
    public @Nullable LinkStream stream() {
        return stream;
    }

    public void stream(LinkStream made) {
        stream = made;
    }

    /** This end dials. */
    public void dials(String otherId, long ofSession) {
        nodeId = otherId;
        session = ofSession;
        isDialed = true;
        isAccepted = true; // the other end may send data right after its answer
    }

    /** This end was dialed. */
    public void dialedBy(String otherId, long ofSession) {
        nodeId = otherId;
        session = ofSession;
    }

    /** Called before the other end is told that it was accepted; until then it may not send anything. */
    public void accepted() {
        isAccepted = true;
    }

    public boolean isDialed() {
        return isDialed;
    }

    /** Empty until the node is known. */
    public String nodeId() {
        return nodeId;
    }

    public long session() {
        return session;
    }

    /** Stores the sequence numbers that the other end is told to begin with, by lane index. */
    public void tell(long[] next) {
        told = next;
    }

    /** Stores the sequence numbers and the window of the other end, and what both agreed on. */
    public void hear(long[] next, long windowBytes, Agreement agreed) {
        theirs = next;
        theirWindow = windowBytes;
        agreement = agreed;
    }

    /** The agreement; not valid before {@link #hear}. */
    public Agreement agreement() {
        return agreement;
    }

    public void attach(Taker to) {
        pairing = to;
    }

    public boolean isClosed() {
        return isClosed;
    }

    // --- for the pairing

    public long told(Lane lane) {
        return told[lane.ordinal()];
    }

    public long theirs(Lane lane) {
        return theirs[lane.ordinal()];
    }

    public long theirWindow() {
        return theirWindow;
    }

    /** The next data message of a lane; null if there is none. */
    public byte @Nullable [] poll(Lane lane) {
        LaneArrivals of = arrivals[lane.ordinal()];
        byte[] message = of.messages.poll();
        if (message != null) {
            of.bytes.addAndGet(-message.length);
        }
        return message;
    }

    /** The sequence number that the other end has confirmed in this connection. */
    public long confirmed(Lane lane) {
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
            Taker known = pairing;
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
        Taker known = pairing;
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
