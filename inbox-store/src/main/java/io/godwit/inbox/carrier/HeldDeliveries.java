package io.godwit.inbox.carrier;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What leaders have delivered and answered to the connections of one other node, and the link has no room for yet.
 * Without it, a message of 2 MiB for forty of these connections, or the filters of a hundred sessions that are resumed
 * together, would pass the bound of the link, and the other node would be given up. What one connection is owed at a
 * time is bounded by its credit; all together by {@code mostBytes}.
 *
 * <p>Order: while anything waits, all that comes later waits behind it. Who finds that nothing waits may send by
 * itself: of one connection's deliveries, the earlier ones have been sent then.
 *
 * <p>Range executors add, a timer sends. The lock is held while something that waited is sent, which {@link FrameLink}
 * allows.
 */
final class HeldDeliveries {
    private static final long LOOK_MILLIS = 10;
    private static final int SHARE_OF_NEW = 2;

    private record Held(long bytes, Runnable send) {}

    private final FrameLink link;
    private final HomeCarrier.Timer timer;
    private final long mostBytes;

    // guarded by this
    private final ArrayDeque<Held> waiting = new ArrayDeque<>();
    private boolean isOver;

    /** Written with the lock held. */
    private volatile boolean isHolding;

    private volatile long bytes;

    /** @param mostBytes heap of what waits, about; at least 1 */
    HeldDeliveries(FrameLink link, HomeCarrier.Timer timer, long mostBytes) {
        this.link = link;
        this.timer = timer;
        this.mostBytes = mostBytes;
    }

    /** Whether nothing waits, and the link has room: who has given all of its earlier deliveries may send. */
    boolean isFree() {
        return !isHolding && link.isWritable();
    }

    /** Whether so much waits that no connection should be begun: what is left is for those there are. */
    boolean isSpent() {
        return bytes >= mostBytes / SHARE_OF_NEW;
    }

    /** Sends at once what takes nearly no room, or behind what waits. */
    void addSmall(Runnable send) {
        if (!isHolding || !add(0, send)) {
            send.run();
        }
    }

    /**
     * Sends it when the link has room.
     *
     * @param heap of it, in bytes
     * @return false if it does not wait: there is no room for it, or the link is lost
     */
    boolean add(long heap, Runnable send) {
        synchronized (this) {
            if (isOver || heap > 0 && bytes + heap > mostBytes) {
                return false;
            }
            waiting.add(new Held(heap, send));
            bytes += heap;
            if (isHolding) {
                return true;
            }
            isHolding = true;
        }
        timer.later(LOOK_MILLIS, this::look);
        return true;
    }

    /** Sends what waits for as long as the link has room. */
    private void look() {
        while (sendOne()) {}
        if (isHolding) {
            timer.later(LOOK_MILLIS, this::look);
        }
    }

    private synchronized boolean sendOne() {
        @Nullable Held first = link.isWritable() ? waiting.poll() : null;
        if (first != null) {
            bytes -= first.bytes();
            first.send().run();
        }
        isHolding = !waiting.isEmpty();
        return first != null && isHolding;
    }

    /** The link is lost: nothing is sent any more. */
    synchronized void lost() {
        isOver = true;
        waiting.clear();
        bytes = 0;
        isHolding = false;
    }

    /** Heap of what waits, in bytes, about. Any thread. */
    long bytes() {
        return bytes;
    }
}
