package io.godwit.dist.member;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which other members have said lately that this life serves, by the newest view that each knows.
 *
 * <p>A node that cannot read the view does not know whether the others have evicted it, or whether the leader of the
 * view's range is gone and nobody can change the view. In the first case others may serve its clients, in the second
 * its clients shall stay. So members tell each other what they know, twice a second. When all of them but one say that
 * this life serves, one of these has had a part in each change of the view that was agreed on: a view with three voters
 * is changed by two of them. So it says so for as long as this life has not lapsed, and a little longer than that,
 * which is much shorter than the time until it is evicted.
 *
 * <p>Confined to the thread of the members.
 */
final class Vouchers {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Members that may say nothing, where there are two others at least. */
    private static final int MAY_BE_SILENT = 1;

    /** When each has said so. */
    private final Map<NodeLife, Long> saidNanos = new HashMap<>();

    /** @param serves whether its newest view has this life as it has come to serve */
    void said(NodeLife by, boolean serves, long nowNanos) {
        if (serves) {
            saidNanos.put(by, nowNanos);
        } else {
            saidNanos.remove(by);
        }
    }

    /** Whether nobody can have evicted {@code self}, which is one of the view. */
    boolean suffice(MembersView view, NodeLife self, long nowNanos) {
        saidNanos.values().removeIf(said -> nowNanos - said >= FRESH_NANOS);
        int others = view.members().size() - 1;
        long saying = view.members().stream()
                .map(Member::life)
                .filter(life -> !life.equals(self) && saidNanos.containsKey(life))
                .count();
        return others - saying <= (others >= 2 ? MAY_BE_SILENT : 0);
    }
}
