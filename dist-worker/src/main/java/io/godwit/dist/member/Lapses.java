package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The lapses in the newest view, with the time at which this node first saw each, which is never before the commit.
 * Confined to the thread of the members.
 */
final class Lapses {
    /** A lapsed member has this long to come back before it is evicted, unless it is {@link Heartbeats silent}. */
    static final long EVICT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Map<AgreedMember, Long> seenNanos = new LinkedHashMap<>();
    /** Incarnations whose process is over: they acknowledge nothing, and do not come back. */
    private final Set<NodeLife> ended = new HashSet<>();

    void ended(NodeLife life) {
        ended.add(life);
    }

    void look(MembersView view, long nowNanos) {
        ended.removeIf(life -> view.find(life) == null);
        seenNanos.keySet().removeIf(lapse -> !view.members().contains(lapse));
        for (AgreedMember member : view.members()) {
            if (member.state() == MemberState.LAPSED) {
                seenNanos.putIfAbsent(member, nowNanos);
            }
        }
    }

    /**
     * Time until the lapse is {@link Freshness#OVER_NANOS} old; 0 when it is that old, or its process is over. The full
     * time when the newest view does not contain the lapse.
     */
    long untilOver(AgreedMember lapse, long nowNanos) {
        if (ended.contains(lapse.life())) {
            return 0;
        }
        Long seen = seenNanos.get(lapse);
        return seen == null ? Freshness.OVER_NANOS : Math.max(0, Freshness.OVER_NANOS - (nowNanos - seen));
    }

    /** The lapses that are {@link Freshness#OVER_NANOS} old, or whose process is over. */
    Set<AgreedMember> over(long nowNanos) {
        Set<AgreedMember> over = new LinkedHashSet<>();
        seenNanos.forEach((lapse, seen) -> {
            if (nowNanos - seen >= Freshness.OVER_NANOS || ended.contains(lapse.life())) {
                over.add(lapse);
            }
        });
        return over;
    }

    /**
     * A member that has not come back in time, or cannot.
     *
     * @param hasClosed whether a member that may come back has certainly closed its clients
     */
    Optional<AgreedMember> toEvict(long nowNanos, NodeLife self, Predicate<AgreedMember> hasClosed) {
        for (Map.Entry<AgreedMember, Long> each : seenNanos.entrySet()) {
            AgreedMember lapse = each.getKey();
            long age = nowNanos - each.getValue();
            boolean isDue = age >= EVICT_NANOS
                    || ended.contains(lapse.life())
                    || age >= Heartbeats.LAPSED_NANOS && hasClosed.test(lapse);
            if (isDue && !lapse.life().equals(self)) {
                return Optional.of(lapse);
            }
        }
        return Optional.empty();
    }
}
