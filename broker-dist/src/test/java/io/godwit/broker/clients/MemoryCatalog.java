package io.godwit.broker.clients;

import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.inbox.client.catalog.StoredSessionInfo;
import io.godwit.kv.client.Deadline;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A catalog of stored sessions whose answers come from the test. */
final class MemoryCatalog implements SessionCatalog {
    final List<Criteria> asked = new ArrayList<>();
    CompletableFuture<Page> page = CompletableFuture.completedFuture(new Page(List.of(), null));
    CompletableFuture<Optional<StoredSessionInfo>> found = CompletableFuture.completedFuture(Optional.empty());
    CompletableFuture<Optional<SubscriptionPage>> subscriptions = CompletableFuture.completedFuture(Optional.empty());

    @Override
    public CompletableFuture<Page> page(Criteria criteria, @Nullable String cursor, int limit, Deadline deadline) {
        asked.add(criteria);
        return page;
    }

    @Override
    public CompletableFuture<Optional<StoredSessionInfo>> find(TenantId tenant, ClientId clientId, Deadline deadline) {
        return found;
    }

    @Override
    public CompletableFuture<Optional<SubscriptionPage>> subscriptions(
            TenantId tenant, ClientId clientId, @Nullable String after, int limit, Deadline deadline) {
        return subscriptions;
    }
}
