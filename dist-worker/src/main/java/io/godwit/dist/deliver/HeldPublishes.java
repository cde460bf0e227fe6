package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.plugin.message.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes of QoS 1 and 2 that wait until this node may acknowledge, in the order in which they came.
 *
 * <p>A publish was matched, and then this node was not known to have every subscription that a SUBACK had been sent
 * for: another node may have gone on without this one. So that match counts for nothing. The message is given to
 * nobody yet, and is matched anew when the node may acknowledge again; after that match the node is asked once more,
 * as for any publish ({@link io.godwit.dist.member.Members#mayAcknowledge(long)} vouches for matches of its epoch
 * that were made before the call). Whoever had its SUBACK before the publish came is in that match. Delivering by
 * the first match and adding what the second one has more would give most receivers the message sooner, but those
 * that are added would get it behind later messages of the same publisher, and a publish that is refused in the end
 * would have been delivered to some.
 *
 * <p>While one waits, all that the publisher sends later at QoS 1 and 2 waits behind it. One is taken out when it has
 * been handed over, so whoever finds nothing here may hand over the next. The publishers of connections have one each,
 * run on their thread. What the stores publish has no such thread, and one publisher for each message: these share one,
 * run by whoever opens the gate; hence the lock, which is not held while messages are handed over.
 *
 * <p>How many wait is bounded by what a publisher may have unacknowledged, how long by
 * {@link io.godwit.dist.member.Members#untilMayAcknowledge()}.
 */
public final class HeldPublishes {
    /** A gate that opens and shuts again this often has not been open in between for long enough. */
    static final int MAX_TRIES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(HeldPublishes.class);

    private static final class Held {
        final FanOut from;
        final Message message;
        final @Nullable DeliveryToken token;
        final CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        CompletableFuture<Boolean> isOpen;
        int tries;

        Held(FanOut from, Message message, @Nullable DeliveryToken token, CompletableFuture<Boolean> isOpen) {
            this.from = from;
            this.message = message;
            this.token = token;
            this.isOpen = isOpen;
        }
    }

    private final OtherNodes others;
    private final Executor thread;
    /** Null while none waits, which is nearly always, for every connection. Guarded by this. */
    private @Nullable Deque<Held> waiting;

    private boolean isDraining;

    HeldPublishes(OtherNodes others, Executor thread) {
        this.others = others;
        this.thread = thread;
    }

    /** Of what comes through no connection. */
    public HeldPublishes(OtherNodes others) {
        this(others, Runnable::run);
    }

    /** Whether a publish has to wait behind others. */
    synchronized boolean isBusy() {
        return waiting != null;
    }

    CompletableFuture<DistOutcome> add(FanOut from, Message message, @Nullable DeliveryToken token) {
        Held held = new Held(from, message, token, others.untilMayAcknowledge());
        synchronized (this) {
            if (waiting == null) {
                waiting = new ArrayDeque<>();
            }
            waiting.addLast(held);
        }
        drainWhenDone(held.isOpen);
        return held.outcome;
    }

    private void drainWhenDone(CompletableFuture<Boolean> isOpen) {
        isOpen.whenComplete((opened, failure) -> thread.execute(this::drain));
    }

    /** The gate has shut again: for all that it was open for, so that they do not wait one after the other. */
    private void waitAnew() {
        CompletableFuture<Boolean> again = others.untilMayAcknowledge();
        synchronized (this) {
            for (Held held : waiting == null ? List.<Held>of() : waiting) {
                if (isOpen(held)) {
                    held.isOpen = again;
                    held.tries++;
                }
            }
        }
        drainWhenDone(again);
    }

    private static boolean isOpen(Held held) {
        return held.isOpen.isDone() && !held.isOpen.isCompletedExceptionally() && held.isOpen.getNow(false);
    }

    private void drain() {
        synchronized (this) {
            if (isDraining) {
                return; // which looks at the next one under the lock, and so sees what this call was made for
            }
            isDraining = true;
        }
        for (Held head = next(); head != null; head = next()) {
            try {
                settle(head);
            } catch (RuntimeException | Error e) { // outermost frame of this publish: the others have their turn
                LOG.error("held message not published topic={}", head.message.topic(), e);
                remove(head);
                head.outcome.complete(DistOutcome.FAILED);
            }
        }
    }

    /** The first, if its wait is over. */
    private synchronized @Nullable Held next() {
        Held head = waiting == null ? null : waiting.peekFirst();
        if (head == null || !head.isOpen.isDone()) {
            isDraining = false;
            return null;
        }
        return head;
    }

    private void settle(Held head) {
        boolean isOpen = isOpen(head) && !head.from.isEnded(); // its next connection may have published later ones
        CompletableFuture<DistOutcome> outcome = isOpen ? head.from.publishNow(head.message, head.token) : null;
        if (isOpen && outcome == null && head.tries + 1 < MAX_TRIES) {
            waitAnew();
            return;
        }
        remove(head);
        if (outcome == null) {
            head.outcome.complete(head.from.notHeldLonger());
        } else {
            outcome.whenComplete((answer, failure) -> head.outcome.complete(
                    failure == null ? answer : DistOutcome.ofFailure(StrayRoutes.cause(failure))));
        }
    }

    private synchronized void remove(Held head) {
        if (waiting != null && waiting.peekFirst() == head) {
            waiting.removeFirst();
            waiting = waiting.isEmpty() ? null : waiting;
        }
    }
}
