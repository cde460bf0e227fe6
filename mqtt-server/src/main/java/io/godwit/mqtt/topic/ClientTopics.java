package io.godwit.mqtt.topic;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.DelayedTopic;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The topics of one client, as it says them and as the broker knows them: what comes in is rewritten, then put below the mount point; what goes
 * out is taken from below it. Immutable.
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
     * The topic of a PUBLISH or a will.
     *
     * @throws ProtocolException when it is too long below the mount point
     */
    public String published(String topic) {
        if (isUnchanged()) {
            return topic;
        }
        Optional<DelayedTopic> delayed = rules.isDelayed(topic) ? DelayedTopic.parse(topic) : Optional.empty();
        if (delayed.isPresent()) {
            return new DelayedTopic(
                            delayed.get().seconds(), published(delayed.get().topic()))
                    .text();
        }
        String mounted = prefix + rewritten(topic, RewriteRule.Scope.PUBLISH);
        if (isMounted() && mounted.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES) {
            throw new ProtocolException(ReasonCode.TOPIC_NAME_INVALID, "topic too long below the mount point");
        }
        return mounted;
    }

    /** The topic of a delivery. */
    public String delivered(String topic) {
        return topic.startsWith(prefix) ? topic.substring(prefix.length()) : topic;
    }

    /** Whether every one of {@code subscriptions}, which a session has from before, is in the client's place. */
    public boolean haveAll(List<StoredSubscription> subscriptions) {
        return subscriptions.stream().allMatch(each -> each.filter().filter().startsWith(prefix));
    }

    public Subscribe subscribed(Subscribe packet) {
        return isUnchanged()
                ? packet
                : new Subscribe(
                        packet.packetId(),
                        subscribed(packet.subscriptions()),
                        packet.subscriptionId(),
                        packet.userProperties());
    }

    public List<Subscription> subscribed(List<Subscription> subscriptions) {
        return isUnchanged()
                ? subscriptions
                : subscriptions.stream()
                        .map(s -> new Subscription(
                                filter(s.filter()), s.qos(), s.noLocal(), s.retainAsPublished(), s.retainHandling()))
                        .toList();
    }

    public Unsubscribe unsubscribed(Unsubscribe packet) {
        return isUnchanged()
                ? packet
                : new Unsubscribe(
                        packet.packetId(),
                        packet.filters().stream().map(this::filter).toList(),
                        packet.userProperties());
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
        if (topic.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES) {
            return false;
        }
        return scope == RewriteRule.Scope.PUBLISH
                ? TopicName.isValid(topic)
                : TopicFilter.parse(topic).filter(filter -> !filter.isShared()).isPresent();
    }
}
