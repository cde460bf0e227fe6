package io.godwit.retain.client;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of all tenants. Thread-safe; futures fail with {@link io.godwit.kv.client.RangeException} only.
 */
public interface RetainClient {
    /** The time of a message that is new: none is newer. */
    long NEWEST = Long.MAX_VALUE;

    /**
     * Sets, replaces or (empty payload) clears the retained message of the topic [MQTT5-3.3.1-5], [MQTT5-3.3.1-6].
     * Complete when committed and fsynced, and visible to every {@link #match} that begins afterwards. Calls for one
     * topic from one thread are applied in their order.
     */
    CompletableFuture<Void> set(TenantId tenant, Message message);

    /**
     * As {@link #set}, for a message that its publisher's inbox has on record under a delivery token: it is taken while
     * the disk is below its low-water mark too, since that record goes once the message is where it belongs. A repeat
     * under the same token changes nothing once one attempt was applied, whatever has been set since. Nor is a message
     * replaced that was received after {@code decidedAtMillis}; then this completes all the same.
     *
     * @param origin of the token, likewise {@code number}
     * @param decidedAtMillis wall clock; a message of the topic that was received later is newer. {@link #NEWEST}
     *     when there can be none
     */
    CompletableFuture<Void> setRecorded(
            TenantId tenant, Message message, String origin, long number, long decidedAtMillis);

    /**
     * The message of the token is on record as distributed, so {@link #setRecorded} is not called under it again.
     * Returns at once.
     */
    void finished(TenantId tenant, String topic, String origin, long number);

    /**
     * The retained messages whose topic matches {@code filter}, a page at a time, expired ones left out. Begins with
     * {@code cursor} null.
     *
     * @param maxMessages the most messages of the page, at least 1; a page also ends at about {@code maxBytes} of
     *     payload, but has at least one message unless there is none left
     */
    CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes);

    /**
     * As {@link #match}, for operators. It ends with the deadline: then the page has what was found by then, which may
     * be nothing, and goes on there. It fails when it would go on where it began; and with
     * {@link IllegalArgumentException} for a cursor that is none of this tenant and filter.
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

    /** Where a {@link #match} goes on behind the message of {@code topic}, one of those it has given. */
    String cursorBehind(TenantId tenant, String topic);

    /**
     * One page.
     *
     * @param cursor where the next page begins; null when this was the last
     */
    record Page(List<Message> messages, @Nullable String cursor) {}
}
