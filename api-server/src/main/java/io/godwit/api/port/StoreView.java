package io.godwit.api.port;

/**
 * A store: a key space that is cut into ranges.
 *
 * @param name such as {@code dist}, {@code inbox}, {@code retain}
 * @param state how it is on this node, such as {@code SERVING}
 * @param detail why it is so; empty while it serves
 * @param wantedVoters how many voters each range is to have
 * @param ranges how many there are
 * @param leaderless how many have no leader that this node knows
 * @param sizeBytes on disk, about, of one replica of each range
 */
public record StoreView(
        String name, String state, String detail, int wantedVoters, int ranges, int leaderless, long sizeBytes) {}
