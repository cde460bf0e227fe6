package io.godwit.kv.member;

import io.godwit.cluster.member.Member;
import java.util.Map;

/**
 * The attributes that a node announces besides its address.
 *
 * @param clusterId the cluster of its data; empty while it has none
 * @param founding whether it begins a cluster if it has no data
 * @param zone empty if none is configured
 * @param at the address of its membership, as {@code ip:port}; empty if not announced
 * @param seeds the nodes that it takes for the seeds of the cluster, see {@link FoundingSeeds#text}; empty if it has
 *     data or does not announce them
 */
public record MemberFacts(String clusterId, Founding founding, String zone, String at, String seeds) {
    private static final String CLUSTER = "cluster";
    private static final String FOUNDING = "founding";
    private static final String ZONE = "zone";
    private static final String AT = "at";
    private static final String SEEDS = "seeds";

    /** For a node that has data or does not take part in founding. */
    MemberFacts(String clusterId, String zone, String at) {
        this(clusterId, Founding.NEVER, zone, at, "");
    }

    Map<String, String> attributes() {
        return Map.of(CLUSTER, clusterId, FOUNDING, founding.text(), ZONE, zone, AT, at, SEEDS, seeds);
    }

    public boolean hasData() {
        return !clusterId.isEmpty();
    }

    public static MemberFacts of(Member member) {
        Map<String, String> attributes = member.attributes();
        return new MemberFacts(
                attributes.getOrDefault(CLUSTER, ""),
                Founding.of(attributes.getOrDefault(FOUNDING, "")),
                attributes.getOrDefault(ZONE, ""),
                attributes.getOrDefault(AT, ""),
                attributes.getOrDefault(SEEDS, ""));
    }
}
