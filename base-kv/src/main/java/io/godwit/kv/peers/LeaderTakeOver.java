package io.godwit.kv.peers;

/** Makes replicas of this node stand for election. Any thread. */
@FunctionalInterface
public interface LeaderTakeOver {
    /** Makes this node's replica of the group stand, if it follows the leader {@code leaderId}. */
    void takeOver(String groupId, String leaderId);
}
