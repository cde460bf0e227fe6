package io.godwit.dist.index;

import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lists the shared groups of one tenant for operators, sorted by the text of their filters. Each page visits all
 * filters and keeps the first groups after the previous page.
 */
public final class GroupList {
    private GroupList() {}

    /**
     * @param shareName only groups with this name; null for any
     * @param filter only groups on this filter, given without the share name; null for any
     * @param after only groups whose shared filter sorts after this text; null for the first page
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
