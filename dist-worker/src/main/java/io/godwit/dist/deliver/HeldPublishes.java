package io.godwit.dist.deliver;

import io.godwit.common.failure.Failures;
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
 * <p>A publish was matched when this node was not certain to have every subscription with a sent SUBACK: the others may
 * have excluded it. So that match does not count. No receiver gets the message yet; it is matched again when the node
 * may acknowledge, and the node is checked again after that match, as for any publish
 * ({@link io.godwit.dist.member.Members#mayAcknowledge(long)} covers matches of its epoch that were made before the
 * call). The second match has every subscription whose SUBACK was sent before the publish came. Alternatively, the
 * first match could be delivered at once and new receivers of the second one added. Most receivers would get the
 * message sooner, but the added ones would get it after later messages of the same publisher, and a publish that is
 * refused in the end would have been delivered to some.
 *
 * <p>While one publish waits, all later QoS 1 and 2 publishes of the publisher wait behind it. It is removed when it
 * has been handed over, so a caller that finds the queue empty may hand over directly. The publisher of each connection
 * has its own queue, run on its thread. Publishes of the stores have no such thread, and each has its own publisher:
 * they share one queue, run by the thread that reports the end of the wait; hence the lock, which is not held while
 * messages are handed over.
 *
 * <p>The number of waiting messages is bounded by what a publisher may have unacknowledged, the time by
 * {@link io.godwit.dist.member.Members#untilMayAcknowledge()}.
 */
public final class HeldPublishes {
    /** After this many waits that end too briefly a publish is refused. */
    static final int MAX_TRIES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(HeldPublishes.class);

    /** Publishes for one client, or one message that came through no connection. */
    interface Source {
        /** Whether the client's connection, or the component that publishes in its place, has ended. Any thread. */
        boolean isEnded();

        /** Publishes the message unless this node may not acknowledge it: then no receiver gets it; returns null. */
        @Nullable
        CompletableFuture<DistOutcome> publishNow(Message message, @Nullable DeliveryToken token);

        /** The outcome when this node could not acknowledge for too long: no receiver gets the message. */
        DistOutcome notHeldLonger(Message message, @Nullable DeliveryToken token);
    }

    private static final class Held {
        final Source from;
        final Message message;
        final @Nullable DeliveryToken token;
        final CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        CompletableFuture<Boolean> isOpen;
        int tries;

        Held(Source from, Message message, @Nullable DeliveryToken token, CompletableFuture<Boolean> isOpen) {
            this.from = from;
            this.message = message;
            this.token = token;
            this.isOpen = isOpen;
        }
    }

    private final OtherNodes others;
    private final Executor thread;
    /** Null when none waits, which is nearly always the case, for every connection. Guarded by this. */
    private @Nullable Deque<Held> waiting;

    private boolean isDraining;

    HeldPublishes(OtherNodes others, Executor thread) {
        this.others = others;
        this.thread = thread;
    }

    /** For messages that come through no connection. */
    public HeldPublishes(OtherNodes others) {
        this(others, Runnable::run);
    }

    /** Whether a publish must wait behind others. */
    synchronized boolean isBusy() {
        return waiting != null;
    }

    CompletableFuture<DistOutcome> add(Source from, Message message, @Nullable DeliveryToken token) {
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

    /** The node may not acknowledge any more: starts a new, common wait for all whose wait was over. */
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
                return; // the running drain reads the next one under the lock, so it sees the reason for this call
            }
            isDraining = true;
        }
        for (Held head = next(); head != null; head = next()) {
            try {
                settle(head);
            } catch (RuntimeException | Error e) { // outermost frame of this publish: the others must continue
                LOG.error("held message not published topic={}", head.message.topic(), e);
                remove(head);
                head.from.notHeldLonger(head.message, head.token); // those behind it must not pass it
                head.outcome.complete(DistOutcome.FAILED);
            }
        }
    }

    /** The first one if its wait is over. */
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
            head.outcome.complete(head.from.notHeldLonger(head.message, head.token));
        } else {
            outcome.whenComplete((answer, failure) ->
                    head.outcome.complete(failure == null ? answer : DistOutcome.ofFailure(Failures.cause(failure))));
        }
    }

    private synchronized void remove(Held head) {
        if (waiting != null && waiting.peekFirst() == head) {
            waiting.removeFirst();
            waiting = waiting.isEmpty() ? null : waiting;
        }
    }
}
