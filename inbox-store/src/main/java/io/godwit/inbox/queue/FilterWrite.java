package io.godwit.inbox.queue;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a session's filters that one batch writes. Encoded when the batch is sealed, so that a page is written
 * once however many SUBSCRIBEs have changed it; or when a later batch is about to change the filters, since one batch
 * may fail without the other. Owned by the range leader.
 */
final class FilterWrite implements Batch.Operation {
    private static final int BYTES_EACH = 48;
    /**
     * What the filters of one page may have together. A client chooses its filters, and could have them all on one
     * page, which each of its SUBSCRIBEs would write. This is eight times what a page has when a session has all the
     * characters that it may have.
     */
    static final int MAX_PAGE_BYTES = 1 << 20;

    private final Batch batch;
    private final InboxState state;
    private final Session session;
    /** Of each page, about, as the session has it. */
    private final long[] pageBytes = new long[FilterTable.PAGES];
    /** A bit per page. */
    private long pages;
    /** The values by page, null for a page without filters; null until they are settled. */
    private @Nullable Map<Integer, byte @Nullable []> settled;

    private FilterWrite(Batch batch, InboxState state, Session session) {
        this.batch = batch;
        this.state = state;
        this.session = session;
    }

    /** What {@code batch} writes of the filters of {@code session}; to be asked for before they are changed. */
    static FilterWrite of(Batch batch, InboxState state, Session session) {
        FilterWrite earlier = session.filterWrite;
        if (earlier != null && earlier.isFor(batch)) {
            return earlier;
        }
        if (earlier != null) {
            earlier.settle();
        }
        FilterWrite write = new FilterWrite(batch, state, session);
        session.filters.keySet().forEach(write::added);
        session.filterWrite = write;
        return write;
    }

    @SuppressWarnings("ReferenceEquality") // batches have no other identity
    private boolean isFor(Batch other) {
        return batch == other;
    }

    /** Whether no page is too large with these. */
    boolean hasRoomFor(List<StoredSubscription> subscriptions) {
        long[] more = new long[FilterTable.PAGES];
        Set<TopicFilter> seen = new HashSet<>();
        for (StoredSubscription each : subscriptions) {
            TopicFilter filter = each.filter();
            if (!session.filters.containsKey(filter) && seen.add(filter)) {
                int page = FilterTable.pageOf(filter);
                more[page] += bytesOf(filter);
                if (pageBytes[page] + more[page] > MAX_PAGE_BYTES) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The session has {@code filter}, and did not have it before. */
    void added(TopicFilter filter) {
        pageBytes[FilterTable.pageOf(filter)] += bytesOf(filter);
    }

    void removed(TopicFilter filter) {
        pageBytes[FilterTable.pageOf(filter)] -= bytesOf(filter);
    }

    private static int bytesOf(TopicFilter filter) {
        return BYTES_EACH + 2 * filter.text().length();
    }

    /** The subscription to {@code filter} is changed, or gone. */
    void changed(TopicFilter filter) {
        long page = 1L << FilterTable.pageOf(filter);
        if (pages == 0) {
            batch.write(state, this);
        }
        if ((pages & page) == 0) {
            pages |= page;
            batch.grow(BYTES_EACH + (int) pageBytes[FilterTable.pageOf(filter)]);
        }
        batch.grow(2 * filter.text().length());
    }

    private Map<Integer, byte @Nullable []> settle() {
        Map<Integer, byte @Nullable []> values = settled;
        if (values == null) {
            values = encodePages();
            settled = values;
        }
        return values;
    }

    private Map<Integer, byte @Nullable []> encodePages() {
        Map<Integer, List<StoredSubscription>> byPage = new LinkedHashMap<>();
        for (int page = 0; page < FilterTable.PAGES; page++) {
            if ((pages & 1L << page) != 0) {
                byPage.put(page, new ArrayList<>());
            }
        }
        for (StoredSubscription each : session.filters.values()) {
            List<StoredSubscription> list = byPage.get(FilterTable.pageOf(each.filter()));
            if (list != null) {
                list.add(each);
            }
        }
        OwedRetained retained = session.retained;
        Map<Integer, byte @Nullable []> values = new LinkedHashMap<>();
        byPage.forEach((page, list) -> values.put(
                page,
                list.isEmpty()
                        ? null
                        : FilterTable.encode(list, filter -> retained != null && retained.isOwed(filter))));
        return values;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a later one may have taken its place
    public void encode(ByteWriter out) {
        settle().forEach((page, value) -> {
            byte[] suffix = InboxKeys.filtersSuffix(page);
            if (value == null) {
                Batch.writeDelete(out, state, suffix);
            } else {
                Batch.writePut(out, state, suffix, value);
            }
        });
        if (session.filterWrite == this) {
            session.filterWrite = null;
        }
    }
}
