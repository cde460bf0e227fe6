package io.godwit.kv;

import io.godwit.cluster.Member;
import java.util.Map;

/**
 * What a node announces of itself beside its address, and how the others read it.
 *
 * @param clusterId of its data; empty while it has none
 * @param isFounding it has none, and is told to begin a cluster
 * @param zone empty when none is configured
 */
record MemberFacts(String clusterId, boolean isFounding, String zone) {
    private static final String CLUSTER = "cluster";
    private static final String FOUNDING = "founding";
    private static final String ZONE = "zone";

    Map<String, String> attributes() {
        return Map.of(CLUSTER, clusterId, FOUNDING, Boolean.toString(isFounding), ZONE, zone);
    }

    static MemberFacts of(Member member) {
        Map<String, String> attributes = member.attributes();
        return new MemberFacts(
                attributes.getOrDefault(CLUSTER, ""),
                Boolean.parseBoolean(attributes.getOrDefault(FOUNDING, "false")),
                attributes.getOrDefault(ZONE, ""));
    }
}
