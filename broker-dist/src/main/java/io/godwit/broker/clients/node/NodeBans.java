package io.godwit.broker.clients.node;

import io.godwit.mqtt.ban.AutomaticBan;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of the bans that a node has made automatically.
 *
 * @param bans by ascending ids
 * @param hasMore whether more follow the last one; then there are at least two
 */
public record NodeBans(List<AutomaticBan> bans, boolean hasMore) {
    /** Bound of the texts in a page, which clients choose. */
    private static final long MOST_CHARS = 1 << 18;

    private static final int LEAST = 2;

    public NodeBans {
        bans = List.copyOf(bans);
        if (hasMore && bans.size() < LEAST) { // the next page begins with the last ban of this one
            throw new IllegalArgumentException("a page of " + bans.size() + " bans that goes on");
        }
    }

    /** As many of the found bans as fit. */
    static NodeBans page(List<AutomaticBan> found, int limit) {
        List<AutomaticBan> page = new ArrayList<>();
        long chars = 0;
        for (AutomaticBan ban : found) {
            chars += ban.subject().length()
                    + ban.mountPoint().length()
                    + ban.tenant().length();
            if (page.size() >= LEAST && chars > MOST_CHARS) {
                return new NodeBans(page, true);
            }
            page.add(ban);
        }
        return new NodeBans(page, page.size() >= limit);
    }
}
