package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of all nodes. Called on any thread; calls return at once and do not block. Futures complete on any
 * thread, which the callback must not hold up, and at the latest soon after {@code within}. They fail with
 * {@link NotServingException} when this node itself cannot answer, or has too many questions under way, and with
 * {@link IllegalArgumentException} for a limit, a topic or a filter that is none.
 */
public interface SubscriptionAdmin {
    /** The most receivers of an answer. */
    int MAX_LIMIT = 1_000;

    /**
     * A session that would get a message, or has a filter.
     *
     * @param node store id of the node that holds its connection; empty for a stored one, which any node may serve
     * @param stored whether the session outlives its connections; it may not be connected
     * @param qos the highest granted by its subscriptions that match
     * @param sharedFilter the shared subscription of which it is one of the members, who would be chosen among; empty
     *     when it gets the message by subscriptions of its own
     */
    record Receiver(String clientId, String node, boolean stored, int qos, String sharedFilter) {}

    /**
     * Those who would get a message, or have a filter, in the order of their client ids.
     *
     * @param items the first of them, of each node
     * @param total how many there are
     */
    record Receivers(List<Receiver> items, long total) {
        public Receivers {
            items = List.copyOf(items);
        }
    }

    /**
     * A subscription of a session.
     *
     * @param filter as it stands in SUBSCRIBE, behind rewriting rules and mount points
     * @param qos granted
     * @param subscriptionId 0 for none
     */
    record Subscription(String filter, int qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {}

    /**
     * The subscriptions of one session, stored or of a connected client, by their filters ({@link String#compareTo}).
     * One that is made or ended between two pages may be in one or in none; all others are in exactly one.
     *
     * @param after only those behind this filter; null begins with the first
     * @param limit 1 to {@link #MAX_LIMIT}; fewer may come although there are more
     * @return empty when no node that has answered knows the client
     */
    CompletableFuture<Answer<Optional<Page<Subscription, String>>>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within);

    /**
     * Who would get a message of the topic, if it came now.
     *
     * @param topic as subscriptions are matched with it: behind rewriting rules and mount points
     * @param limit of the list, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Answer<Receivers>> receivers(String tenant, String topic, int limit, Duration within);

    /**
     * Who is subscribed to exactly this filter; of one that is not shared also the members of all groups on it.
     *
     * @param filter as it stands in SUBSCRIBE, behind rewriting rules and mount points
     * @param limit of the list, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Answer<Receivers>> subscribers(String tenant, String filter, int limit, Duration within);

    /**
     * A shared group.
     *
     * @param sharedFilter as its members have it in SUBSCRIBE, behind rewriting rules and mount points
     * @param group its name; empty for {@code $queue}
     * @param filter without the group
     * @param live members whose sessions end with their connections, on all nodes
     * @param stored members whose sessions are stored, connected or not
     */
    record GroupView(String sharedFilter, String group, String filter, Sharing sharing, int live, int stored) {
        /** How its messages are shared out. */
        public enum Sharing {
            SHARED,
            ORDERED,
            QUEUE
        }
    }

    /**
     * The shared groups of a tenant over all nodes, by their shared filters ({@link String#compareTo}). One that comes
     * or goes between two pages may be in one or in none; all others are in exactly one.
     *
     * @param group name of the groups that are wanted; empty for any
     * @param filter on which they are; empty for any
     * @param after only those behind this shared filter; null begins with the first
     * @param limit 1 to {@link #MAX_LIMIT}; fewer may come although there are more
     */
    CompletableFuture<Page<GroupView, String>> groups(
            String tenant,
            Optional<String> group,
            Optional<String> filter,
            @Nullable String after,
            int limit,
            Duration within);
}
