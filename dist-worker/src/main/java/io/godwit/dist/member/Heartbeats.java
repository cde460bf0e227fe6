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
 * evicted {@link Lapses#EVICT_NANOS} after its lapse. But a member without a fresh proof also closes its clients when
 * no other member has returned a heartbeat for {@link #UNRETURNED_NANOS}, counted from when it sent the heartbeat.
 *
 * <p>Why an eviction may be early. Let x be lapsed at t. Each proof of x began before t, so x has no fresh proof
 * {@link Freshness#FRESH_NANOS} later. Let every other member of the view say that it has had no heartbeat of x for
 * {@link #SILENT_NANOS}, and returns none any more until x has joined again. Then whatever they have returned to x was
 * sent that long ago, and x has closed its clients. The differences to {@link #LAPSED_NANOS} and {@link #SILENT_NANOS}
 * cover ticks, closing, and clocks whose rates differ by less than a fifth.
 *
 * <p>The view of x may be older. It may have a member that is gone, and that returned heartbeats until then. So an
 * early eviction waits until nobody has gone for {@link #SILENT_NANOS}. Also, x gives a new member time to return the
 * first heartbeat. This time begins with the last proof before x saw the new member, which is before the member came.
 * So an early eviction waits until nobody has come for {@link #SILENT_NANOS}, too.
 *
 * <p>Nothing here depends on how long a heartbeat was on its way, or on whether the one that gives x up has stood still
 * itself: the time is that of the sender, and what was given up is not returned later. A member that has just begun, or
 * has missed a view, counts the silence from then on. When x stands still for so long that a tick of it is skipped, its
 * event loops pass nothing on before there is a proof.
 *
 * <p>Confined to the thread of the members, except {@link #answers} and {@link #isSilent}.
 */
final class Heartbeats {
    /** A lapsed member that was not heard for this long is given up. */
    static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A member must have lapsed that long ago to be evicted before its time: it has no fresh proof any more. */
    static final long LAPSED_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);
    /** After this time a member without a proof, whose heartbeats nobody has returned, closes its clients. */
    static final long UNRETURNED_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** Answers come twice a second, each delayed further by the growing backlog of a slow link. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** Longer than the pauses of a healthy node on a busy machine. */
    private static final long CUT_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** One other member of the view. */
    private static final class Other {
        /** Any thread reads it. */
        volatile AgreedMember member;
        /** When it was last heard, or may have become a member that serves. */
        long heardNanos;
        /** A time before it was last counted as a member; until then it could return nothing. */
        long countedNanos;
        /** Its clock in its newest heartbeat; 0 for none. */
        long sentNanos;
        /** This node's clock in the newest heartbeat that it has returned; valid if {@link #hasReturned}. */
        long returnedNanos;

        boolean hasReturned;
        /** When it last returned a newer heartbeat; null for never. Any thread reads it. */
        volatile @Nullable Long answeredNanos;

        boolean closesUnreturned;
        Set<AgreedMember> givenUp = Set.of();

        Other(AgreedMember member, long nowNanos, long provedNanos) {
            this.member = member;
            this.heardNanos = nowNanos;
            this.countedNanos = provedNanos;
        }
    }

    private final NodeLife self;
    private final MemberThread clock;
    /** All other members of the newest view. Any thread reads it. */
    private final Map<NodeLife, Other> others = new ConcurrentHashMap<>();
    /** The lapses of members whose heartbeats are not returned any more. */
    private final Set<AgreedMember> givenUp = new HashSet<>();
    /** Revision of the view that was last looked at. */
    private long revision;
    /** When a member last came, went, or joined again. */
    private long changedNanos;
    /** Whether another member reports its clock, and so returns heartbeats. */
    private boolean isReturning;

    Heartbeats(NodeLife self, MemberThread clock) {
        this.self = self;
        this.clock = clock;
        this.changedNanos = clock.nanoTime();
    }

    /**
     * A newer view; others are ignored.
     *
     * @param proofAgeNanos time since the start of the last proof of this node; 0 without one
     */
    void look(MembersView view, long proofAgeNanos) {
        if (view.revision() <= revision) {
            return;
        }
        boolean isNext = view.revision() == revision + 1;
        revision = view.revision();
        long now = clock.nanoTime();
        long proved = now - proofAgeNanos;
        if (others.keySet().removeIf(life -> view.find(life) == null)) {
            changedNanos = now;
        }
        givenUp.removeIf(lapse -> !view.members().contains(lapse));
        for (AgreedMember member : view.members()) {
            if (!member.life().equals(self)) {
                look(member, isNext, now, proved);
            }
        }
    }

    private void look(AgreedMember member, boolean isNext, long now, long proved) {
        Other other = others.get(member.life());
        if (other == null) {
            others.put(member.life(), new Other(member, now, proved));
            changedNanos = now;
            return;
        }
        if (member.equals(other.member)) {
            return;
        }
        boolean hasJustLapsed = member.state() == MemberState.LAPSED && other.member.state() == MemberState.SERVING;
        if (!hasJustLapsed || !isNext) {
            other.heardNanos = now; // it may have served meanwhile, and have clients
        }
        if (member.isCounted() && !other.member.isCounted()) {
            other.countedNanos = proved;
            changedNanos = now;
        }
        other.member = member;
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
        isReturning |= beat.sentNanos() != 0;
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

    /**
     * Whether a serving member has returned heartbeats before, and none in the last {@link #CUT_OFF_NANOS}. Any thread.
     */
    boolean isSilent(NodeLife life) {
        Other other = others.get(life);
        Long answered = other == null || other.member.state() != MemberState.SERVING ? null : other.answeredNanos;
        return answered != null && clock.nanoTime() - answered >= CUT_OFF_NANOS;
    }

    /** The next heartbeat for another member. */
    Heartbeat next(NodeLife to, long since) {
        giveUp();
        Other other = others.get(to);
        long echo = other == null || givenUp.contains(other.member) ? 0 : other.sentNanos;
        return new Heartbeat(since, clock.nanoTime(), echo, isReturning, givenUp);
    }

    private void giveUp() {
        long now = clock.nanoTime();
        for (Other other : others.values()) {
            if (other.member.state() == MemberState.LAPSED && now - other.heardNanos >= SILENT_NANOS) {
                givenUp.add(other.member);
            }
        }
    }

    /** Whether a member that lapsed {@link #LAPSED_NANOS} ago has certainly closed its clients: nobody hears it. */
    boolean isGivenUpByAll(AgreedMember lapse) {
        giveUp();
        Other lapsed = others.get(lapse.life());
        return lapsed != null
                && lapsed.closesUnreturned
                && givenUp.contains(lapse)
                && clock.nanoTime() - changedNanos >= SILENT_NANOS
                && others.values().stream().allMatch(other -> other == lapsed || other.givenUp.contains(lapse));
    }

    /** Whether this node may keep its clients without a proof: other members have returned its heartbeats. */
    boolean areReturned() {
        long now = clock.nanoTime();
        boolean hasOthers = false;
        for (Other other : others.values()) {
            boolean isCounted = other.member.isCounted();
            hasOthers |= isCounted;
            boolean hasReturned = other.hasReturned && now - other.returnedNanos < UNRETURNED_NANOS;
            if (isCounted && (hasReturned || now - other.countedNanos < UNRETURNED_NANOS)) {
                return true;
            }
        }
        return !hasOthers || !isReturning;
    }
}
