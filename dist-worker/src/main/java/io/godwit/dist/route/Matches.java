package io.godwit.dist.route;

import io.godwit.dist.client.Match;
import java.util.List;

/**
 * Who gets a message of one topic: one match per session with a plain subscription, the shared groups, of each of which
 * one member is to be picked per message, and the other nodes that have live subscribers. Immutable but for the members
 * of the groups, and shared by all publishers.
 *
 * @param live matches of {@link io.godwit.dist.client.LiveReceiver}s
 * @param inbox matches of {@link io.godwit.dist.client.InboxReceiver}s
 * @param groups of any receivers, not empty when this was made; one may have become so since
 * @param nodes where live sessions of other nodes have plain subscriptions
 */
public record Matches(List<Match> live, List<Match> inbox, List<SharedGroup> groups, NodeSet nodes) {
    /** Nobody. */
    public static final Matches NONE = new Matches(List.of(), List.of(), List.of());

    /** On this node alone. */
    public Matches(List<Match> live, List<Match> inbox, List<SharedGroup> groups) {
        this(live, inbox, groups, NodeSet.NONE);
    }

    /** How many matches and groups are kept alive by this. */
    public int size() {
        return live.size() + inbox.size() + groups.size();
    }
}
