package io.godwit.mqtt.topic;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.DelayedTopic;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operator's rules for topics of all clients.
 *
 * @param rewrites the first that applies to a topic is used
 * @param allowsExclusive whether a client may subscribe to {@code $exclusive/filter}
 * @param maxDelaySeconds the longest delay of {@code $delayed/seconds/topic}; 0 makes that an ordinary topic
 * @param reservesSys whether only the broker may publish below {@code $SYS}
 */
public record TopicRules(
        List<RewriteRule> rewrites,
        List<AutoSubscription> autoSubscriptions,
        boolean allowsExclusive,
        long maxDelaySeconds,
        boolean reservesSys) {
    /** No rules. */
    public static final TopicRules NONE = new TopicRules(List.of(), List.of(), false, 0, false);

    public TopicRules {
        rewrites = List.copyOf(rewrites);
        autoSubscriptions = List.copyOf(autoSubscriptions);
    }

    /** Whether a message on {@code topic} is to be published later. */
    public boolean isDelayed(String topic) {
        return maxDelaySeconds > 0 && DelayedTopic.isDelayed(topic);
    }

    /**
     * The topic that a message on {@code topic} is meant for: for a delayed message the one it will be published to.
     */
    public String subject(String topic) {
        return isDelayed(topic)
                ? DelayedTopic.parse(topic).map(DelayedTopic::topic).orElse(topic)
                : topic;
    }

    /** Why nobody may publish to {@code topic}, which is rewritten already; null when clients may. */
    @Nullable
    ReasonCode refusal(String topic) {
        if (reservesSys && (topic.startsWith("$SYS/") || topic.equals("$SYS"))) {
            return ReasonCode.NOT_AUTHORIZED;
        }
        if (!isDelayed(topic)) {
            return null;
        }
        // only one delay: the inner topic is not checked again when it is published, and each further delay would store
        // the message once more
        Optional<DelayedTopic> delayed = DelayedTopic.parse(topic)
                .filter(valid -> valid.seconds() <= maxDelaySeconds && !DelayedTopic.isDelayed(valid.topic()));
        return delayed.isEmpty()
                ? ReasonCode.TOPIC_NAME_INVALID
                : refusal(delayed.get().topic());
    }

    /** The automatic subscriptions of {@code client}, as if it had asked for them. */
    public List<Subscription> autoSubscriptions(ClientInfo client) {
        if (autoSubscriptions.isEmpty()) {
            return List.of();
        }
        return autoSubscriptions.stream()
                .flatMap(each -> each.of(client).stream())
                .toList();
    }
}
