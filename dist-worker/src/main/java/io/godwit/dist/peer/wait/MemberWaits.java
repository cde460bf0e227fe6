package io.godwit.dist.peer.wait;

import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until every other member has confirmed something, or is no longer a member.
 *
 * <p>A member is asked through the peer of its incarnation, and again through the next peer when that one is over. A
 * member that has not confirmed in time is excluded, whether or not there is a link to it; when {@link
 * ExclusionRequests} cannot agree on that for as long as it insists, the wait fails. A confirmation that comes before
 * that still counts. All waits have the same length, so one timer checks the oldest. Thread-safe; subscribers, the
 * links and the timer contend for locks, which are never held during callbacks.
 */
public final class MemberWaits {
    /** Asks one member. */
    @FunctionalInterface
    public interface Ask {
        /**
         * Runs {@code confirmed} once the peer confirms, perhaps before the return; never, when the peer is over.
         * Returns false when the peer cannot be asked yet: {@link #joined} is called a moment later.
         */
        boolean ask(Peer peer, Runnable confirmed);
    }

    /**
     * A wait that has begun.
     *
     * @param done as {@link #all} returns it
     * @param missing supplies the members that it still waits for; any thread
     */
    public record Pending(CompletableFuture<Void> done, Supplier<List<NodeLife>> missing) {
        /** The one for nobody. */
        public static final Pending NONE = new Pending(CompletableFuture.completedFuture(null), List::of);
    }

    private final Links links;
    private final Members members;
    private final ExclusionRequests exclusions;
    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final Duration timeout;
    private final WaitReports reports;
    /** Oldest first; done waits are removed. Guarded by this. */
    private final Set<Wait> waits = new LinkedHashSet<>();
    /** Waits with silent members, until the exclusion is decided. */
    private final Set<Wait> late = ConcurrentHashMap.newKeySet();

    private boolean isTiming;

    public MemberWaits(ClusterParts parts, ExclusionRequests exclusions, WaitReports reports) {
        this.links = parts.links();
        this.members = parts.members();
        this.exclusions = exclusions;
        this.timers = parts.timers();
        this.nanoTime = parts.nanoTime();
        this.timeout = parts.waits().confirmation();
        this.reports = reports;
    }

    /**
     * Completes when all present members have confirmed or are excluded; fails with
     * {@link io.godwit.kv.client.RangeException}. Any thread; completes on any.
     *
     * @param what names the wait in the log
     * @return the caller may fail it to end the wait: then nobody is excluded for it any more
     */
    public CompletableFuture<Void> all(String what, Ask ask) {
        return begin(what, ask).done;
    }

    /** As {@link #all}, for a caller that reports who is missing. */
    public Pending begin(String what, Ask ask) {
        Set<NodeLife> others = members.others();
        if (others.isEmpty()) {
            return Pending.NONE;
        }
        Wait wait = begin(what, ask, others, Set.of());
        return new Pending(wait.done, wait::missing);
    }

    /**
     * As {@link #all}, but completes after {@code within} at the latest. The wait continues then, and may still exclude
     * silent members. Does not fail.
     *
     * @return the ids of the members that have not confirmed, in order; empty when all have. Contains those that were
     *     excluded before or meanwhile and are still in the view: nothing waits for them, but their processes may run
     */
    public CompletableFuture<List<String>> unconfirmed(String what, Ask ask, Duration within) {
        Set<NodeLife> others = members.others();
        // read after the others: a member that lapses in between is then in both sets, not in none
        Set<NodeLife> lapsed = new HashSet<>(members.lapsed());
        lapsed.removeAll(others);
        if (others.isEmpty()) {
            return CompletableFuture.completedFuture(ids(lapsed));
        }
        Wait wait = begin(what, ask, others, lapsed);
        CompletableFuture<List<String>> told = new CompletableFuture<>();
        wait.done.whenComplete((done, failure) -> told.complete(ids(wait.unconfirmed())));
        if (!told.isDone()) {
            timers.after(within, () -> told.complete(ids(wait.unconfirmed())));
        }
        return told;
    }

    private static List<String> ids(Set<NodeLife> lives) {
        return lives.stream().map(NodeLife::nodeId).distinct().sorted().toList();
    }

    /**
     * @param others those to wait for; not empty
     * @param lapsed those that were excluded before
     */
    private Wait begin(String what, Ask ask, Set<NodeLife> others, Set<NodeLife> lapsed) {
        Wait wait = new Wait(what, ask, others, lapsed, nanoTime.getAsLong() + timeout.toNanos());
        wait.askLinked();
        if (!wait.done.isDone()) {
            add(wait);
            wait.done.whenComplete((done, failure) -> remove(wait));
            wait.askLinked(); // those that joined in between
        }
        return wait;
    }

