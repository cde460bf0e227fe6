package io.godwit.api.port.figure;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The slowest and the busiest clients and topics of all nodes, highest first. Any thread; calls return at once. Futures
 * complete on any thread, within {@code within} at the latest, or fail with {@link NotServingException} when the node
 * starts, stops, or has too many such requests.
 */
public interface TopSource {
    /** The longest list. */
    int MAX_LIMIT = 100;

    /**
     * A connected client and how long it takes to complete the exchange of QoS 1 and 2 messages.
     *
     * @param averageMillis of completed exchanges, weighted towards later ones
     * @param worstMillis in the last five to ten minutes
     * @param pendingMillis how long one has been pending; 0 when none is timed
     */
    record SlowSubscriber(
            String tenant, String clientId, String node, long averageMillis, long worstMillis, long pendingMillis) {}

    /**
     * A client and its traffic in the last minute, estimated from samples.
     *
     * @param error by how much the total that the list is sorted by may be too high
     */
    record BusyClient(
            String tenant,
            String clientId,
            long messagesIn,
            long messagesOut,
            long bytesIn,
            long bytesOut,
            long error) {}

    /**
     * A topic and its messages in the last minute, estimated from samples.
     *
     * @param error by how much the number of messages may be too high
     */
    record BusyTopic(String tenant, String topic, long messages, long bytes, long error) {}

    /**
     * @param tenant empty for all
     * @param limit 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<ClusterAnswer<List<SlowSubscriber>>> slowSubscribers(
            Optional<String> tenant, int limit, Duration within);

    /** @param isByBytes whether to sort by bytes instead of messages */
    CompletableFuture<ClusterAnswer<List<BusyClient>>> clients(
            Optional<String> tenant, boolean isByBytes, int limit, Duration within);

    CompletableFuture<ClusterAnswer<List<BusyTopic>>> topics(Optional<String> tenant, int limit, Duration within);
}
