package io.godwit.inbox.queue;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The value of a FILTERS key: all subscriptions of a session, in order.
 *
 * <pre>
 * 1        version, 1
 * then for each, to the end:
 * n        filter as the client wrote it, a string
 * 1        options: bits 0-1 QoS, 2 no local, 3 retain as published, 4-5 retain handling, 6 retained messages owed
 * varint   subscription identifier, 0 for none
 * n        if any are owed: where they begin, a string, empty for all
 * </pre>
 */
final class FilterTable {
    private static final int VERSION = 1;

    private FilterTable() {}

    static byte[] encode(Collection<StoredSubscription> subscriptions) {
        ByteWriter out = new ByteWriter(48 * (subscriptions.size() + 1));
        out.u8(VERSION);
        for (StoredSubscription subscription : subscriptions) {
            out.string(subscription.filter().text());
            out.u8(subscription.qos().value()
                    | (subscription.noLocal() ? 4 : 0)
                    | (subscription.retainAsPublished() ? 8 : 0)
                    | subscription.retainHandling() << 4
                    | (subscription.isOwedRetained() ? 64 : 0));
            out.varint(subscription.subscriptionId());
            String owed = subscription.retainedFrom();
            if (owed != null) {
                out.string(owed);
            }
        }
        return out.toBytes();
    }

    static List<StoredSubscription> decode(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "filter table");
        List<StoredSubscription> subscriptions = new ArrayList<>();
        while (in.hasMore()) {
            TopicFilter filter = parse(in.string());
            int options = in.u8();
            subscriptions.add(new StoredSubscription(
                    filter,
                    Qos.of(options & 3),
                    (options & 4) != 0,
                    (options & 8) != 0,
                    options >>> 4 & 3,
                    in.length(),
                    (options & 64) != 0 ? in.string() : null));
        }
        return subscriptions;
    }

    static TopicFilter parse(String text) {
        return TopicFilter.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("stored topic filter is not valid: " + text));
    }
}
