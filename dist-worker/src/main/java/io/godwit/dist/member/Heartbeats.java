package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeats of the other members, and which of this node's own they have returned.
 *
 * <p>They shorten the time until a silent member is evicted. A lapsed member may have clients for
 * {@link ClusterMembers#UNPROVEN_NANOS} after its last proof, and only the member knows when that was. So it is usually
 * evicted {@link Lapses#EVICT_NANOS} after its lapse. But a member also closes its clients when no other member has
 * returned a heartbeat for {@link #UNRETURNED_NANOS}, counted from when it sent the heartbeat. Let every other member
 * of the view say that it has had no heartbeat of the lapsed one for {@link #SILENT_NANOS}, and returns none any more
 * until that one has joined again. Then the lapsed member has closed its clients, and may be evicted. The difference of
 * the two times covers ticks, closing, and clocks whose rates differ by less than a fifth.
 *
 * <p>Nothing here depends on how long a heartbeat was on its way, or on whether the one that gives a member up has
 * stood still itself: the time is that of the sender, and what was given up is not returned later. A member that has
 * just begun, or whose view has the other in a new state, counts the silence from then on.
 *
 * <p>Confined to the thread of the members, except {@link #answers}.
 */
final class Heartbeats {
    /** A lapsed member that was not heard for this long is given up. */
    static final long SILENT_NANOS = Lapses.EVICT_NANOS;
    /** After this time a member whose heartbeats nobody has returned closes its clients. */
    static final long UNRETURNED_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** After it has stood still a member waits at least this long for a heartbeat that is returned. */
    private static final long RESUMED_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** Answers come twice a second, each delayed further by the growing backlog of a slow link. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** One other member of the view. */
    private static final class Other {
        AgreedMember member;
        /** When it was last heard, or entered a state in which it is counted. */
        long heardNanos;
        /** Its clock in its newest heartbeat; 0 for none. */
        long sentNanos;
        /** This node's clock in the newest heartbeat that it has returned; valid if {@link #hasReturned}. */
        long returnedNanos;

        boolean hasReturned;
        /** When it last returned a newer heartbeat; null for never. Any thread reads it. */
        volatile @Nullable Long answeredNanos;

        boolean closesUnreturned;
        Set<AgreedMember> givenUp = Set.of();

        Other(AgreedMember member, long nowNanos) {
            this.member = member;
            this.heardNanos = nowNanos;
        }
    }

    private final NodeLife self;
    private final MemberThread clock;
    /** All other members of the newest view. Any thread reads it. */
    private final Map<NodeLife, Other> others = new ConcurrentHashMap<>();
    /** The lapses of members whose heartbeats are not returned any more. */
    private final Set<AgreedMember> givenUp = new HashSet<>();
    /** No heartbeat from before counts against this node; valid if {@link #hasServed}. */
    private long servedNanos;

    private boolean hasServed;
    /** When this node last stood still; valid if {@link #hasStood}. */
    private long stoodNanos;

    private boolean hasStood;
    /** Whether another member reports its clock, and so returns heartbeats. */
    private boolean areReturned;

    Heartbeats(NodeLife self, MemberThread clock) {
        this.self = self;
        this.clock = clock;
    }

    /** The next view; all are passed, except those that this node's replica has skipped by a snapshot. */
    void look(MembersView view) {
        long now = clock.nanoTime();
        others.keySet().removeIf(life -> view.find(life) == null);
        givenUp.removeIf(lapse -> !view.members().contains(lapse));
        for (AgreedMember member : view.members()) {
            if (member.life().equals(self)) {
                continue;
            }
            Other other = others.computeIfAbsent(member.life(), life -> new Other(member, now));
            boolean hasJustLapsed = member.state() == MemberState.LAPSED && other.member.state() == MemberState.SERVING;
            if (!member.equals(other.member) && !hasJustLapsed) {
                other.heardNanos = now; // it may have served meanwhile, and have clients
            }
            other.member = member;
        }
    }

    /** This incarnation begins to serve. */
    void served() {
        servedNanos = clock.nanoTime();
        hasServed = true;
    }

    /** This process has stood still until now. */
    void stood() {
        stoodNanos = clock.nanoTime();
        hasStood = true;
    }

    /** A member that the view lacks is ignored: nothing is returned to it. */
    void heard(NodeLife by, Heartbeat beat) {
        Other other = others.get(by);
        if (other == null) {
            return;
        }
        long now = clock.nanoTime();
        other.heardNanos = now;
        other.sentNanos = beat.sentNanos();
        other.closesUnreturned = beat.closesUnreturned();
        other.givenUp = beat.givenUp();
        areReturned |= beat.sentNanos() != 0;
        long echo = beat.echoNanos();
        if (echo != 0 && (!other.hasReturned || echo - other.returnedNanos > 0)) {
            other.hasReturned = true;
            other.returnedNanos = echo;
            other.answeredNanos = now;
        }
    }

    /**
     * Whether a member has returned a newer heartbeat in the last {@link #ANSWER_NANOS}, though perhaps late. Any
     * thread.
     */
    boolean answers(NodeLife life) {
        Other other = others.get(life);
        Long answered = other == null ? null : other.answeredNanos;
        return answered != null && clock.nanoTime() - answered < ANSWER_NANOS;
    }

    /** The next heartbeat for another member. */
    Heartbeat next(NodeLife to, long since) {
        giveUp();
        Other other = others.get(to);
        long echo = other == null || givenUp.contains(other.member) ? 0 : other.sentNanos;
        return new Heartbeat(since, clock.nanoTime(), echo, areReturned, givenUp);
    }

    private void giveUp() {
        long now = clock.nanoTime();
        for (Other other : others.values()) {
            if (other.member.state() == MemberState.LAPSED && now - other.heardNanos >= SILENT_NANOS) {
                givenUp.add(other.member);
            }
        }
    }

    /** Whether a lapsed member has certainly closed its clients, because nobody returns its heartbeats. */
    boolean isGivenUpByAll(AgreedMember lapse) {
        giveUp();
        Other lapsed = others.get(lapse.life());
        return lapsed != null
                && lapsed.closesUnreturned
                && givenUp.contains(lapse)
                && others.values().stream().allMatch(other -> other == lapsed || other.givenUp.contains(lapse));
    }

    /** Whether this node may keep its clients; false when no other member has returned a heartbeat for too long. */
    boolean mayHaveClients() {
        long now = clock.nanoTime();
        boolean hasOthers = others.values().stream().anyMatch(other -> other.member.isCounted());
        if (!hasOthers || !areReturned || hasServed && now - servedNanos < UNRETURNED_NANOS) {
            return true;
        }
        return hasStood && now - stoodNanos < RESUMED_NANOS
                || others.values().stream()
                        .anyMatch(other -> other.member.isCounted()
                                && other.hasReturned
                                && now - other.returnedNanos < UNRETURNED_NANOS);
    }
}
