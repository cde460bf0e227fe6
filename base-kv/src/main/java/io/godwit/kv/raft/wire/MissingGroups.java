package io.godwit.kv.raft.wire;

/** Is told when another node calls a group that has no replica here. */
@FunctionalInterface
public interface MissingGroups {
    /**
     * Called for every such call, on a thread that must not be blocked.
     *
     * @param caller store id of the calling node, as stated in the call
     */
    void called(String groupId, String caller);
}
