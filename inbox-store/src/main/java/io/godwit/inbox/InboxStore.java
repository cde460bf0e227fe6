package io.godwit.inbox;

import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.queue.InboxCoprocessor;
import io.godwit.inbox.queue.InboxKeys;
import io.godwit.inbox.queue.InboxReports;
import io.godwit.inbox.queue.InboxRouter;
import io.godwit.inbox.queue.QueueSettings;
import io.godwit.inbox.queue.RecordCount;
import io.godwit.inbox.queue.Surroundings;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The inbox store: queues, subscriptions and wills of sessions that outlive their connection.
 *
 * <p>Packages: {@code client} is what others import; {@code queue} has the stored formats ({@code InboxKeys} first), the state machine and the leader
 * ({@code InboxLeader} tells the life of a message and the order of crash points); {@code expiry} knows about time; {@code session} knows which
 * connection of this node holds a client id.
 *
 * <p>Wiring: the ranges of the store are made with {@link #coprocessorFactory}, cut first at {@link #splitKeys}; {@link #client} is then put on top of them.
 */
public final class InboxStore {
    /** Detached sessions that a range keeps in memory after use. */
    private static final int MAX_IDLE_INBOXES = 4096;

    private final QueueSettings settings;
    private final Surroundings outside;
    private final RecordCount records;

    /** @param isCounted the client ids for {@link #countedRecords}; each of them costs a place in memory */
    public InboxStore(
            InboxConfig config,
            WillPublisher willPublisher,
            RouteRemover routeRemover,
            GroupPublisher groupPublisher,
            Predicate<ClientId> isCounted,
            EventListener events,
            MeterRegistry meters) {
        settings = new QueueSettings(
                config.maxQueuedMessages(),
                config.dropPolicy() == InboxConfig.DropPolicy.OLDEST,
                config.queueQos0() ? config.maxQueuedQos0() : 0,
                config.maxSessionExpiry().toSeconds(),
                config.earlyPush(),
                MAX_IDLE_INBOXES);
        records = new RecordCount(isCounted);
        outside = new Surroundings(
                willPublisher::publish,
                willPublisher::finished,
                routeRemover::remove,
                groupPublisher::give,
                new InboxReports(events, meters),
                records);
    }

    /** Makes the state machine of each range of the store. */
    public Supplier<RangeCoprocessor> coprocessorFactory() {
        return () -> new InboxCoprocessor(settings, outside);
    }

    /**
     * How many of the client ids that are counted have a session, or a will still to be published, in the ranges led here. Too low for a while when a
     * leadership begins. Any thread.
     */
    public long countedRecords() {
        return records.total();
    }

    /** {@code ranges - 1} keys that cut the default tenant into parts of about the same number of sessions; 1 to 256 ranges. */
    public static List<byte[]> splitKeys(int ranges) {
        return InboxKeys.splitKeys(ranges);
    }

    /** The store as others use it, over its ranges. */
    public static InboxClient client(RangeClient ranges) {
        return new InboxRouter(ranges);
    }
}
