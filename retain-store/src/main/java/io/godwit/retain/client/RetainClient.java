package io.godwit.retain.client;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of all tenants. Thread-safe. Unless stated otherwise, futures fail with
 * {@link io.godwit.kv.client.RangeException} only.
 */
public interface RetainClient {
    /** For {@code decidedAtMillis}: no stored message counts as newer. */
    long NEWEST = Long.MAX_VALUE;

    /**
     * Sets, replaces or (empty payload) clears the retained message of the topic [MQTT5-3.3.1-5], [MQTT5-3.3.1-6].
     * Completes when the change is committed, fsynced and visible to every {@link #match} that begins afterwards. Calls
     * for one topic from one thread are applied in the order of the calls.
     */
    CompletableFuture<Void> set(TenantId tenant, Message message);

    /**
     * Like {@link #set}, for a message that its publisher's inbox keeps on record under a delivery token. It is
     * accepted even while free disk is below the low-water mark, because the inbox deletes its record afterwards. Once
     * an attempt was applied, a repeat under the same token changes nothing, even if the topic was set since. The
     * message does not replace one that was received after {@code decidedAtMillis}; the future completes normally in
     * that case too.
     *
     * @param origin of the token
     * @param decidedAtMillis wall clock; a stored message of the topic that was received later is newer.
     *     {@link #NEWEST} if there can be none
     */
    CompletableFuture<Void> setRecorded(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis);

    /**
     * The inbox has recorded the message of the token as distributed, so {@link #setRecorded} is not called again with
     * it. Returns at once.
     */
    void finished(TenantId tenant, String topic, String origin, long number);

    /**
     * One page of the retained messages whose topic matches {@code filter}, without expired ones. A null {@code cursor}
     * asks for the first page.
     *
     * @param maxMessages the most messages of the page, at least 1. A page also ends at about {@code maxBytes} of
     *     payload, but has at least one message unless none is left
     */
    CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes);

    /**
     * Like {@link #match}, for operators. At the deadline it completes with the messages found so far, possibly none,
     * and a cursor to go on. It fails if its first read fails, and with {@link IllegalArgumentException} for a cursor
     * that does not belong to this tenant and filter.
     */
    default CompletableFuture<Page> search(
            TenantId tenant,
            TopicFilter filter,
            @Nullable String cursor,
            int maxMessages,
            int maxBytes,
            Deadline deadline) {
        return match(tenant, filter, cursor, maxMessages, maxBytes);
    }

    /** The cursor that continues a {@link #match} after the message of {@code topic}, which that match returned. */
    String cursorBehind(TenantId tenant, String topic);

    /**
     * One page of retained messages.
     *
     * @param cursor where the next page begins; null on the last page
     */
    record Page(List<Message> messages, @Nullable String cursor) {}
}
