package io.godwit.dist.index.share;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.plugin.topic.TopicFilter;

/**
 * A stored session as a member of one shared group. The order has no meaning. It exists because clients choose filters
 * and client ids whose hash codes collide, and because nodes tell each other their members page by page.
 *
 * @param filter of the group
 */
public record GroupMember(TopicFilter filter, InboxReceiver receiver) implements Comparable<GroupMember> {
    /** An entry of a table, with its objects and without texts. */
    private static final int MEMBER_BYTES = 300;

    public GroupMember {
        if (!filter.isShared()) {
            throw new IllegalArgumentException("a member of a group has a shared filter, not " + filter.text());
        }
    }

    /** Characters of the filter and the client id. */
    public int chars() {
        String name = filter.shareGroup();
        return (name == null ? 0 : name.length())
                + filter.filter().length()
                + receiver.clientId().value().length();
    }

    /** The most heap that the decoded member takes on a node that has received it, about. */
    public long heapBytes() {
        return MEMBER_BYTES + 2L * chars();
    }

    @Override
    public int compareTo(GroupMember other) {
        int byReceiver = receiver.compareTo(other.receiver); // first: many members may share a long filter
        return byReceiver != 0 ? byReceiver : filter.compareTo(other.filter);
    }
}
