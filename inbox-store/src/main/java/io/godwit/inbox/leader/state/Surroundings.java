package io.godwit.inbox.leader.state;

import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.inbox.report.Stock;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What leaders call outside their range. The functions are called on range executors and answer on any thread.
 *
 * @param stock null when the contents of queues are not counted
 * @param random spreads retries, see {@link io.godwit.kv.client.Backoff}
 */
public record Surroundings(
        Publish publish,
        Finished finished,
        RemoveRoutes removeRoutes,
        GiveToGroup giveToGroup,
        InboxReports reports,
        RecordCount records,
        StoredInboxes storedInboxes,
        MovedSessions moved,
        @Nullable Stock stock,
        DoubleSupplier random) {

    /** The shape of {@code WillPublisher.publish}. */
    @FunctionalInterface
    public interface Publish {
        CompletableFuture<Boolean> publish(
                ClientInfo publisher,
                Message message,
                String tokenOrigin,
                long tokenNumber,
                long tokenFinishedBelow,
                long decidedAtMillis,
                @Nullable RequestOrder order,
                Resend resend);
    }

    /** The shape of {@code WillPublisher.finished}. */
    @FunctionalInterface
    public interface Finished {
        void finished(TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber);
    }

    /** The shape of {@code GroupPublisher}. */
    @FunctionalInterface
    public interface GiveToGroup {
        CompletableFuture<GroupOutcome> give(
                ClientInfo from, TopicFilter group, Message message, @Nullable GroupToken token, Resend resend);
    }

    /** The shape of {@code RouteRemover}. */
    @FunctionalInterface
    public interface RemoveRoutes {
        CompletableFuture<Boolean> remove(
                TenantId tenant, ClientId clientId, long incarnation, List<TopicFilter> filters);
    }
}
