package io.godwit.inbox.leader.session;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.format.ByteWriter;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The filters of one session, and the writes of them. Owned by the range leader.
 *
 * <p>They are written in pages ({@link FilterTable}). A client chooses its filters and could put all of them on one
 * page: see {@link Write#hasRoomFor}.
 */
public final class Filters {
    private static final int BYTES_EACH = 48;
    /**
     * Limit on the bytes of one page, because each SUBSCRIBE to it rewrites the page. Eight times the average page of a
     * session with the most characters that it may have.
     */
    public static final int MAX_PAGE_BYTES = 1 << 20;

    /** Without {@link StoredSubscription#retainedFrom}. */
    private final Map<TopicFilter, StoredSubscription> subscriptions = new LinkedHashMap<>();

    private final Predicate<TopicFilter> isOwed;
    /** Changes that are not in a sealed batch yet; null for none. */
    private @Nullable Write write;

    /** @param isOwed whether retained messages are owed to a subscription; called when a page is encoded */
    Filters(Predicate<TopicFilter> isOwed) {
        this.isOwed = isOwed;
    }

    /** Adds a subscription read from the store. */
    public void load(StoredSubscription subscription) {
        subscriptions.put(subscription.filter(), subscription);
    }

    public boolean isEmpty() {
        return subscriptions.isEmpty();
    }

    public boolean contains(TopicFilter filter) {
        return subscriptions.containsKey(filter);
    }

    /** In the order they were made; a view. */
    public Set<TopicFilter> all() {
        return Collections.unmodifiableSet(subscriptions.keySet());
    }

    /** In the order they were made; a view. */
    public Collection<StoredSubscription> subscriptions() {
        return Collections.unmodifiableCollection(subscriptions.values());
    }

    /**
     * The write of the filters in {@code batch}. Request it before each change of the filters, and make the change
     * through it.
     */
    public Write writeBy(Batch batch, Inbox state) {
        Write earlier = write;
        if (earlier != null && earlier.isFor(batch)) {
            return earlier;
        }
        if (earlier != null) {
            earlier.settle();
        }
        Write begun = new Write(batch, state);
        subscriptions.keySet().forEach(begun::added);
        write = begun;
        return begun;
    }

    private static int bytesOf(TopicFilter filter) {
        return BYTES_EACH + 2 * filter.text().length();
    }

    /**
     * The pages that one batch writes. Encoded when the batch is sealed, so that a page is written once however many
     * SUBSCRIBEs have changed it; or earlier, when a later batch is about to change the filters, because one batch may
     * fail without the other.
     */
    public final class Write implements Batch.Operation {
        private final Batch batch;
        private final Inbox state;
        /** Approximate size of each page, as the session has it. */
        private final long[] pageBytes = new long[FilterTable.PAGES];
        /** One bit per page. */
        private long pages;
        /** The values by page, null for a page without filters; null until they are encoded. */
        private @Nullable Map<Integer, byte @Nullable []> settled;

        private Write(Batch batch, Inbox state) {
            this.batch = batch;
            this.state = state;
        }

        @SuppressWarnings("ReferenceEquality") // batches have no other identity
        private boolean isFor(Batch other) {
            return batch == other;
        }

        /** Whether every page stays within {@link #MAX_PAGE_BYTES} with these. */
        public boolean hasRoomFor(List<StoredSubscription> asked) {
            long[] more = new long[FilterTable.PAGES];
            Set<TopicFilter> seen = new HashSet<>();
            for (StoredSubscription each : asked) {
                TopicFilter filter = each.filter();
                if (!contains(filter) && seen.add(filter)) {
                    int page = FilterTable.pageOf(filter);
                    more[page] += bytesOf(filter);
                    if (pageBytes[page] + more[page] > MAX_PAGE_BYTES) {
                        return false;
                    }
                }
            }
            return true;
        }

        /**
         * Adds the subscription and returns the one that it replaces, null for none. {@link #changed} writes a
         * replacement.
         */
        public @Nullable StoredSubscription put(StoredSubscription subscription) {
            TopicFilter filter = subscription.filter();
            StoredSubscription before = subscriptions.put(filter, subscription);
            if (before == null) {
                added(filter);
            }
            return before;
        }

        /** Returns whether the filter existed. */
        public boolean remove(TopicFilter filter) {
            boolean existed = subscriptions.remove(filter) != null;
            if (existed) {
                pageBytes[FilterTable.pageOf(filter)] -= bytesOf(filter);
                changed(filter);
            }
            return existed;
        }

        private void added(TopicFilter filter) {
            pageBytes[FilterTable.pageOf(filter)] += bytesOf(filter);
        }

        /** Marks the page of {@code filter} as changed. */
        public void changed(TopicFilter filter) {
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
            for (StoredSubscription each : subscriptions.values()) {
                List<StoredSubscription> list = byPage.get(FilterTable.pageOf(each.filter()));
                if (list != null) {
                    list.add(each);
                }
            }
            Map<Integer, byte @Nullable []> values = new LinkedHashMap<>();
            byPage.forEach((page, list) -> values.put(page, list.isEmpty() ? null : FilterTable.encode(list, isOwed)));
            return values;
        }

        @Override
        public void encode(ByteWriter out) {
            settle().forEach((page, value) -> {
                byte[] suffix = InboxKeys.filtersSuffix(page);
                if (value == null) {
                    Batch.writeDelete(out, state, suffix);
                } else {
                    Batch.writePut(out, state, suffix, value);
                }
            });
            if (this.equals(write)) { // a later write may have replaced it
                write = null;
            }
        }
    }
}
