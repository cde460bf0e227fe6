package io.godwit.api.port.client;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of all nodes. Called on any thread; calls return at once and do not block. Futures complete on any
 * thread, which the callback must not block, soon after {@code within} at the latest. They fail with
 * {@link NotServingException} when this node itself cannot answer, or has too many requests under way, and with
 * {@link IllegalArgumentException} for an invalid limit, topic or filter.
 */
public interface SubscriptionAdmin {
    /** The most receivers of an answer. */
    int MAX_LIMIT = 1_000;

    /**
     * A session that would get a message, or has a filter.
     *
     * @param node store id of the node that holds its connection; empty for a stored one, which any node may serve
     * @param stored whether the session outlives its connections; it may not be connected
     * @param qos the highest granted by its matching subscriptions
     * @param sharedFilter the shared subscription through which it is one candidate among the group's members;
     *     empty when it gets the message by subscriptions of its own
     */
    record Receiver(String clientId, String node, boolean stored, int qos, String sharedFilter) {}

    /**
     * Sessions that would get a message, or have a filter, in the order of their client ids.
     *
     * @param items the first of them, of each node
     * @param total number of all
     */
    record Receivers(List<Receiver> items, long total) {
        public Receivers {
            items = List.copyOf(items);
        }
    }

    /**
     * A subscription of a session.
     *
     * @param filter as in SUBSCRIBE, after rewriting rules and mount points
     * @param qos granted
     * @param subscriptionId 0 for none
     */
    record Subscription(String filter, int qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {}

    /**
     * The subscriptions of one session, stored or of a connected client, by their filters ({@link String#compareTo}). A
     * subscription that begins or ends between two pages may be in one or in none; all others are in exactly one.
     *
     * @param after only filters after this one; null begins with the first
     * @param limit 1 to {@link #MAX_LIMIT}; a page may have fewer although more follow
     * @return empty when no node that has answered knows the client
     */
    CompletableFuture<ClusterAnswer<Optional<Page<Subscription, String>>>> subscriptions(
            ClientReference key, @Nullable String after, int limit, Duration within);

    /**
     * The sessions that would get a message on the topic now.
     *
     * @param topic as subscriptions are matched with it: after rewriting rules and mount points
     * @param limit of the list, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<ClusterAnswer<Receivers>> receivers(String tenant, String topic, int limit, Duration within);

    /**
     * The sessions subscribed to exactly this filter; if the filter is not shared, also the members of all groups on
     * it.
     *
     * @param filter as in SUBSCRIBE, after rewriting rules and mount points
     * @param limit of the list, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<ClusterAnswer<Receivers>> subscribers(String tenant, String filter, int limit, Duration within);

    /**
     * A shared group.
     *
     * @param sharedFilter as in the SUBSCRIBE of its members, after rewriting rules and mount points
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
     * The shared groups of a tenant over all nodes, by their shared filters ({@link String#compareTo}). A group that
     * comes or goes between two pages may be in one or in none; all others are in exactly one.
     *
     * @param group name of the groups; empty for any
     * @param filter of the groups; empty for any
     * @param after only shared filters after this one; null begins with the first
     * @param limit 1 to {@link #MAX_LIMIT}; a page may have fewer although more follow
     */
    CompletableFuture<Page<GroupView, String>> groups(
            String tenant,
            Optional<String> group,
            Optional<String> filter,
            @Nullable String after,
            int limit,
            Duration within);
}
