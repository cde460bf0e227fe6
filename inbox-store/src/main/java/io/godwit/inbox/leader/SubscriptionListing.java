package io.godwit.inbox.leader;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.catalog.SessionCatalog.SubscriptionPage;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.SessionRecord;
import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.format.query.SubscriptionQuery;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Answers a {@link SubscriptionQuery} from the stored data of a range: reads all filters of the session, whose number
 * is limited, and keeps the first ones asked for. On an I/O thread.
 */
final class SubscriptionListing {
    /** Limit on the filter texts of an answer; a single longer filter is allowed. */
    private static final int MOST_CHARS = 1 << 19;

    private static final Comparator<StoredSubscription> ORDER =
            Comparator.comparing(subscription -> subscription.filter().text());

    private SubscriptionListing() {}

    static Optional<SubscriptionPage> answer(RangeReader reader, SubscriptionQuery query) {
        InboxId id = InboxKeys.inboxOf(query.prefix());
        byte[] record = reader.get(InboxKeys.key(query.prefix(), InboxKeys.SESSION));
        StoredSession session =
                record == null ? null : SessionRecord.decode(id, record).session();
        if (session == null || InboxReports.isBrokersOwn(id) || !SessionListing.lasts(session, query.nowMillis())) {
            return Optional.empty();
        }
        return Optional.of(first(reader, query));
    }

    /** The first subscriptions asked for, as many as fit; never holds more than that in memory. */
    private static SubscriptionPage first(RangeReader reader, SubscriptionQuery query) {
        String after = query.after();
        PriorityQueue<StoredSubscription> first = new PriorityQueue<>(ORDER.reversed());
        long chars = 0;
        boolean hasMore = false;
        byte[] end = InboxKeys.key(query.prefix(), InboxKeys.FILTERS + 1);
        try (RangeCursor cursor = reader.cursor(InboxKeys.key(query.prefix(), InboxKeys.FILTERS), end)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                for (FilterTable.Entry entry : FilterTable.decode(cursor.value())) {
                    StoredSubscription each = entry.subscription();
                    if (after != null && each.filter().text().compareTo(after) <= 0) {
                        continue;
                    }
                    first.add(each);
                    chars += each.filter().text().length();
                    while (first.size() > query.limit() || chars > MOST_CHARS && first.size() > 1) {
                        chars -= first.remove().filter().text().length();
                        hasMore = true;
                    }
                }
            }
        }
        List<StoredSubscription> sorted = new ArrayList<>(first);
        sorted.sort(ORDER);
        return new SubscriptionPage(sorted, hasMore);
    }
}
