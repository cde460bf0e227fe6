package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.stream.LinkStream;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the tasks of a {@link Pairing} share: the connection to use, and whether the pairing is over. Thread-safe. */
final class PairingState {
    private static final Logger LOG = LoggerFactory.getLogger(PairingState.class);

    private final String peer;
    private final SerialTask sending;
    private final Runnable whenEnded;

    /** Why the pairing is over; null until then. Atomic: several threads may end it, and the first reason counts. */
    private final AtomicReference<@Nullable String> over = new AtomicReference<>();
    /** Number of tasks that have not ended. */
    private final AtomicInteger parts;
    /** The connection to use; null while there is none. Set by the links' thread. */
    private volatile @Nullable LinkConnection attached;
    /** Whether the task that sends runs soon because of {@link #lookLater}. Set by that task, cleared by the timer. */
    private volatile boolean isLookDue;

    /**
     * @param peer the other process, for the log
     * @param parts number of tasks
     * @param sending the task that sends and settles
     * @param whenEnded called when all tasks have ended
     */
    PairingState(String peer, int parts, SerialTask sending, Runnable whenEnded) {
        this.peer = peer;
        this.parts = new AtomicInteger(parts);
        this.sending = sending;
        this.whenEnded = whenEnded;
    }

    void attach(@Nullable LinkConnection connection) {
        attached = connection;
        look();
    }

    @Nullable
    LinkConnection attached() {
        return attached;
    }

    /** Signals that there may be something to send or to settle. */
    void look() {
        sending.signal();
    }

    /** Signals after {@code nanos}; until then {@link #lookUnlessDue} does not. For the task that sends. */
    void lookLater(LinkStream.EventThread thread, long nanos) {
        if (!isLookDue) {
            isLookDue = true;
            try {
                thread.executeLater(this::lookNow, nanos);
            } catch (RejectedExecutionException e) {
                isLookDue = false; // the node stops
            }
        }
    }

    private void lookNow() {
        isLookDue = false; // cleared first: from now on lookUnlessDue signals again, and this look handles the rest
        look();
    }

    /** Signals like {@link #look}, unless a signal is due soon. */
    void lookUnlessDue() {
        if (!isLookDue) {
            look();
        }
    }

    void violated(String why) {
        LOG.warn("peer violates the link protocol peer={} why={}", peer, why);
        end("protocol: " + why);
    }

    /** Ends the pairing, unless it is over already. */
    void end(String why) {
        if (over.compareAndSet(null, why)) {
            look();
        }
    }

    boolean isOver() {
        return over.get() != null;
    }

    /** Why it is over. Call only when it is over. */
    String why() {
        return String.valueOf(over.get());
    }

    /** One of the tasks has ended. */
    void partEnded() {
        if (parts.decrementAndGet() == 0) {
            whenEnded.run();
        }
    }
}
