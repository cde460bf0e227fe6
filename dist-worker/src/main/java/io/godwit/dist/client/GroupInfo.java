package io.godwit.dist.client;

import io.godwit.plugin.topic.TopicFilter;

/**
 * A shared group, as known to the matcher of one node.
 *
 * @param filter the shared filter of its members
 * @param live members in the memory of this node
 * @param elsewhere members in the memory of other nodes
 * @param stored members in the inbox store, connected or not
 */
public record GroupInfo(TopicFilter filter, int live, int elsewhere, int stored) {
    public int members() {
        return live + elsewhere + stored;
    }
}
