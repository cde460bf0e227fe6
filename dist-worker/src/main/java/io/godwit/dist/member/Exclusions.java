package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.CurrentView;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MemberStep;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Excludes members: commits that a member has lapsed, then waits until it can acknowledge nothing any more, see
 * {@link Freshness}. Requests for the same exclusion share it.
 *
 * <p>A joining node excludes nobody for a while. It may have stood still: then its links were ended by the others, who
 * have excluded it, and the membership takes some ten seconds to see them again. If it excluded them, nobody would
 * serve. A joining node never excludes a serving one while it is linked to another serving node. Only its own earlier
 * process is excluded at once.
 *
 * <p>A node that cannot prove that it serves does not call others silent either, until it has had its proof back for a
 * while: the fault that cut it off from the leaders of the dist store has cut it off from the others too, or has
 * stopped everything. Members that the membership has lost are excluded all the same. Confined to the thread of the
 * members.
 */
final class Exclusions {
    private static final Logger LOG = LoggerFactory.getLogger(Exclusions.class);

    /** How long a node joins before it may exclude others. */
    static final long JUDGE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** After this time without a proof a node does not call others silent. */
    static final long DEAF_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** How long it must have its proof back before it does: delayed answers arrive meanwhile. */
    static final long HEARING_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A member that answers late is slow, not silent: for this long it is not excluded for a missing answer. */
    static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(12);
    /** Callers repeat a request for an exclusion sooner than this. */
    private static final long SLOW_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The ground of an exclusion. */
    enum Ground {
        /** It owes this node an answer. */
        SILENT,
        /** The link to it has ended, or frames to it were lost. */
        CUT_OFF,
        /** The membership has lost it, so this node is not the only witness. */
        LOST
    }

    private final NodeLife self;
    private final ViewCommits commits;
    private final CurrentView current;
    private final Lapses lapses;
    private final Freshness freshness;
    private final MemberThread thread;
    private final MemberCounters counters;
    /** By incarnation: callers that wait for the commit. */
    private final Map<NodeLife, List<CompletableFuture<Void>>> committing = new HashMap<>();
    /** By lapse: callers that wait until it is over. */
    private final Map<AgreedMember, List<CompletableFuture<Void>>> passing = new HashMap<>();

    /** This node as a joining member, since it asked for its first exclusion; null before. */
    private @Nullable AgreedMember joiner;

    private long joinerNanos;
    /** Whether the proof was missing for long; counts until {@link #hearsNanos}. */
    private boolean wasDeaf;

    private long hearsNanos;
    private Predicate<NodeLife> isLinked = member -> false;
    private Predicate<NodeLife> answers = member -> false;
    /** Members that answer but whose exclusion was requested. */
    private final Map<NodeLife, Slow> slow = new HashMap<>();

    /** When the exclusion was first requested, and when last. */
    private record Slow(long firstNanos, long lastNanos) {}

    Exclusions(
            NodeLife self,
            ViewCommits commits,
            CurrentView current,
            Lapses lapses,
            Freshness freshness,
            MemberThread thread,
            MemberCounters counters) {
        this.self = self;
        this.commits = commits;
        this.current = current;
        this.lapses = lapses;
        this.freshness = freshness;
        this.thread = thread;
        this.counters = counters;
    }

    void exclude(NodeLife member, Ground ground, String why, CompletableFuture<Void> done) {
        AgreedMember known = current.get().find(member);
        if (known == null) {
            done.complete(null); // it has left, or was evicted after its lapse
        } else if (known.state() == MemberState.LAPSED) {
            awaitOver(known, List.of(done));
        } else if (!mayJudge(member)) {
            done.completeExceptionally(new RangeException(
                    Cause.TIMEOUT, "this node still joins, so it does not exclude " + member + " yet: " + why));
        } else if (ground != Ground.LOST && isDeaf() && !member.nodeId().equals(self.nodeId())) {
            done.completeExceptionally(new RangeException(
                    Cause.TIMEOUT, "this node could not prove that it serves, so it does not exclude " + member));
        } else if (ground == Ground.SILENT && isOnlySlow(member)) {
            done.completeExceptionally(
                    new RangeException(Cause.TIMEOUT, "it answers, so it is not excluded yet: " + member + ", " + why));
        } else if (committing.containsKey(member)) {
            waitersOf(member).add(done);
        } else {
            waitersOf(member).add(done);
            LOG.warn("member is being excluded member={} state={} why={}", member, known.state(), why);
            slow.remove(member); // when it is back it gets the full time again
            commits.commit(new MemberStep.Lapse(self, current.get().find(self), member))
                    .whenComplete((view, failure) -> committed(member, why, view, failure));
        }
    }

