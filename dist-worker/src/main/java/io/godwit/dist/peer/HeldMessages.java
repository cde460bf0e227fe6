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
import java.util.HashMap;
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
 * <p>Order: while a message waits for a peer, all later ones for this peer wait behind it; but for a large one, for
 * which the lane has a room of its own ({@link Peer#isWritable(Lane, int)}). Behind that wait later ones of its
 * publisher and other large ones with those of theirs, and small ones of other publishers pass. Who finds that none
 * waits before its own may send by itself: its own earlier ones have been sent then.
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

    private record Held(
            PublisherOrder order, Sending sending, Resend resend, int frameBytes, int heapBytes, long endNanos) {
        boolean isLarge() {
            return frameBytes > Peer.PASSABLE_BYTES;
        }
    }

    /** For one peer. What is of one publisher in {@code large} was given before what is in {@code messages}. */
    private static final class Waiting {
        private final Deque<Held> messages = new ArrayDeque<>();
        /** Large messages, and what waits behind those of its publisher. */
        private final Deque<Held> large = new ArrayDeque<>();
        /** How many each publisher has in {@code large}. */
        private final Map<PublisherOrder, Integer> largeOf = new HashMap<>();

        private long bytes;

        boolean isEmpty() {
            return messages.isEmpty() && large.isEmpty();
        }

        void add(Held message) {
            bytes += message.heapBytes;
            messages.add(message);
            sort();
        }

        /** The first of the messages is a small one that has none of its publisher before it. */
        private void sort() {
            for (Held first = messages.peek();
                    first != null && (first.isLarge() || largeOf.containsKey(first.order));
                    first = messages.peek()) {
                large.add(messages.remove());
                largeOf.merge(first.order, 1, Integer::sum);
            }
        }

        @Nullable
        Held first(boolean ofLarge) {
            return ofLarge ? large.peek() : messages.peek();
        }

        void removeFirst(boolean ofLarge) {
            Held first = ofLarge ? large.remove() : messages.remove();
            bytes -= first.heapBytes;
            if (ofLarge) {
                largeOf.computeIfPresent(first.order, (order, count) -> count == 1 ? null : count - 1);
            } else {
                sort();
            }
        }
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

    /**
     * Whether a message has no room in the lane now, or would pass others that it may not pass.
     *
     * @param frameBytes of the message, about
     */
    boolean isFull(Peer peer, PublisherOrder order, int frameBytes) {
        return !peer.isWritable(Lane.LIVE, frameBytes) || isHolding && isHolding(peer, order);
    }

    private synchronized boolean isHolding(Peer peer, PublisherOrder order) {
        Waiting before = waiting.get(peer);
        return before != null && (!before.messages.isEmpty() || before.largeOf.containsKey(order));
    }

    /**
     * Sends the message when the lane has room. For one that is found {@link #isFull}.
     *
     * @param frameBytes of the message, about
     * @param heapBytes of the message
     * @param resend asked about what has a token; what has none is needed whatever becomes of its connection
     */
    void hold(
            Peer peer,
            PublisherOrder order,
            int frameBytes,
            int heapBytes,
            @Nullable DeliveryToken token,
            Resend resend,
            Sending sending) {
        long endNanos = nanoTime.getAsLong() + MOST_TIME.toNanos();
        Resend asked = token == null ? Resend.ALWAYS : resend;
        if (!add(peer, new Held(order, sending, asked, frameBytes, heapBytes, endNanos))) {
            sending.refuse(DistOutcome.OVERLOADED);
        }
    }

    private boolean add(Peer peer, Held message) {
        boolean mustLook;
        synchronized (this) {
            Waiting behind = waiting.get(peer);
            if (behind != null && behind.bytes + message.heapBytes > mostBytes) {
                return false;
            }
            if (behind == null) {
                behind = new Waiting();
                waiting.put(peer, behind);
            }
            behind.add(message);
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

    private void sendTo(Peer peer) {
        sendTo(peer, false);
        sendTo(peer, true);
    }

    /** The first stays in its place until it is sent: nobody passes it that may not. */
    private void sendTo(Peer peer, boolean ofLarge) {
        long turnEnd = nanoTime.getAsLong() + TURN.toNanos();
        for (Held first = first(peer, ofLarge);
                first != null && nanoTime.getAsLong() - turnEnd <= 0;
                first = first(peer, ofLarge)) {
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
                remove(peer, ofLarge);
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
        boolean mustWait = message.resend.mustWait() || !peer.isWritable(Lane.LIVE, message.frameBytes);
        return mustWait ? null : Sending::send;
    }

    private synchronized @Nullable Held first(Peer peer, boolean ofLarge) {
        Waiting of = waiting.get(peer);
        return of == null ? null : of.first(ofLarge);
    }

    private synchronized void remove(Peer peer, boolean ofLarge) {
        Waiting of = waiting.get(peer);
        if (of != null) {
            of.removeFirst(ofLarge);
            if (of.isEmpty()) {
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
