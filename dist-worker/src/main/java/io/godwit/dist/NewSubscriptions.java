package io.godwit.dist;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Live subscriptions that are in force here and not yet promised. One that could not be promised is taken back, unless
 * its receiver has unsubscribed and subscribed again meanwhile: then it is that one which is in force. The lock is for
 * event loops; it is held for a look into the maps.
 */
final class NewSubscriptions {
    /** By receiver and filter: the number of the newest. */
    private final Map<LiveReceiver, TreeMap<TopicFilter, Long>> open = new HashMap<>();

    private long last;

    /** One has come into force. Names it. */
    synchronized long begin(LiveReceiver receiver, TopicFilter filter) {
        open.computeIfAbsent(receiver, any -> new TreeMap<>()).put(filter, ++last);
        return last;
    }

    /** It is promised, or refused. Whether it is the newest of its receiver and filter. */
    synchronized boolean end(LiveReceiver receiver, TopicFilter filter, long number) {
        TreeMap<TopicFilter, Long> filters = open.get(receiver);
        if (filters == null || !Long.valueOf(number).equals(filters.get(filter))) {
            return false;
        }
        filters.remove(filter);
        if (filters.isEmpty()) {
            open.remove(receiver);
        }
        return true;
    }
}
