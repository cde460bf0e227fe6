package io.godwit.mqtt.topic;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscription;
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
 * The topics of one client, as it says them and as the broker knows them: what comes in is rewritten, then put below
 * the mount point; what goes out is taken from below it. Immutable.
 */
public final class ClientTopics {
    /** Of clients whose topics are what they say. */
    public static final ClientTopics UNCHANGED = new ClientTopics(
            new ClientInfo(TenantId.DEFAULT, new ClientId("unchanged"), null, "", 5), "", TopicRules.NONE);

    private final ClientInfo client;
    private final String prefix;
    private final TopicRules rules;

    ClientTopics(ClientInfo client, String prefix, TopicRules rules) {
        this.client = client;
        this.prefix = prefix;
        this.rules = rules;
    }

    /** Whether what goes out needs another name than others give it. */
    public boolean isMounted() {
        return !prefix.isEmpty();
    }

    private boolean isUnchanged() {
        return prefix.isEmpty() && rules.rewrites().isEmpty();
    }

    /**
     * The topic of a PUBLISH or a will, which {@link TopicRules#refusal} has nothing against.
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

    /** What a topic that the client names is called where it is mounted. */
    String renamed(String topic) {
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
     * The topic of a delivery; null when the client has no such topic. So it is with the mount point itself, which
     * {@code #} below it matches, and with topics that begin with '$' below it, which must not be matched by wildcards
     * [MQTT5-4.7.2-1] and which no client of it can publish to.
     */
    public @Nullable String delivered(String topic) {
        int length = prefix.length();
        if (length == 0) {
            return topic;
        }
        boolean isBelow = topic.length() > length && topic.startsWith(prefix);
        return isBelow && topic.charAt(length) != '$' ? topic.substring(length) : null;
    }

    /** Whether a filter, as it is called within, is in the client's place. */
    public boolean have(TopicFilter filter) {
        return filter.filter().startsWith(prefix);
    }

    /** Whether every one of {@code subscriptions}, which a session has from before, is in the client's place. */
    public boolean haveAll(List<StoredSubscription> subscriptions) {
        return subscriptions.stream().allMatch(each -> have(each.filter()));
    }

    /** Whether {@code text}, a topic or a filter, has more bytes than MQTT allows. */
    private static boolean isTooLong(String text) {
        return 3L * text.length() > TopicName.MAX_BYTES
                && text.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES;
    }

    /** Whether {@code filter}, as it is called within, has become too long there. */
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

    /** A name that is not valid is not used. */
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
