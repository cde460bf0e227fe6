package io.godwit.dist.client;

import io.godwit.plugin.topic.TopicFilter;

/**
 * A shared group, as the matcher of one node has it.
 *
 * @param filter the shared filter of its members
 * @param live members in the memory of this node
 * @param elsewhere members in the memory of other nodes
 * @param stored members that the inbox store keeps, connected or not
 */
public record GroupInfo(TopicFilter filter, int live, int elsewhere, int stored) {
    public int members() {
        return live + elsewhere + stored;
    }
}
