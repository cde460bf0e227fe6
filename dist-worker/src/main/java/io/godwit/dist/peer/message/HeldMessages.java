package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.deliver.MessageOrder;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.kv.client.Resend;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.NodeWait;
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
 * Messages of QoS 1 and 2 for live sessions of other nodes, while the LIVE lane to the node is full. They are kept
 * unencoded and become frames when sent: a frame may be hundreds of times larger than its message, because it names the
 * publisher. Without this, clients could fill the lane beyond its bound, and a healthy node would be given up. The
 * publisher gets no acknowledgement meanwhile, so its limit of unacknowledged messages holds it back.
 *
 * <p>Order: while a message waits for a peer, all later ones for this peer wait behind it. Exception: the lane has
 * separate room for large messages ({@link Peer#isWritable(Lane, int)}). Behind a large message wait later ones of its
 * publisher, and other large ones with later ones of their publishers; small ones of other publishers pass. A caller
 * that finds nothing waiting before its message may send directly: its own earlier messages are then sent.
 *
 * <p>A message is refused when an earlier one of its order has failed ({@link MessageOrder}), when it has waited too
 * long, which is reported for each, or when the messages for its peer would exceed a bound of bytes. What publishers
 * may have unacknowledged stays below the bound; publishes of stores, and messages that ended sessions leave to their
 * groups, are tried again later or counted as dropped.
 *
 * <p>Thread-safe. Timers send waiting messages, one look at a time; nothing is called with the lock held.
 */
public final class HeldMessages {
    static final Duration LOOK = Duration.ofMillis(10);
    /** Longest time that one look sends to a peer, even to a fast one, because others need the timers too. */
    private static final Duration TURN = Duration.ofMillis(5);

    private static final Logger LOG = LoggerFactory.getLogger(HeldMessages.class);
    private static final long LEAST_BYTES = 64 << 20;
    private static final int HEAP_SHARE = 4;

    /** A message on its way to one peer. Exactly one of the two methods is called, once. */
    interface Sending {
        /** Makes the frame, and passes it to the link. */
        void send();

        /** The message does not go to the peer. */
        void refuse(DistOutcome outcome);
    }

    private record Held(
            PublisherOrder order,
            Sending sending,
            @Nullable DeliveryToken token,
            Resend resend,
            int frameBytes,
            int heapBytes,
            long endNanos) {
        /** One without a token is needed even when its connection has ended. */
        boolean isAbandoned() {
            return token != null && resend.isAbandoned();
        }

        boolean mustWait() {
            return token != null && resend.mustWait();
        }

        boolean isBehindFailed() {
            return MessageOrder.isBehindFailed(token, resend);
        }

        boolean isLarge() {
            return frameBytes > Peer.PASSABLE_BYTES;
        }
    }

    /** The messages for one peer. A publisher's messages in {@code large} are older than those in {@code messages}. */
    private static final class Waiting {
        private final Deque<Held> messages = new ArrayDeque<>();
        /** Large messages, and later ones of their publishers. */
        private final Deque<Held> large = new ArrayDeque<>();
        /** Number of messages of each publisher in {@code large}. */
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

        /**
         * Moves messages to {@code large} until the first one in {@code messages} is small and has none of its
         * publisher before it.
         */
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
    private final Duration mostTime;
    private final long mostBytes;
    private final WaitReports reports;
    /** Each entry has at least one message. Guarded by this, with its contents. */
    private final Map<Peer, Waiting> waiting = new LinkedHashMap<>();

    /** Whether a look is scheduled or running. Guarded by this. */
    private boolean isLooking;
    /** Whether anything waits for any peer. Written with the lock held. */
    private volatile boolean isHolding;

    /**
     * @param mostTime limit on the wait of a message, see {@link io.godwit.dist.peer.link.PeerWaits#heldMessage}
     * @param mostBytes limit on the heap of the messages that wait for one peer
     */
    public HeldMessages(
            PeerTimers timers, LongSupplier nanoTime, Duration mostTime, long mostBytes, WaitReports reports) {
        this.timers = timers;
        this.nanoTime = nanoTime;
        this.mostTime = mostTime;
        this.mostBytes = mostBytes;
        this.reports = reports;
    }

    /** Enough for what publishers may have unacknowledged, and for what ended sessions may leave at once. */
    public static long defaultBytes() {
        return LEAST_BYTES + Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /**
     * Whether the lane has no room for a message now, or the message would overtake others that it must not overtake.
     *
     * @param frameBytes approximate size of the message's frame
     */
    boolean isFull(Peer peer, PublisherOrder order, int frameBytes) {
        return !peer.isWritable(Lane.LIVE, frameBytes) || isHolding && isHolding(peer, order);
    }

    private synchronized boolean isHolding(Peer peer, PublisherOrder order) {
        Waiting before = waiting.get(peer);
        return before != null && (!before.messages.isEmpty() || before.largeOf.containsKey(order));
    }

    /**
     * Sends a message when the lane has room. Only for one that {@link #isFull}.
     *
     * @param frameBytes approximate size of the message's frame
     * @param heapBytes of the message
     * @param resend rule for a message with a token; for one without, only its place counts, because it is needed even
     *     when its connection has ended
     */
    void hold(
            Peer peer,
            PublisherOrder order,
            int frameBytes,
            int heapBytes,
            @Nullable DeliveryToken token,
            Resend resend,
            Sending sending) {
        long endNanos = nanoTime.getAsLong() + mostTime.toNanos();
        if (!add(peer, new Held(order, sending, token, resend, frameBytes, heapBytes, endNanos))) {
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

    /**
     * Another peer of the same process has followed. What waits for an earlier one will fail when it is sent; nothing
     * behind it in its order may reach the new peer before that. Call before the filters of the new peer are known.
     */
    public void followed(Peer by) {
        List<Held> lost = new ArrayList<>();
        synchronized (this) {
            waiting.forEach((peer, its) -> {
                if (!peer.equals(by) && RemoteFilters.lifeOf(peer).equals(RemoteFilters.lifeOf(by))) {
                    lost.addAll(its.large);
                    lost.addAll(its.messages);
                }
            });
        }
        lost.forEach(message -> MessageOrder.failed(message.token, message.resend));
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

    /** The first message keeps its place until it is sent, so none overtakes it that must not. */
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

    /** Null when it must wait. */
    private @Nullable Consumer<Sending> fateOf(Held message, Peer peer) {
        if (message.isAbandoned()) {
            return sending -> sending.refuse(DistOutcome.FAILED);
        }
        if (message.isBehindFailed()) {
            return sending -> sending.refuse(DistOutcome.OVERLOADED);
        }
        if (nanoTime.getAsLong() - message.endNanos >= 0) {
            return sending -> {
                reports.ranOut(NodeWait.HELD_MESSAGE, mostTime, () -> missing(message, peer));
                sending.refuse(DistOutcome.OVERLOADED);
            };
        }
        boolean mustWait = message.mustWait() || !peer.isWritable(Lane.LIVE, message.frameBytes);
        return mustWait ? null : Sending::send;
    }

    private static String missing(Held message, Peer peer) {
        if (message.mustWait()) {
            return "a proof that this node serves, for a message to " + peer;
        }
        return peer.isConnected() ? "room in the link to " + peer : "the link to " + peer + ", which is broken";
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

    /** Approximate heap of all waiting messages, in bytes. */
    public synchronized long bytes() {
        return waiting.values().stream().mapToLong(of -> of.bytes).sum();
    }
}
