package io.godwit.dist.peer;

/** Two serving nodes on one thread. */
abstract class TwoNodes {
    final TestNode.Cluster cluster = new TestNode.Cluster();
    final TestNode a = cluster.serving("a", 1);
    final TestNode b = cluster.serving("b", 1);
}
