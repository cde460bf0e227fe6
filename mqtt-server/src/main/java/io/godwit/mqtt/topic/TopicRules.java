package io.godwit.mqtt.topic;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.DelayedTopic;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the operator has set for topics of all clients.
 *
 * @param rewrites of which the first that is for a topic counts
 * @param allowsExclusive whether a client may subscribe to {@code $exclusive/filter}
 * @param maxDelaySeconds the longest delay of {@code $delayed/seconds/topic}; 0 when that is a topic like others
 * @param reservesSys whether only the broker publishes below {@code $SYS}
 */
public record TopicRules(
        List<RewriteRule> rewrites,
        List<AutoSubscription> autoSubscriptions,
        boolean allowsExclusive,
        long maxDelaySeconds,
        boolean reservesSys) {
    /** Nothing. */
    public static final TopicRules NONE = new TopicRules(List.of(), List.of(), false, 0, false);

    public TopicRules {
        rewrites = List.copyOf(rewrites);
        autoSubscriptions = List.copyOf(autoSubscriptions);
    }

    /**
     * How one client's topics are called within.
     *
     * @param mountPoint of its listener, with {@link Placeholders}; empty for none
     * @return empty when the mount point cannot be filled in for it: it has no place and must be refused
     */
    public Optional<ClientTopics> of(ClientInfo client, String mountPoint) {
        if (mountPoint.isEmpty() && rewrites.isEmpty()) {
            return Optional.of(ClientTopics.UNCHANGED);
        }
        return Optional.ofNullable(Placeholders.fill(mountPoint, client))
                .map(prefix -> new ClientTopics(client, prefix, this));
    }

    /** Whether a message of {@code topic} is to be published later. */
    public boolean isDelayed(String topic) {
        return maxDelaySeconds > 0 && DelayedTopic.isDelayed(topic);
    }

    /** The topic that a message of {@code topic} is for: the one it will be published to, when that is later. */
    public String subject(String topic) {
        return isDelayed(topic)
                ? DelayedTopic.parse(topic).map(DelayedTopic::topic).orElse(topic)
                : topic;
    }

    /**
     * Why a client may not publish to {@code said}, by what that is called within; null when it may. Below a mount
     * point no topic begins with '$': {@link ClientTopics#delivered}.
     */
    public @Nullable ReasonCode refusal(ClientTopics topics, String said) {
        String topic = topics.renamed(said);
        ReasonCode refusal = topic.charAt(0) == '$' ? refusal(topic) : null;
        return refusal == null && topics.isMounted() && subject(topic).startsWith("$")
                ? ReasonCode.NOT_AUTHORIZED
                : refusal;
    }

    @Nullable
    ReasonCode refusal(String topic) {
        if (reservesSys && (topic.startsWith("$SYS/") || topic.equals("$SYS"))) {
            return ReasonCode.NOT_AUTHORIZED;
        }
        if (!isDelayed(topic)) {
            return null;
        }
        // one delay: what is published after it is not asked about again, and a topic of many would be stored once for
        // each
        Optional<DelayedTopic> delayed = DelayedTopic.parse(topic)
                .filter(valid -> valid.seconds() <= maxDelaySeconds && !DelayedTopic.isDelayed(valid.topic()));
        return delayed.isEmpty()
                ? ReasonCode.TOPIC_NAME_INVALID
                : refusal(delayed.get().topic());
    }

    /** What {@code client} is subscribed to unasked, as if it had asked. */
    public List<Subscription> autoSubscriptions(ClientInfo client) {
        if (autoSubscriptions.isEmpty()) {
            return List.of();
        }
        return autoSubscriptions.stream()
                .flatMap(each -> each.of(client).stream())
                .toList();
    }
}
