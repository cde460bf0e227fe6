package io.godwit.dist.peer;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.kv.client.Resend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages of QoS 1 and 2 for live sessions of other nodes, while the LIVE lane of the node has no room. They wait here
 * as they are, and become frames when they are sent: a frame may be hundreds of times larger than its message, since it
 * names its publisher. Without this, clients could fill the lane beyond its bound, and a healthy node would be given
 * up. The publisher gets no acknowledgement meanwhile, so what it may have unacknowledged holds it back.
 *
 * <p>Order: while a message waits for a peer, all later ones for this peer wait behind it. Who finds that none waits
 * may send by itself: its own earlier ones have been sent then.
 *
 * <p>A message is refused when it has waited for {@link #MOST_TIME}, or when more than a bound of bytes would wait for
 * its peer. What publishers may have unacknowledged stays below the bound; what stores publish, and what sessions leave
 * to their groups, tries it again later or is counted as dropped.
 *
 * <p>Thread-safe. Timers send what waits, one look at a time; nothing is called with the lock held.
 */
final class HeldMessages {
    /** Longer than the silence after which a link is over: a node that has died ends the wait, and refuses nobody. */
    static final Duration MOST_TIME = Duration.ofSeconds(30);

    static final Duration LOOK = Duration.ofMillis(10);
    /** How long a look sends to one peer, however quickly that one takes it: others need the timers too. */
    private static final Duration TURN = Duration.ofMillis(5);

    private static final Logger LOG = LoggerFactory.getLogger(HeldMessages.class);
    private static final long LEAST_BYTES = 64 << 20;
    private static final int HEAP_SHARE = 4;

    /** A message on its way to one peer. Exactly one of the two is called, once. */
    interface Sending {
        /** Makes the frame, and gives it to the link. */
        void send();

        /** The message does not go to the peer. */
        void refuse(DistOutcome outcome);
    }

    private record Held(Sending sending, Resend resend, long heapBytes, long endNanos) {}

    private static final class Waiting {
        private final Deque<Held> messages = new ArrayDeque<>();
        private long bytes;
    }

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final long mostBytes;
    /** An entry has a message at least. Guarded by this, with what is in it. */
    private final Map<Peer, Waiting> waiting = new LinkedHashMap<>();

    /** A look is to come, or is under way. Guarded by this. */
    private boolean isLooking;
    /** Whether anything waits for any peer. Written with the lock held. */
    private volatile boolean isHolding;

    /** @param mostBytes heap of the messages that wait for one peer, at most */
    HeldMessages(PeerTimers timers, LongSupplier nanoTime, long mostBytes) {
        this.timers = timers;
        this.nanoTime = nanoTime;
        this.mostBytes = mostBytes;
    }

    /** What publishers may have unacknowledged, and what ended sessions may leave at once, has room in it. */
    static long defaultBytes() {
        return LEAST_BYTES + Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /** Whether a message has no room in the lane now, or would pass others that wait. */
    boolean isFull(Peer peer) {
        return !peer.isWritable(Lane.LIVE) || isHolding && isHolding(peer);
    }

    private synchronized boolean isHolding(Peer peer) {
        return waiting.containsKey(peer);
    }

    /**
     * Sends the message when the lane has room. For one that is found {@link #isFull}.
     *
     * @param heapBytes of the message
     * @param resend asked about what has a token; what has none is needed whatever becomes of its connection
     */
    void hold(Peer peer, int heapBytes, @Nullable DeliveryToken token, Resend resend, Sending sending) {
        if (!add(peer, heapBytes, token == null ? Resend.ALWAYS : resend, sending)) {
            sending.refuse(DistOutcome.OVERLOADED);
        }
    }

    private boolean add(Peer peer, int heapBytes, Resend resend, Sending sending) {
        boolean mustLook;
        synchronized (this) {
            Waiting behind = waiting.get(peer);
            if (behind != null && behind.bytes + heapBytes > mostBytes) {
                return false;
            }
            if (behind == null) {
                behind = new Waiting();
                waiting.put(peer, behind);
            }
            behind.messages.add(new Held(sending, resend, heapBytes, nanoTime.getAsLong() + MOST_TIME.toNanos()));
            behind.bytes += heapBytes;
            isHolding = true;
            mustLook = !isLooking;
            isLooking = true;
        }
        if (mustLook) {
            timers.after(LOOK, this::look);
        }
        return true;
    }

    private void look() {
        try {
            for (Peer peer : peers()) {
                sendTo(peer);
            }
        } finally {
            if (isToLookAgain()) {
                timers.after(LOOK, this::look);
            }
        }
    }

    private synchronized boolean isToLookAgain() {
        isLooking = isHolding;
        return isLooking;
    }

    private synchronized List<Peer> peers() {
        return new ArrayList<>(waiting.keySet());
    }

    /** The first stays in its place until it is sent: nobody passes it. */
    private void sendTo(Peer peer) {
        long turnEnd = nanoTime.getAsLong() + TURN.toNanos();
        for (Held first = first(peer); first != null && nanoTime.getAsLong() - turnEnd <= 0; first = first(peer)) {
            Consumer<Sending> fate = fateOf(first, peer);
            if (fate == null) {
                return;
            }
            try {
                fate.accept(first.sending);
            } catch (RuntimeException e) { // those behind it must be sent
                LOG.error("a message was not sent peer={}", peer, e);
                first.sending.refuse(DistOutcome.FAILED);
            } finally {
                remove(peer, first);
            }
        }
    }

    /** Null: it waits. */
    private @Nullable Consumer<Sending> fateOf(Held message, Peer peer) {
        if (message.resend.isAbandoned()) {
            return sending -> sending.refuse(DistOutcome.FAILED);
        }
        if (nanoTime.getAsLong() - message.endNanos >= 0) {
            return sending -> sending.refuse(DistOutcome.OVERLOADED);
        }
        return message.resend.mustWait() || !peer.isWritable(Lane.LIVE) ? null : Sending::send;
    }

    private synchronized @Nullable Held first(Peer peer) {
        Waiting of = waiting.get(peer);
        return of == null ? null : of.messages.peek();
    }

    private synchronized void remove(Peer peer, Held first) {
        Waiting of = waiting.get(peer);
        if (of != null) {
            of.messages.remove();
            of.bytes -= first.heapBytes;
            if (of.messages.isEmpty()) {
                waiting.remove(peer);
                isHolding = !waiting.isEmpty();
            }
        }
    }

    /** Heap of the messages that wait, in bytes, about. */
    synchronized long bytes() {
        return waiting.values().stream().mapToLong(of -> of.bytes).sum();
    }
}
