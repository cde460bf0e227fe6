package io.godwit.inbox;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Removes the routes of a session that has ended. Adapted to the dist-worker at wiring. */
public interface RouteRemover {
    /**
     * Completes with true when all are gone, with false when it must be tried again; never exceptionally. Repeatable.
     * Called on a range executor.
     */
    CompletableFuture<Boolean> remove(TenantId tenant, ClientId clientId, long incarnation, List<TopicFilter> filters);
}
