package io.godwit.broker.clients.node;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the receivers of a topic, or for the subscribers of a filter.
 *
 * @param filter null if a topic is asked for
 */
public record TopicQuestion(
        TenantId tenant, String text, @Nullable TopicFilter filter) {
    /** @throws IllegalArgumentException if the text is no topic name */
    public static TopicQuestion ofTopic(TenantId tenant, String topic) {
        if (!TopicName.isValid(topic) || topic.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a topic has 1 to " + TopicName.MAX_BYTES + " bytes, no wildcard and no null character");
        }
        return new TopicQuestion(tenant, topic, null);
    }

    /** @throws IllegalArgumentException if the text is no topic filter */
    public static TopicQuestion ofFilter(TenantId tenant, String filter) {
        TopicFilter parsed = TopicFilter.parse(filter)
                .orElseThrow(() -> new IllegalArgumentException(
                        "not a topic filter of at most " + TopicName.MAX_BYTES + " bytes"));
        return new TopicQuestion(tenant, filter, parsed);
    }
}
