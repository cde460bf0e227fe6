package io.godwit.broker.clients;

import io.godwit.dist.client.Match;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * Who would get a message of a topic, as one node knows.
 *
 * @param live sessions in the memory of the node, the first of them
 * @param liveTotal how many there are
 * @param stored sessions of the inbox store, the first of them; none from another node
 * @param storedTotal how many there are
 */
record NodeReceivers(List<Entry> live, long liveTotal, List<Entry> stored, long storedTotal) {
    /** @param group the shared filter of which it is one of the members; empty for none */
    record Entry(String clientId, int qos, String group) {}

    NodeReceivers {
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
