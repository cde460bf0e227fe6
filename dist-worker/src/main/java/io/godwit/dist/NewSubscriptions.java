package io.godwit.dist;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Live subscriptions that are in force here but not promised to the client yet. When a promise fails its subscription
 * is removed, unless the receiver has unsubscribed and subscribed again: then the newer one is in force. Event loops
 * contend for the lock, which is held only for look-ups.
 */
final class NewSubscriptions {
    /** By receiver and filter: the number of the newest subscription. */
    private final Map<LiveReceiver, TreeMap<TopicFilter, Long>> open = new HashMap<>();

    private long last;

    /** A subscription has come into force; returns its number. */
    synchronized long begin(LiveReceiver receiver, TopicFilter filter) {
        open.computeIfAbsent(receiver, any -> new TreeMap<>()).put(filter, ++last);
        return last;
    }

    /** The subscription is promised or refused. Returns whether it is the newest of its receiver and filter. */
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
