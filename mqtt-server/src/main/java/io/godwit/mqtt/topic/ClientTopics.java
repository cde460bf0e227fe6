package io.godwit.mqtt.topic;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.DelayedTopic;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Maps the topics of one client between the client's form and the broker's. An inbound topic is rewritten, then
 * prefixed with the mount point; the prefix is removed from an outbound topic. Immutable.
 */
public final class ClientTopics {
    /** For clients whose topics stay unchanged. */
    public static final ClientTopics UNCHANGED = new ClientTopics(
            new ClientInfo(TenantId.DEFAULT, new ClientId("unchanged"), null, "", 5), "", TopicRules.NONE);

    private final ClientInfo client;
    private final String prefix;
    private final TopicRules rules;

    private ClientTopics(ClientInfo client, String prefix, TopicRules rules) {
        this.client = client;
        this.prefix = prefix;
        this.rules = rules;
    }

    /**
     * The topic mapping of one client.
     *
     * @param mountPoint of its listener, with {@link Placeholders}; empty for none
     * @return empty when a placeholder of the mount point has no value for the client, which must then be refused
     */
    public static Optional<ClientTopics> of(TopicRules rules, ClientInfo client, String mountPoint) {
        if (mountPoint.isEmpty() && rules.rewrites().isEmpty()) {
            return Optional.of(UNCHANGED);
        }
        return Optional.ofNullable(Placeholders.fill(mountPoint, client))
                .map(prefix -> new ClientTopics(client, prefix, rules));
    }

    /** Whether outbound topics have a prefix to remove. */
    public boolean isMounted() {
        return !prefix.isEmpty();
    }

    private boolean isUnchanged() {
        return prefix.isEmpty() && rules.rewrites().isEmpty();
    }

    /**
     * Why the client may not publish to {@code said}, judged by the rewritten topic; null when it may. Below a mount
     * point no topic may begin with '$', see {@link #delivered}.
     *
     * @param all the rules for all clients, which {@link #UNCHANGED} does not have
     */
    public @Nullable ReasonCode refusal(TopicRules all, String said) {
        String topic = renamed(said);
        ReasonCode refusal = topic.charAt(0) == '$' ? all.refusal(topic) : null;
        return refusal == null && isMounted() && all.subject(topic).startsWith("$")
                ? ReasonCode.NOT_AUTHORIZED
                : refusal;
    }

    /**
     * The broker's topic for a PUBLISH or a will; {@link #refusal} must have accepted the client's topic.
     *
     * @throws ProtocolException when it is too long below the mount point
     */
    public String published(String topic) {
        return isUnchanged() ? topic : mounted(renamed(topic));
    }

    private String mounted(String topic) {
        if (!isMounted()) {
            return topic;
        }
        Optional<DelayedTopic> delayed = delayed(topic);
        String whole = delayed.isEmpty()
                ? prefix + topic
                : new DelayedTopic(
                                delayed.get().seconds(), prefix + delayed.get().topic())
                        .text();
        if (isTooLong(whole)) {
            throw new ProtocolException(ReasonCode.TOPIC_NAME_INVALID, "topic too long below the mount point");
        }
        return whole;
    }

    /** The client's topic after rewriting, without the mount point. */
    private String renamed(String topic) {
        if (rules.rewrites().isEmpty()) {
            return topic;
        }
        Optional<DelayedTopic> delayed = delayed(topic);
        return delayed.isEmpty()
                ? rewritten(topic, RewriteRule.Scope.PUBLISH)
                : new DelayedTopic(
                                delayed.get().seconds(), rewritten(delayed.get().topic(), RewriteRule.Scope.PUBLISH))
                        .text();
    }

    private Optional<DelayedTopic> delayed(String topic) {
        return rules.isDelayed(topic) ? DelayedTopic.parse(topic) : Optional.empty();
    }

    /**
     * The client's topic of a delivery; null when the client has no such topic. This is so for the mount point itself,
     * which the filter {@code #} below it matches. It is also so for topics below it that begin with '$': wildcards
     * must not match them [MQTT5-4.7.2-1], and no client below the mount point can publish to them.
     */
    public @Nullable String delivered(String topic) {
        int length = prefix.length();
        if (length == 0) {
            return topic;
        }
        boolean isBelow = topic.length() > length && topic.startsWith(prefix);
        return isBelow && topic.charAt(length) != '$' ? topic.substring(length) : null;
    }

    /** Whether a filter in the broker's form lies below the client's mount point. */
    public boolean have(TopicFilter filter) {
        return filter.filter().startsWith(prefix);
    }

    /** Whether all {@code subscriptions} of a resumed session lie below the client's mount point. */
    public boolean haveAll(List<StoredSubscription> subscriptions) {
        return subscriptions.stream().allMatch(each -> have(each.filter()));
    }

    /** Whether {@code text}, a topic or a filter, has more bytes than MQTT allows. */
    private static boolean isTooLong(String text) {
        return 3L * text.length() > TopicName.MAX_BYTES
                && text.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES;
    }

    /** Whether {@code filter}, in the broker's form, is too long for MQTT. */
    public boolean isTooLong(TopicFilter filter) {
        return !isUnchanged() && isTooLong(filter.text());
    }

    public List<Subscription> subscribed(List<Subscription> subscriptions) {
        return isUnchanged()
                ? subscriptions
                : subscriptions.stream()
                        .map(s -> new Subscription(
                                filter(s.filter()), s.qos(), s.noLocal(), s.retainAsPublished(), s.retainHandling()))
                        .toList();
    }

    public List<TopicFilter> unsubscribed(List<TopicFilter> filters) {
        return isUnchanged() ? filters : filters.stream().map(this::filter).toList();
    }

    private TopicFilter filter(TopicFilter asked) {
        String filter = rewritten(asked.filter(), RewriteRule.Scope.SUBSCRIBE);
        return new TopicFilter(asked.shareGroup(), prefix + filter, asked.sharing());
    }

    /** The topic stays unchanged when the result of the rule is not a valid name. */
    private String rewritten(String topic, RewriteRule.Scope scope) {
        for (RewriteRule rule : rules.rewrites()) {
            Optional<String> other = rule.scope().includes(scope) ? rule.apply(topic, client) : Optional.empty();
            if (other.isPresent()) {
                return isValid(other.get(), scope) ? other.get() : topic;
            }
        }
        return topic;
    }

    private static boolean isValid(String topic, RewriteRule.Scope scope) {
        if (isTooLong(topic)) {
            return false;
        }
        return scope == RewriteRule.Scope.PUBLISH
                ? TopicName.isValid(topic)
                : TopicFilter.parse(topic)
                        .filter(filter -> filter.filter().equals(topic))
                        .isPresent();
    }
}
