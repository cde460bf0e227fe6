package io.godwit.cluster;

import java.util.Map;

/**
 * A node of the cluster, as it announced itself.
 *
 * @param nodeId its store id: stays when the node moves to another address; no other live member has it
 * @param incarnation tells one life of the node's process from the next, which has a higher one
 * @param rpc where its {@link RpcServer} listens
 * @param version of its software
 * @param env the environment it belongs to, the same for all members
 * @param attributes what else it tells of itself, such as its zone; may change while it lives
 */
public record Member(
        String nodeId, long incarnation, HostPort rpc, String version, String env, Map<String, String> attributes) {

    public Member {
        if (nodeId.isEmpty()) {
            throw new IllegalArgumentException("node id is empty");
        }
        attributes = Map.copyOf(attributes);
    }

    Member withAttributes(Map<String, String> changed) {
        return new Member(nodeId, incarnation, rpc, version, env, changed);
    }

    @Override
    public String toString() {
        return nodeId + "/" + incarnation + "@" + rpc;
    }
}
