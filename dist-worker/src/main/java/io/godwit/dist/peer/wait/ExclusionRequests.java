package io.godwit.dist.peer.wait;

import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.SilentNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the exclusion of members, with one request at a time for all that need it. Thread-safe; subscribers,
 * publishers and links that lose the same member contend for the lock.
 *
 * <p>The member to exclude may lead the range that has the view of members: then nothing can be agreed on until that
 * range has another leader. So callers that wait on behalf of a client use {@link #insist}.
 */
public final class ExclusionRequests {
    public static final Duration AGAIN = Duration.ofMillis(500);

    private final Members members;
    private final BooleanSupplier serves;
    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final Backoff backoff;
    private final ExclusionLog log;
    private final Map<NodeLife, CompletableFuture<Void>> underWay = new HashMap<>();
    /**
     * The waiters for each member. While there is an entry, exactly one loop of attempts runs for it, even if it has no
     * waiter left. Guarded by this.
     */
    private final Map<NodeLife, List<Waiting>> insisting = new HashMap<>();

    private boolean isClosed;

    /**
     * @param endNanos when to give up
     * @param epoch of this node's membership at the time of the request
     * @param isNeeded checked before each attempt
     * @param isSilent whether the request came by {@link #insistOnSilent}
     */
    private record Waiting(
            CompletableFuture<Void> done, long endNanos, long epoch, BooleanSupplier isNeeded, boolean isSilent) {}

    public ExclusionRequests(ClusterParts parts) {
        this.members = parts.members();
        this.serves = parts.serves();
        this.timers = parts.timers();
        this.nanoTime = parts.nanoTime();
        this.backoff = new Backoff(AGAIN.toMillis(), AGAIN.toMillis(), parts.random());
        this.log = new ExclusionLog(nanoTime);
    }

    /**
     * As {@link #exclude}, repeated until it is agreed on, for {@link SilentNode#PATIENCE}. Stops and fails once this
     * node has lapsed itself: its earlier observations of others are then meaningless, and its closed clients keep
     * their client ids until all is answered. Also stops and fails once it is no longer needed; at once if it is not
     * needed now.
     *
     * @param isNeeded whether the reason for the exclusion still exists; any thread
     */
    public CompletableFuture<Void> insist(NodeLife life, String why, BooleanSupplier isNeeded) {
        return insist(life, why, isNeeded, false);
    }

    /**
     * As {@link #insist}, for a member that owes an answer; fails while the member is only slow
     * ({@link Members#excludeSilent}).
     */
    CompletableFuture<Void> insistOnSilent(NodeLife life, String why, BooleanSupplier isNeeded) {
        return insist(life, why, isNeeded, true);
    }

    private CompletableFuture<Void> insist(NodeLife life, String why, BooleanSupplier isNeeded, boolean isSilent) {
        Waiting waiting = new Waiting(
                new CompletableFuture<>(),
                nanoTime.getAsLong() + SilentNode.PATIENCE.toNanos(),
                members.epoch(),
                isNeeded,
                isSilent);
        boolean isFirst;
        synchronized (this) {
            if (isClosed) { // no timer would check it again
                return CompletableFuture.failedFuture(closed());
            }
            isFirst = !insisting.containsKey(life);
            insisting.computeIfAbsent(life, fresh -> new ArrayList<>(1)).add(waiting);
        }
        if (!isNeeded.getAsBoolean()) { // perhaps since before reconsider() could find the waiter
            fail(life, List.of(waiting), notNeeded(life));
        }
        if (isFirst) {
            attempt(life, why);
        }
        return waiting.done;
    }

    /** One round of the loop for an entry. */
    private void attempt(NodeLife life, String why) {
        if (!goesOn(life)) {
            return;
        }
        exclude(life, why, areSilent(life)).whenComplete((agreed, failure) -> {
            if (failure == null) {
                takeAll(life).forEach(waiting -> waiting.done.complete(null));
                return;
            }
            failLate(life, failure);
            if (goesOn(life)) {
                timers.after(Duration.ofMillis(backoff.pause(1)), () -> {
                    failLate(life, failure);
                    reconsider(life);
                    attempt(life, why);
                });
            }
        });
    }

    /** Whether anybody waits for the member. If not, the entry is removed, and the caller must end its loop. */
    private synchronized boolean goesOn(NodeLife life) {
        List<Waiting> all = insisting.get(life);
        if (all == null) {
            return false; // closed
        }
        if (all.isEmpty()) {
            insisting.remove(life);
        }
        return !all.isEmpty();
    }

    /** Whether all waiters only report it as silent. */
    private synchronized boolean areSilent(NodeLife life) {
        return insisting.getOrDefault(life, List.of()).stream().allMatch(Waiting::isSilent);
    }

    private synchronized List<Waiting> takeAll(NodeLife life) {
        List<Waiting> all = insisting.remove(life);
        return all == null ? List.of() : all;
    }

    /** The reason for an exclusion may have ended: fails the waiters that no longer need it, and no others. */
    public void reconsider(NodeLife life) {
        List<Waiting> unneeded = waiters(life).stream()
                .filter(waiting -> !waiting.isNeeded.getAsBoolean())
                .toList();
        fail(life, unneeded, notNeeded(life));
    }

    /** Fails the waiters whose time is over, and those that began before this node lapsed. */
    private void failLate(NodeLife life, Throwable failure) {
        long now = nanoTime.getAsLong();
        long epoch = members.epoch();
        boolean isOut = !serves.getAsBoolean();
        List<Waiting> late = waiters(life).stream()
                .filter(waiting -> isOut || waiting.endNanos - now <= 0 || waiting.epoch != epoch)
                .toList();
        fail(life, late, failure);
    }

    private synchronized List<Waiting> waiters(NodeLife life) {
        return List.copyOf(insisting.getOrDefault(life, List.of()));
    }

    private void fail(NodeLife life, List<Waiting> failing, Throwable failure) {
        if (failing.isEmpty()) {
            return;
        }
        synchronized (this) {
            List<Waiting> all = insisting.get(life);
            if (all != null) {
                all.removeAll(new HashSet<>(failing));
            }
        }
        failing.forEach(waiting -> waiting.done.completeExceptionally(failure));
    }

    private static RangeException notNeeded(NodeLife life) {
        return new RangeException(RangeException.Cause.OVERLOADED, "the exclusion is no longer needed: " + life);
    }

    /**
     * As {@link Members#exclude}; fails once closed, because a stopping node loses its links to all others, which still
     * serve.
     */
    public CompletableFuture<Void> exclude(NodeLife life, String why) {
        return exclude(life, why, false);
    }

    private CompletableFuture<Void> exclude(NodeLife life, String why, boolean isSilent) {
        CompletableFuture<Void> agreed;
        synchronized (this) {
            if (isClosed) {
                return CompletableFuture.failedFuture(closed());
            }
            CompletableFuture<Void> known = underWay.get(life);
            if (known != null) {
                return known;
            }
            agreed = new CompletableFuture<>();
            underWay.put(life, agreed);
        }
        log.asked(life, why);
        (isSilent ? members.excludeSilent(life, why) : members.exclude(life, why))
                .whenComplete((done, failure) -> settle(life, agreed, failure));
        return agreed;
    }

    private void settle(NodeLife life, CompletableFuture<Void> agreed, @Nullable Throwable failure) {
        synchronized (this) {
            underWay.remove(life);
        }
        if (failure == null) {
            agreed.complete(null);
        } else {
            log.failed(life, failure.toString());
            agreed.completeExceptionally(failure);
        }
    }

    private static RangeException closed() {
        return new RangeException(RangeException.Cause.CLOSED, "the dist-worker is closed");
    }

    /** Fails all waiters. */
    public void close() {
        List<Waiting> waiting = new ArrayList<>();
        synchronized (this) {
            isClosed = true;
            insisting.values().forEach(waiting::addAll);
            insisting.clear();
        }
        waiting.forEach(each -> each.done.completeExceptionally(closed()));
    }
}
