package io.godwit.cluster;

import java.util.concurrent.TimeUnit;

/** A link that is cut between two nodes, for RPC: both are members as before, since others reach both. */
public final class RpcCut {
    private RpcCut() {}

    /** No call between the two gets through from now on, either way. */
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
            Thread.onSpinWait(); // the channels' thread has nothing else to do
        }
    }

    /** Calls between the two get through again. */
    public static void heal(Cluster one, Cluster other) {
        one.channels().following().joined(other.membership().self());
        other.channels().following().joined(one.membership().self());
    }
}
