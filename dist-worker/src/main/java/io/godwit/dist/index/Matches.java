package io.godwit.dist.index;

import io.godwit.dist.client.Match;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedGroup;
import java.util.List;

/**
 * The receivers of a message of one topic: one match per session with a plain subscription; the shared groups, each of
 * which picks one member per message; and the other nodes that have live subscribers. Immutable except for the members
 * of the groups, and shared by all publishers.
 *
 * @param live matches of {@link io.godwit.dist.client.LiveReceiver}s
 * @param inbox matches of {@link io.godwit.dist.client.InboxReceiver}s
 * @param groups with receivers of any kind; not empty when this was made, but members may have left since
 * @param nodes other nodes whose live sessions have plain subscriptions
 */
public record Matches(List<Match> live, List<Match> inbox, List<SharedGroup> groups, NodeSet nodes) {
    /** No receivers. */
    public static final Matches NONE = new Matches(List.of(), List.of(), List.of());

    /** Receivers on this node only. */
    public Matches(List<Match> live, List<Match> inbox, List<SharedGroup> groups) {
        this(live, inbox, groups, NodeSet.NONE);
    }

    /** Number of matches and groups that this object keeps alive. */
    public int size() {
        return live.size() + inbox.size() + groups.size();
    }
}
