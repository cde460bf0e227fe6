package io.godwit.dist.client;

import java.util.List;

/**
 * The receivers of a topic that one node knows. Lists all members of a shared group, under {@link Match#sharedBy}; only
 * one of them would get a message.
 *
 * @param live sessions in the memory of this node, up to the limit asked for
 * @param liveTotal number of all such sessions
 * @param stored sessions of all nodes in the inbox store, up to the limit asked for
 * @param storedTotal number of all such sessions
 */
public record TopicReceivers(List<Match> live, long liveTotal, List<Match> stored, long storedTotal) {
    public static final TopicReceivers NONE = new TopicReceivers(List.of(), 0, List.of(), 0);

    public TopicReceivers {
        live = List.copyOf(live);
        stored = List.copyOf(stored);
    }
}
