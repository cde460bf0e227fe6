package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.carrier.link.FrameLink;
import io.godwit.inbox.carrier.link.Timer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries and answers of leaders to the connections of one other node that wait because the link is full. Otherwise
 * a message of 2 MiB for forty of these connections, or the filters of a hundred sessions resumed at once, would exceed
 * the limit of the link, and the other node would be given up. Credit bounds the deliveries that wait for one
 * connection; {@code mostBytes} bounds all of them.
 *
 * <p>Order: while anything waits, all later sends wait behind it. A caller that finds nothing waiting may send
 * directly: the earlier deliveries to its connection are then sent.
 *
 * <p>Range executors add, a timer sends. The lock is held during a send, which {@link FrameLink} allows.
 */
final class HeldDeliveries {
    private static final long LOOK_MILLIS = 10;
    private static final int SHARE_OF_NEW = 2;

    private record Held(long bytes, Runnable send) {}

    private final FrameLink link;
    private final Timer timer;
    private final long mostBytes;

    // guarded by this
    private final ArrayDeque<Held> waiting = new ArrayDeque<>();
    private boolean isOver;

    /** Written with the lock held. */
    private volatile boolean isHolding;

    private volatile long bytes;

    /** @param mostBytes approximate heap of all that waits; at least 1 */
    HeldDeliveries(FrameLink link, Timer timer, long mostBytes) {
        this.link = link;
        this.timer = timer;
        this.mostBytes = mostBytes;
    }

    /**
     * Whether nothing waits and the link has room: a caller that has sent or added its earlier deliveries may send
     * directly.
     */
    boolean isFree() {
        return !isHolding && link.isWritable();
    }

    /** Whether so much waits that no attachment should begin: the rest is for those that exist. */
    boolean isSpent() {
        return bytes >= mostBytes / SHARE_OF_NEW;
    }

    /** Sends a small frame at once, or behind what waits. */
    void addSmall(Runnable send) {
        if (!isHolding || !add(0, send)) {
            send.run();
        }
    }

    /**
     * Sends it when the link has room.
     *
     * @param heap size in bytes
     * @return false if it was not added: too much waits, or the link is lost
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

    /** Sends what waits while the link has room. */
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

    /** The link is lost: nothing more is sent. */
    synchronized void lost() {
        isOver = true;
        waiting.clear();
        bytes = 0;
        isHolding = false;
    }

    /** Approximate heap of all that waits, in bytes. Any thread. */
    long bytes() {
        return bytes;
    }
}
