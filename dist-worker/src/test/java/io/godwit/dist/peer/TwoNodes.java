package io.godwit.dist.peer;

/** Two serving nodes on one thread. */
public abstract class TwoNodes {
    public final TestNode.Cluster cluster = new TestNode.Cluster();
    public final TestNode a = cluster.serving("a", 1);
    public final TestNode b = cluster.serving("b", 1);
}
