package io.godwit.dist.index;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the receivers of a topic, or the subscribers of a filter, for operators. Visits as many subscriptions as a
 * publish would; for rare use.
 */
public final class ReceiverList {
    /** Cannot be a client's id [MQTT5-1.5.4-2], so no-local excludes no subscriber. */
    private static final ClientId NOBODY = new ClientId("\0nobody");

    private final int most;
    private final List<Match> live = new ArrayList<>();
    private final List<Match> stored = new ArrayList<>();
    private long liveTotal;
    private long storedTotal;

    private ReceiverList(int most) {
        this.most = most;
    }

    /**
     * @param topic a valid topic name
     * @param most limit on the live and on the stored receivers listed, each
     */
    public static TopicReceivers of(TenantIndex index, String topic, int most) {
        ReceiverList list = new ReceiverList(most);
        Matches matches = index.match(topic, NOBODY);
        matches.live().forEach(list::add);
        matches.inbox().forEach(list::add);
        matches.groups().forEach(group -> group.forEach(list::add));
        return new TopicReceivers(list.live, list.liveTotal, list.stored, list.storedTotal);
    }

    /**
     * The receivers that are subscribed to exactly this filter; for a filter that is not shared also the members of all
     * groups on it.
     *
     * @param most limit on the live and on the stored receivers listed, each
     */
    public static TopicReceivers of(TenantIndex index, TopicFilter filter, int most) {
        ReceiverList list = new ReceiverList(most);
        index.forEachSubscription(filter, list::add);
        return new TopicReceivers(list.live, list.liveTotal, list.stored, list.storedTotal);
    }

    private void add(Match match) {
        if (!(match.receiver() instanceof LiveReceiver receiver)) {
            storedTotal++;
            if (stored.size() < most) {
                stored.add(match);
            }
        } else if (receiver.membersElsewhere() == 0) { // other nodes list their own
            liveTotal++;
            if (live.size() < most) {
                live.add(match);
            }
        }
    }
}
