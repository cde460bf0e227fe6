package io.godwit.broker.cluster;

import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the members before they exist: until then there are no other members, and nothing may be acknowledged. Set
 * once by the wiring thread, used by any.
 */
final class LateMembers implements Members {
    private volatile @Nullable Members members;

    void set(Members part) {
        members = part;
    }

    @Override
    public Set<NodeLife> others() {
        Members known = members;
        return known == null ? Set.of() : known.others();
    }

    @Override
    public Set<NodeLife> lapsed() {
        Members known = members;
        return known == null ? Set.of() : known.lapsed();
    }

    @Override
    public CompletableFuture<Void> exclude(NodeLife member, String why) {
        Members known = members;
        return known == null
                ? CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the members are not known yet"))
                : known.exclude(member, why);
    }

    @Override
    public CompletableFuture<Void> excludeSilent(NodeLife member, String why) {
        Members known = members;
        return known == null ? exclude(member, why) : known.excludeSilent(member, why);
    }

    @Override
    public CompletableFuture<Void> excludeLost(NodeLife member, String why) {
        Members known = members;
        return known == null ? exclude(member, why) : known.excludeLost(member, why);
    }

    @Override
    public boolean mayAcknowledge() {
        Members known = members;
        return known != null && known.mayAcknowledge();
    }

    @Override
    public long epoch() {
        Members known = members;
        return known == null ? 0 : known.epoch();
    }

    @Override
    public boolean mayAcknowledge(long epoch) {
        Members known = members;
        return known != null && known.mayAcknowledge(epoch);
    }

    @Override
    public long revision() {
        Members known = members;
        return known == null ? 0 : known.revision();
    }

    @Override
    public boolean isPast(NodeLife life, long since) {
        Members known = members;
        return known != null && known.isPast(life, since);
    }

    @Override
    public void heard(NodeLife by, Heartbeat beat) {
        Members known = members;
        if (known != null) {
            known.heard(by, beat);
        }
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge() {
        Members known = members;
        return known == null ? CompletableFuture.completedFuture(false) : known.untilMayAcknowledge();
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
        Members known = members;
        return known == null ? CompletableFuture.completedFuture(false) : known.untilMayAcknowledge(epoch);
    }
}
