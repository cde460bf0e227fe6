package io.godwit.cluster;

import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import java.util.concurrent.TimeUnit;

/** Cuts the RPC link between two nodes; both stay members, because other nodes still reach both. */
public final class RpcCut {
    private RpcCut() {}

    /** Cuts calls between the two nodes in both directions. */
    public static void cut(Cluster one, Cluster other) {
        disconnect(one, other);
        disconnect(other, one);
    }

    private static void disconnect(Cluster from, Cluster to) {
        Member member = to.membership().self();
        from.channels().following().gone(member, Departure.LEFT);
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (from.channels().to(member.nodeId()) != null) {
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException("still connected to " + member.nodeId());
            }
            Thread.onSpinWait(); // spinning is fine: the channels' thread has nothing else to do
        }
    }

    /** Mends the link between the two nodes. */
    public static void heal(Cluster one, Cluster other) {
        one.channels().following().joined(other.membership().self());
        other.channels().following().joined(one.membership().self());
    }
}
