package io.godwit.dist.client;

import java.util.List;

/**
 * Who would get a message of a topic now, of those that one node knows. Of a shared group all members are here, under
 * {@link Match#sharedBy}, and one of them would get it.
 *
 * @param live sessions in the memory of this node, as many as were asked for
 * @param liveTotal how many there are
 * @param stored sessions of all nodes that the inbox store keeps, as many as were asked for
 * @param storedTotal how many there are
 */
public record TopicReceivers(List<Match> live, long liveTotal, List<Match> stored, long storedTotal) {
    public static final TopicReceivers NONE = new TopicReceivers(List.of(), 0, List.of(), 0);

    public TopicReceivers {
        live = List.copyOf(live);
        stored = List.copyOf(stored);
    }
}
