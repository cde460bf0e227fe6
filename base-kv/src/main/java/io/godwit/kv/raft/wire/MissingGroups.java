package io.godwit.kv.raft.wire;

/** Learns that another node calls a group that has no replica here. */
@FunctionalInterface
public interface MissingGroups {
    /**
     * Called for every such call, on a thread that must not be blocked.
     *
     * @param caller store id of the node that called; as it says
     */
    void called(String groupId, String caller);
}
