package io.godwit.dist.index.share;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session in a {@link SharedGroup}, or the live members of the group on another node. Written under the lock of its
 * group, read without one.
 */
public final class SharedMember {
    /** The tiers of a group, in order of preference. */
    enum Tier {
        /** In the memory of this node. */
        LIVE,
        /** Stored, and its client is connected to this node. */
        CONNECTED,
        /** In the memory of another node. */
        ELSEWHERE,
        /** Stored, and its client is connected to another node. */
        CONNECTED_ELSEWHERE,
        /** Stored, and its client is not connected, as far as this node knows. */
        ABSENT,
        /** Was full a moment ago. */
        REFUSING,
        /** No longer in the group. */
        LEFT;

        boolean isAvailable() {
            return compareTo(ABSENT) < 0;
        }
    }

    /** A full member, and until when it is skipped. */
    record Refusal(SharedMember member, long untilNanos) {}

    private volatile Match match;
    private volatile Tier tier = Tier.LEFT;
    /** Its tier unless it refuses. */
    private Tier home;
    /** Of a stored member. */
    private boolean isConnectedHere;
    /** Of a stored member, which has this and the other while its client moves from one node to another. */
    private boolean isConnectedElsewhere;
    /** Its index in the {@link MemberSlots} of its tier. */
    int slot;
    /** Its latest refusal. */
    @Nullable
    Refusal refusal;

    /** See {@link #point}; 0 until it is needed. */
    private volatile long point;

    /** Number of buckets in all tables of {@link KeptKeys} together. Atomic: every event loop gives buckets. */
    final AtomicInteger keys = new AtomicInteger();

    SharedMember(Match match, Tier home) {
        this.match = match;
        this.home = home;
    }

    /** The options of its subscription. */
    public Match match() {
        return match;
    }

    /** Whether it is still in the group. */
    public boolean isMember() {
        return tier != Tier.LEFT;
    }

    /** Whether it was full a moment ago, and was chosen only because all others were too. */
    public boolean isRefusing() {
        return tier == Tier.REFUSING;
    }

    /** Whether it is a session in the memory of this node. */
    public boolean isHere() {
        return home == Tier.LIVE; // never changes
    }

    /** Whether it represents the live members on another node. */
    public boolean isElsewhere() {
        return home == Tier.ELSEWHERE; // never changes
    }

    /** Number of members that it represents. */
    int weight() {
        return match.receiver() instanceof LiveReceiver live ? Math.max(1, live.membersElsewhere()) : 1;
    }

    /**
     * See {@link Rendezvous#point}. The next session of a client has the same, and so has the next process of a node.
     *
     * @param group the hash of the group's name
     */
    long point(long group) {
        long known = point;
        if (known == 0) {
            known = Rendezvous.point(
                    group, Rendezvous.hashOf(match.receiver().clientId().value()));
            point = known;
        }
        return known;
    }

    /** Whether it is a later session of the same client: the route of an ended session may still be there. */
    boolean isNewerThan(SharedMember other) {
        return match.receiver() instanceof InboxReceiver mine
                && other.match.receiver() instanceof InboxReceiver its
                && mine.compareTo(its) > 0;
    }

    void setMatch(Match replaced) {
        match = replaced;
    }

    Tier tier() {
        return tier;
    }

    void setTier(Tier entered) {
        tier = entered;
    }

    Tier home() {
        return home;
    }

    /** Whether it is a session in a store. */
    boolean isStored() {
        return match.receiver() instanceof InboxReceiver;
    }

    /** For a stored member. */
    void setConnectedHere(boolean isConnected) {
        isConnectedHere = isConnected;
        home = homeOfStored();
    }

    /** For a stored member. */
    void setConnectedElsewhere(boolean isConnected) {
        isConnectedElsewhere = isConnected;
        home = homeOfStored();
    }

    private Tier homeOfStored() {
        if (isConnectedHere) {
            return Tier.CONNECTED;
        }
        return isConnectedElsewhere ? Tier.CONNECTED_ELSEWHERE : Tier.ABSENT;
    }
}
