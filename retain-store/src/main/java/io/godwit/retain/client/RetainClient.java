package io.godwit.retain.client;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The retained messages of all tenants. Thread-safe; futures fail with {@link io.godwit.kv.client.RangeException} only. */
public interface RetainClient {
    /**
     * Sets, replaces or (empty payload) clears the retained message of the topic [MQTT5-3.3.1-5], [MQTT5-3.3.1-6]. Complete when committed and
     * fsynced, and visible to every {@link #match} that begins afterwards. Calls for one topic from one thread are applied in their order.
     */
    CompletableFuture<Void> set(TenantId tenant, Message message);

    /**
     * As {@link #set}, for a message that its publisher's inbox has on record: it is taken while the disk is below its low-water mark too, since that
     * record goes once the message is where it belongs.
     */
    CompletableFuture<Void> setRecorded(TenantId tenant, Message message);

    /**
     * The retained messages whose topic matches {@code filter}, a page at a time, expired ones left out. Begins with {@code cursor} null.
     *
     * @param maxMessages the most messages of the page, at least 1; a page also ends at about {@code maxBytes} of payload, but has at least one
     *     message unless there is none left
     */
    CompletableFuture<Page> match(
            TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes);

    /** Where a {@link #match} goes on behind the message of {@code topic}, one of those it has given. */
    String cursorBehind(TenantId tenant, String topic);

    /**
     * One page.
     *
     * @param cursor where the next page begins; null when this was the last
     */
    record Page(List<Message> messages, @Nullable String cursor) {}
}
