package io.godwit.api.port.cluster;

/**
 * A store: a key space that is cut into ranges.
 *
 * @param name such as {@code dist}, {@code inbox}, {@code retain}
 * @param state on this node, such as {@code SERVING}
 * @param detail the reason for the state; empty while it serves
 * @param wantedVoters how many voters each range should have
 * @param ranges number of ranges
 * @param leaderless number of ranges without a leader known to this node
 * @param sizeBytes on disk, about, of one replica of each range
 */
public record StoreView(
        String name, String state, String detail, int wantedVoters, int ranges, int leaderless, long sizeBytes) {}
