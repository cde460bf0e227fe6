package io.godwit.dist.route;

import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The shared groups of one tenant for operators, by the texts of their filters. A page is a walk of all filters that
 * keeps the first groups behind the page before.
 */
public final class GroupList {
    private GroupList() {}

    /**
     * @param shareName of the groups that are wanted; null for any
     * @param filter on which they are, without the group; null for any
     * @param after only those behind this text of a shared filter; null for the first
     * @param most at least 1
     */
    public static List<GroupInfo> of(
            TenantIndex index, @Nullable String shareName, @Nullable String filter, @Nullable String after, int most) {
        TreeMap<String, SharedGroup> first = new TreeMap<>();
        index.forEachGroup(group -> {
            TopicFilter shared = group.filter();
            boolean isWanted = (shareName == null || shareName.equals(shared.shareGroup()))
                    && (filter == null || filter.equals(shared.filter()));
            if (!isWanted) {
                return;
            }
            String text = shared.text();
            if (after != null && text.compareTo(after) <= 0
                    || first.size() == most && text.compareTo(first.lastKey()) > 0) {
                return;
            }
            first.put(text, group);
            if (first.size() > most) {
                first.pollLastEntry();
            }
        });
        return first.values().stream().map(GroupList::info).toList();
    }

    private static GroupInfo info(SharedGroup group) {
        int[] counts = new int[3];
        group.forEach(match -> {
            Receiver receiver = match.receiver();
            if (receiver instanceof InboxReceiver) {
                counts[2]++;
            } else if (receiver instanceof LiveReceiver session && session.membersElsewhere() > 0) {
                counts[1] += session.membersElsewhere();
            } else {
                counts[0]++;
            }
        });
        return new GroupInfo(group.filter(), counts[0], counts[1], counts[2]);
    }
}
