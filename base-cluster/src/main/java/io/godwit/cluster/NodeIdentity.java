package io.godwit.cluster;

import java.util.Map;

/**
 * Whom a process joins as.
 *
 * @param nodeId the id of its store
 * @param incarnation higher than that of every earlier process on this store
 * @param version of its software
 * @param attributes see {@link Member#attributes}
 */
public record NodeIdentity(String nodeId, long incarnation, String version, Map<String, String> attributes) {
    public NodeIdentity {
        attributes = Map.copyOf(attributes);
    }
}