    private synchronized void add(Wait wait) {
        waits.add(wait);
        if (!isTiming) {
            isTiming = true;
            timers.after(timeout, this::expire);
        }
    }

    private synchronized void remove(Wait wait) {
        waits.remove(wait);
    }

    /** There is a new peer, perhaps of a member that had none. */
    public void joined() {
        open().forEach(Wait::askLinked);
    }

    private List<Wait> open() {
        Set<Wait> open = new LinkedHashSet<>();
        synchronized (this) {
            open.addAll(waits);
        }
        open.addAll(late);
        return List.copyOf(open);
    }

    /** The others have excluded that incarnation, see {@link Members#exclude}: nothing waits for it any more. */
    public void excluded(NodeLife life) {
        open().forEach(wait -> wait.excluded(life));
    }

    private void expire() {
        long now = nanoTime.getAsLong();
        List<Wait> expired = new ArrayList<>();
        synchronized (this) {
            Iterator<Wait> each = waits.iterator();
            long left = 0;
            while (left <= 0 && each.hasNext()) {
                Wait oldest = each.next();
                left = oldest.dueNanos - now;
                if (left <= 0) {
                    late.add(oldest); // before it leaves the others, so that a member that joins finds it
                    expired.add(oldest);
                    each.remove();
                }
            }
            isTiming = left > 0;
            if (isTiming) {
                timers.after(Duration.ofNanos(left), this::expire);
            }
        }
        for (Wait wait : expired) {
            wait.done.whenComplete((done, failure) -> late.remove(wait));
            wait.expire();
        }
    }

    private final class Wait {
        private final String what;
        private final Ask ask;
        private final long dueNanos;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        /** Members that have not confirmed, with the peer through which each was asked. Guarded by this. */
        private final Map<NodeLife, @Nullable Peer> left = new HashMap<>(4);
        /** Members that were excluded before or during this wait and have not confirmed. Guarded by this. */
        private final Set<NodeLife> excluded;

        Wait(String what, Ask ask, Set<NodeLife> others, Set<NodeLife> lapsed, long dueNanos) {
            this.what = what;
            this.ask = ask;
            this.dueNanos = dueNanos;
            others.forEach(life -> left.put(life, null));
            this.excluded = new HashSet<>(lapsed);
        }

        void askLinked() {
            Map<NodeLife, Peer> toAsk = new HashMap<>(4);
            synchronized (this) {
                left.replaceAll((life, asked) -> {
                    Peer peer = links.peer(life.nodeId());
                    if (peer == null || peer.incarnation() != life.incarnation() || peer.equals(asked)) {
                        return asked;
                    }
                    toAsk.put(life, peer);
                    return peer;
                });
            }
            toAsk.forEach((life, peer) -> {
                if (!ask.ask(peer, () -> confirmed(life))) {
                    notAsked(life, peer);
                }
            });
        }

        private synchronized void notAsked(NodeLife life, Peer peer) {
            if (peer.equals(left.get(life))) {
                left.put(life, null);
            }
        }

        void confirmed(NodeLife life) {
            boolean isAll;
            synchronized (this) {
                left.remove(life);
                excluded.remove(life);
                isAll = left.isEmpty();
            }
            if (isAll) {
                done.complete(null);
            }
        }

        void excluded(NodeLife life) {
            boolean isAll;
            synchronized (this) {
                if (left.keySet().remove(life)) {
                    excluded.add(life);
                }
                isAll = left.isEmpty();
            }
            if (isAll) {
                done.complete(null);
            }
        }

        private synchronized boolean isLeft(NodeLife life) {
            return left.containsKey(life) && !done.isDone();
        }

        synchronized List<NodeLife> missing() {
            return List.copyOf(left.keySet());
        }

        /** The members that have not confirmed, those that were excluded too. */
        synchronized Set<NodeLife> unconfirmed() {
            Set<NodeLife> unconfirmed = new HashSet<>(left.keySet());
            unconfirmed.addAll(excluded);
            return unconfirmed;
        }

        void expire() {
            if (done.isDone()) {
                return;
            }
            for (NodeLife life : missing()) {
                reports.ranOut(NodeWait.CONFIRMATION, timeout, () -> what + ", by " + life);
                exclusions
                        .insistOnSilent(
                                life,
                                "it did not confirm " + what + " within " + timeout.toMillis() + " ms",
                                () -> isLeft(life))
                        .whenComplete((agreed, failure) -> {
                            if (failure == null) {
                                excluded(life);
                            } else if (isLeft(life)) {
                                done.completeExceptionally(failure);
                            }
                        });
            }
        }
    }
}
