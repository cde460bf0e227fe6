package io.godwit.cluster.member;

import java.util.Map;

/**
 * The identity with which a process joins.
 *
 * @param nodeId the id of the node's store
 * @param incarnation higher than that of every earlier process on this store
 * @param version software version of the node
 * @param attributes see {@link Member#attributes}
 */
public record NodeIdentity(String nodeId, long incarnation, String version, Map<String, String> attributes) {
    public NodeIdentity {
        attributes = Map.copyOf(attributes);
    }
}
