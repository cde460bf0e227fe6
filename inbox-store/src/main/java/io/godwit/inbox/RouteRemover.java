package io.godwit.inbox;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Removes the routes of a session that has ended. The broker adapts it to the dist-worker at wiring. */
public interface RouteRemover {
    /**
     * Completes with true when all routes are gone, with false when the caller must try again; never exceptionally.
     * Idempotent. Called on a range executor.
     */
    CompletableFuture<Boolean> remove(TenantId tenant, ClientId clientId, long incarnation, List<TopicFilter> filters);
}
