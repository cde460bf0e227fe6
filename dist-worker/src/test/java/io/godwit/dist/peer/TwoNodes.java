package io.godwit.dist.peer;

/**
 * Two nodes that serve, in one thread.
 */
abstract class TwoNodes {
    final TestNode.Cluster cluster = new TestNode.Cluster();
    final TestNode a = cluster.serving("a", 1);
    final TestNode b = cluster.serving("b", 1);
}
