package io.godwit.dist.route;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session in a {@link SharedGroup}, or its live members on another node. Written under the lock of its group, read
 * without one.
 */
public final class SharedMember {
    /** Where a group looks for a member, in this order. */
    enum Tier {
        /** In the memory of this node. */
        LIVE,
        /** Stored, and its client is connected to this node. */
        CONNECTED,
        /** In the memory of another node. */
        ELSEWHERE,
        /** Stored; nobody is known to read. */
        ABSENT,
        /** Full a moment ago. */
        REFUSING,
        /** In the group no longer. */
        LEFT;

        boolean isAvailable() {
            return this == LIVE || this == CONNECTED || this == ELSEWHERE;
        }
    }

    private volatile Match match;
    private volatile Tier tier = Tier.LEFT;
    /** Where it belongs unless it refuses. */
    private Tier home;
    /** Its place in the {@link MemberSlots} of its tier. */
    int slot;
    /** The last one. */
    SharedGroup.@Nullable Refusal refusal;
    /** How many keys it has of each {@link Affinity} of its group, together. Every event loop assigns keys. */
    final AtomicInteger keys = new AtomicInteger();

    SharedMember(Match match, Tier home) {
        this.match = match;
        this.home = home;
    }

    /** What its subscription asks for. */
    public Match match() {
        return match;
    }

    /** Whether it is in the group still. */
    public boolean isMember() {
        return tier != Tier.LEFT;
    }

    /** Whether it was full a moment ago, and was chosen because all others are too. */
    public boolean isRefusing() {
        return tier == Tier.REFUSING;
    }

    /** Whether it is a session in the memory of this node. */
    public boolean isHere() {
        return home == Tier.LIVE; // which never changes
    }

    /** Whether it stands for the live members on another node. */
    public boolean isElsewhere() {
        return home == Tier.ELSEWHERE; // which never changes
    }

    /** How many members it stands for. */
    int weight() {
        return match.receiver() instanceof LiveReceiver live ? Math.max(1, live.membersElsewhere()) : 1;
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

    void setHome(Tier changed) {
        home = changed;
    }
}
