package io.godwit.broker.sys;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages that clients of a node see: values of the node itself, below {@code $SYS/broker}, come from its
 * memory, all others from the retain store. So each node has its own values, and no node replaces another's.
 * Thread-safe. Only the node writes its values; there are a few dozen, for each tenant that has figures of its own.
 *
 * <p>Pages of own values come first; their cursors are {@code own:} and the last topic of the page. All nodes read such
 * cursors alike, so a replay may continue on another node.
 */
public final class NodeRetained implements RetainClient {
    static final String PREFIX = "$SYS/broker/";
    private static final String SYS = "$SYS/";
    private static final String OWN_CURSOR = "own:";

    private final RetainClient store;
    private final boolean isOfTenants;
    private final ConcurrentMap<TenantId, NavigableMap<String, Message>> own = new ConcurrentHashMap<>();

    NodeRetained(RetainClient store) {
        this(store, false);
    }

    /** @param isOfTenants whether tenants other than the default one may have values; the same on all nodes */
    public NodeRetained(RetainClient store, boolean isOfTenants) {
        this.store = store;
        this.isOfTenants = isOfTenants;
    }

    private boolean mayHaveOwn(TenantId tenant) {
        return isOfTenants || tenant.equals(TenantId.DEFAULT);
    }

    private boolean isOwn(TenantId tenant, String topic) {
        return mayHaveOwn(tenant) && topic.startsWith(PREFIX);
    }

    /** Sets, replaces or (empty payload) clears a value of this node for a tenant. */
    void setOwn(TenantId tenant, Message message) {
        NavigableMap<String, Message> values = own.computeIfAbsent(tenant, any -> new ConcurrentSkipListMap<>());
        if (message.payload().length == 0) {
            values.remove(message.topic());
        } else {
            values.put(message.topic(), message);
        }
    }

    /** Clears all values for a tenant. */
    void clearOwn(TenantId tenant) {
        own.remove(tenant);
    }

    @Override
    public CompletableFuture<Void> set(TenantId tenant, Message message) {
        return store.set(tenant, message);
    }

    @Override
    public CompletableFuture<Void> setRecorded(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
        return store.setRecorded(tenant, message, origin, number, decidedAtMillis);
    }

    @Override
    public void finished(TenantId tenant, String topic, String origin, long number) {
        store.finished(tenant, topic, origin, number);
    }

    @Override
    public CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
        return pages(
                tenant,
                filter,
                cursor,
                maxMessages,
                maxBytes,
                from -> store.match(tenant, filter, from, maxMessages, maxBytes),
                true);
    }

    @Override
    public CompletableFuture<Page> search(
            TenantId tenant,
            TopicFilter filter,
            @Nullable String cursor,
            int maxMessages,
            int maxBytes,
            Deadline deadline) {
        return pages(
                tenant,
                filter,
                cursor,
                maxMessages,
                maxBytes,
                from -> store.search(tenant, filter, from, maxMessages, maxBytes, deadline),
                false);
    }

    /** Reads a page of the store from a cursor on. */
    private interface Stored {
        CompletableFuture<Page> page(@Nullable String cursor);
    }

    /** @param goesOn whether to go on to the next page after one without messages */
    private CompletableFuture<Page> pages(
            TenantId tenant,
            TopicFilter filter,
            @Nullable String cursor,
            int maxMessages,
            int maxBytes,
            Stored stored,
            boolean goesOn) {
        // a wildcard in the first level does not match a topic that begins with $ [MQTT5-4.7.2-1]
        boolean mayBeOwn = mayHaveOwn(tenant) && filter.filter().startsWith(SYS);
        boolean isInOwn = cursor == null || cursor.startsWith(OWN_CURSOR);
        if (!mayBeOwn) {
            return stored.page(cursor);
        }
        if (!isInOwn) {
            return others(stored, cursor, goesOn);
        }
        String after = cursor == null ? "" : cursor.substring(OWN_CURSOR.length());
        List<Message> page = new ArrayList<>();
        int bytes = 0;
        NavigableMap<String, Message> values = own.getOrDefault(tenant, Collections.emptyNavigableMap());
        for (Message message : values.tailMap(after, false).values()) {
            if (filter.matches(message.topic())) {
                if (page.size() == maxMessages || bytes >= maxBytes) {
                    return CompletableFuture.completedFuture(new Page(page, cursorOf(page)));
                }
                page.add(message);
                bytes += message.payload().length;
            }
        }
        return page.isEmpty()
                ? others(stored, null, goesOn)
                : CompletableFuture.completedFuture(new Page(page, cursorOf(page)));
    }

    /** The messages of the store, without values that another node left there, or this one when it ran alone. */
    private static CompletableFuture<Page> others(Stored stored, @Nullable String cursor, boolean goesOn) {
        return stored.page(cursor).thenCompose(page -> {
            List<Message> foreign = page.messages().stream()
                    .filter(message -> !message.topic().startsWith(PREFIX))
                    .toList();
            return goesOn && foreign.isEmpty() && page.cursor() != null
                    ? others(stored, page.cursor(), true)
                    : CompletableFuture.completedFuture(new Page(foreign, page.cursor()));
        });
    }

    private static String cursorOf(List<Message> page) {
        return OWN_CURSOR + page.get(page.size() - 1).topic();
    }

    @Override
    public String cursorBehind(TenantId tenant, String topic) {
        return isOwn(tenant, topic) ? OWN_CURSOR + topic : store.cursorBehind(tenant, topic);
    }
}
