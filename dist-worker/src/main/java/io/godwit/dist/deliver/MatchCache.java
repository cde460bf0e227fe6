package io.godwit.dist.deliver;

import io.godwit.dist.index.Matches;
import io.godwit.dist.index.TenantIndex;
import io.godwit.plugin.client.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * The matches of the topics that one client published to last. Confined to the publisher's thread.
 *
 * <p>An entry is valid while the version of the tenant's index stays. The last topic is in plain fields, because most
 * clients have one; a second one creates the small table. Large results are not kept: compared with delivering to them
 * a look-up costs nothing, and an idle publisher must not keep an outdated list of a million sessions in memory.
 */
final class MatchCache {
    /** The largest result kept. */
    static final int MAX_MATCHES = 64;

    private static final int SLOTS = 8;

    private final TenantIndex index;
    private final ClientId publisher;
    private @Nullable Entry last;
    private @Nullable Entry @Nullable [] others;

    private record Entry(String topic, long version, Matches matches) {}

    MatchCache(TenantIndex index, ClientId publisher) {
        this.index = index;
        this.publisher = publisher;
    }

    Matches match(String topic) {
        // read before matching: after a change in between the entry is outdated, not wrong
        long version = index.version();
        Entry recent = last;
        if (recent != null && recent.version == version && recent.topic.equals(topic)) {
            return recent.matches;
        }
        return matchOther(topic, version);
    }

    private Matches matchOther(String topic, long version) {
        Entry before = last;
        if (before != null && !before.topic.equals(topic)) {
            if (others == null) {
                others = new @Nullable Entry[SLOTS];
            }
            others[slot(before.topic)] = before;
            Entry known = others[slot(topic)];
            if (known != null && known.version == version && known.topic.equals(topic)) {
                last = known;
                return known.matches;
            }
        }
        Matches matches = index.match(topic, publisher);
        last = matches.size() <= MAX_MATCHES ? new Entry(topic, version, matches) : null;
        return matches;
    }

    private static int slot(String topic) {
        int hash = topic.hashCode();
        return (hash ^ hash >>> 16) & SLOTS - 1;
    }
}
