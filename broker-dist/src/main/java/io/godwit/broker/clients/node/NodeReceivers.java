package io.godwit.broker.clients.node;

import io.godwit.dist.client.Match;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * The receivers of a message to a topic, as known by one node.
 *
 * @param live the first of the sessions in the node's memory
 * @param liveTotal the number of all such sessions
 * @param stored the first of the sessions in the inbox store; empty from another node
 * @param storedTotal the number of all such sessions
 */
public record NodeReceivers(List<Entry> live, long liveTotal, List<Entry> stored, long storedTotal) {
    /** @param group the shared filter that the session is a member of; empty for none */
    public record Entry(String clientId, int qos, String group) {}

    public NodeReceivers {
        live = List.copyOf(live);
        stored = List.copyOf(stored);
    }

    static NodeReceivers of(TopicReceivers receivers) {
        return new NodeReceivers(
                entries(receivers.live()), receivers.liveTotal(), entries(receivers.stored()), receivers.storedTotal());
    }

    private static List<Entry> entries(List<Match> matches) {
        return matches.stream().map(NodeReceivers::entry).toList();
    }

    private static Entry entry(Match match) {
        TopicFilter group = match.sharedBy();
        return new Entry(match.receiver().clientId().value(), match.qos().value(), group == null ? "" : group.text());
    }
}
