package io.godwit.cluster.member;

import io.godwit.cluster.config.HostPort;
import java.util.Map;

/**
 * A node of the cluster, as it announced itself.
 *
 * @param nodeId the store id of the node; stays when the node moves to another address. No other live member has it
 * @param incarnation identifies one process of the node; a later process has a higher one
 * @param rpc where its {@code RpcServer} listens
 * @param version software version of the node
 * @param env the environment it belongs to, the same for all members
 * @param attributes further announced values, such as its zone; may change while the node lives
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