    /**
     * @param linked whether this node is connected to a member
     * @param answering whether a member has answered this node recently, though perhaps late
     */
    void judgeBy(Predicate<NodeLife> linked, Predicate<NodeLife> answering) {
        isLinked = linked;
        answers = answering;
    }

    private boolean isOnlySlow(NodeLife member) {
        if (!answers.test(member)) {
            slow.remove(member);
            return false;
        }
        slow.keySet().removeIf(life -> current.get().find(life) == null);
        long now = thread.nanoTime();
        Slow before = slow.get(member);
        long firstNanos = before != null && now - before.lastNanos < SLOW_AGAIN_NANOS ? before.firstNanos : now;
        Slow next = new Slow(firstNanos, now);
        slow.put(member, next);
        return now - next.firstNanos < SLOW_NANOS;
    }

    private boolean mayJudge(NodeLife whom) {
        MembersView view = current.get();
        AgreedMember own = view.find(self);
        if (own == null || own.state() != MemberState.JOINING || whom.nodeId().equals(self.nodeId())) {
            return true;
        }
        if (view.is(whom, MemberState.SERVING)
                && view.serving().stream().anyMatch(each -> !each.equals(whom) && isLinked.test(each))) {
            return false; // a serving member knows better
        }
        if (!own.equals(joiner)) {
            joiner = own;
            joinerNanos = thread.nanoTime();
        }
        return thread.nanoTime() - joinerNanos >= JUDGE_NANOS;
    }

    /** There is a proof again, after a gap of that length. */
    void proved(long gapNanos) {
        if (gapNanos >= DEAF_NANOS) {
            wasDeaf = true;
            hearsNanos = thread.nanoTime() + HEARING_NANOS;
        }
    }

    private boolean isDeaf() {
        wasDeaf = wasDeaf && hearsNanos - thread.nanoTime() > 0;
        return wasDeaf || freshness.ageNanos() >= DEAF_NANOS;
    }

    private List<CompletableFuture<Void>> waitersOf(NodeLife member) {
        return committing.computeIfAbsent(member, fresh -> new ArrayList<>());
    }

    @SuppressWarnings("NullAway") // a view or a failure
    private void committed(NodeLife member, String why, MembersView view, Throwable failure) {
        List<CompletableFuture<Void>> waiters = committing.remove(member);
        if (waiters == null) {
            return;
        }
        if (failure != null) {
            LOG.warn("member is not excluded member={} why={} cause={}", member, why, failure.getMessage());
            RangeException cause = failure instanceof RangeException range
                    ? range
                    : new RangeException(Cause.TIMEOUT, "not excluded: " + failure.getMessage());
            waiters.forEach(waiter -> waiter.completeExceptionally(cause));
            return;
        }
        AgreedMember lapse = view.find(member);
        if (lapse == null) {
            waiters.forEach(waiter -> waiter.complete(null));
            return;
        }
        LOG.warn("member is excluded member={} why={} revision={}", member, why, view.revision());
        counters.excluded.increment();
        awaitOver(lapse, waiters);
    }

    private void awaitOver(AgreedMember lapse, List<CompletableFuture<Void>> waiters) {
        List<CompletableFuture<Void>> before = passing.get(lapse);
        if (before != null) {
            before.addAll(waiters);
            return;
        }
        passing.put(lapse, new ArrayList<>(waiters));
        long now = thread.nanoTime();
        lapses.look(current.get(), now);
        thread.later(lapses.untilOver(lapse, now), () -> look(lapse));
    }

    /** The process of that incarnation is over: callers need not wait for its lapse any more. */
    void ended(NodeLife life) {
        passing.keySet().stream()
                .filter(lapse -> lapse.life().equals(life))
                .toList()
                .forEach(this::look);
    }

    private void look(AgreedMember lapse) {
        List<CompletableFuture<Void>> waiters = passing.remove(lapse);
        if (waiters != null) {
            waiters.forEach(waiter -> waiter.complete(null));
        }
    }

    void close() {
        RangeException cause = new RangeException(Cause.CLOSED, "the members are closed");
        List<CompletableFuture<Void>> failing = new ArrayList<>();
        committing.values().forEach(failing::addAll);
        passing.values().forEach(failing::addAll);
        committing.clear();
        passing.clear();
        failing.forEach(waiter -> waiter.completeExceptionally(cause));
    }
}
