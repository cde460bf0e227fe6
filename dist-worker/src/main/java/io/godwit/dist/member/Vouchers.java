package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The other members that have recently confirmed, by their newest view, that this incarnation serves.
 *
 * <p>A node that cannot read the view does not know whether the others have evicted it, or whether the leader of the
 * view's range is gone and nobody can change the view. In the first case others may serve its clients; in the second
 * its clients should stay. So members report to each other what they know, twice a second. If all but one of them
 * confirm that this incarnation serves, at least one of these took part in each agreed change of the view, because a
 * view with three voters is changed by two of them. It confirms only as long as this incarnation has not lapsed, and
 * slightly longer, which is much shorter than the time until the eviction. An earlier eviction has its own condition
 * ({@link Heartbeats}).
 *
 * <p>Confined to the thread of the members.
 */
final class Vouchers {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Number of members that need not confirm, if there are at least two others. */
    private static final int MAY_BE_SILENT = 1;

    /** When each member last confirmed. */
    private final Map<NodeLife, Long> saidNanos = new HashMap<>();

    /** @param serves whether its newest view has this incarnation as it last began to serve */
    void said(NodeLife by, boolean serves, long nowNanos) {
        if (serves) {
            saidNanos.put(by, nowNanos);
        } else {
            saidNanos.remove(by);
        }
    }

    /** Whether certainly nobody has evicted {@code self}, a member of the view. */
    boolean suffice(MembersView view, NodeLife self, long nowNanos) {
        saidNanos.values().removeIf(said -> nowNanos - said >= FRESH_NANOS);
        int others = view.members().size() - 1;
        long saying = view.members().stream()
                .map(AgreedMember::life)
                .filter(life -> !life.equals(self) && saidNanos.containsKey(life))
                .count();
        return others - saying <= (others >= 2 ? MAY_BE_SILENT : 0);
    }
}
