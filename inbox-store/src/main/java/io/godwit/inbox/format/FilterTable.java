package io.godwit.inbox.format;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The value of a FILTERS key: one page of a session's subscriptions. A hash of the filter selects one of {@link #PAGES}
 * pages, so that a change to one of ten thousand subscriptions does not rewrite them all. An empty page has no key.
 *
 * <pre>
 * 1        version, 1
 * then for each, to the end:
 * n        filter as the client wrote it, a string
 * 1        options: bits 0-1 QoS, 2 no local, 3 retain as published, 4-5 retain handling, 6 retained messages were
 *          owed when this was written; a RETAINED key has the truth
 * varint   subscription identifier, 0 for none
 * </pre>
 */
public final class FilterTable {
    /** A power of 2, at most 64: a long holds a set of pages. */
    public static final int PAGES = 64;

    private static final int VERSION = 1;

    private FilterTable() {}

    /** The page of a filter. The hash is part of the stored format. */
    public static int pageOf(TopicFilter filter) {
        int hash = filter.text().hashCode(); // String specifies its hash and caches it
        hash ^= hash >>> 16;
        return (hash ^ hash >>> 8) & (PAGES - 1);
    }

    /**
     * A subscription as stored.
     *
     * @param mayBeOwed whether the caller must look for a RETAINED key
     */
    public record Entry(StoredSubscription subscription, boolean mayBeOwed) {}

    /** @param isOwed whether retained messages are owed to the subscription of a filter */
    public static byte[] encode(Collection<StoredSubscription> subscriptions, Predicate<TopicFilter> isOwed) {
        ByteWriter out = new ByteWriter(48 * (subscriptions.size() + 1));
        out.u8(VERSION);
        for (StoredSubscription subscription : subscriptions) {
            out.string(subscription.filter().text());
            out.u8(subscription.qos().value()
                    | (subscription.noLocal() ? 4 : 0)
                    | (subscription.retainAsPublished() ? 8 : 0)
                    | subscription.retainHandling() << 4
                    | (isOwed.test(subscription.filter()) ? 64 : 0));
            out.varint(subscription.subscriptionId());
        }
        return out.toBytes();
    }

    public static List<Entry> decode(byte[] value) {
        ByteReader in = new ByteReader(value);
        in.version(VERSION, "filter table");
        List<Entry> entries = new ArrayList<>();
        while (in.hasMore()) {
            TopicFilter filter = parse(in.string());
            int options = in.u8();
            StoredSubscription subscription = new StoredSubscription(
                    filter,
                    Qos.of(options & 3),
                    (options & 4) != 0,
                    (options & 8) != 0,
                    options >>> 4 & 3,
                    in.length());
            entries.add(new Entry(subscription, (options & 64) != 0));
        }
        return entries;
    }

    public static TopicFilter parse(String text) {
        return TopicFilter.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("stored topic filter is not valid: " + text));
    }
}
