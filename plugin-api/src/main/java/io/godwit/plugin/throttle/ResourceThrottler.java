package io.godwit.plugin.throttle;

import java.util.concurrent.CompletableFuture;

/**
 * Says how much each tenant may use. One instance serves a node.
 *
 * <p>It is told what a tenant uses and answers with limits. The broker keeps the answer and holds the tenant's clients
 * to it by itself: no connection, subscription or message waits for a call, but the first connection of a tenant that
 * nothing is known of. Limits hold beside the settings of the tenant; the smaller one counts.
 *
 * <p><b>When:</b> when a client connects whose tenant it was not asked about, then about once a second for each tenant
 * with clients on this node or messages that wait here, one call at a time for each tenant. An answer holds until the
 * next one. A tenant with neither is forgotten after some seconds.
 *
 * <p><b>Thread:</b> threads of the plugin, several at once for different tenants; or, if the factory says that it does
 * not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), an event loop or the thread that watches tenants.
 *
 * <p><b>Cost:</b> a call a second for each tenant with clients, up to 10,000 tenants.
 *
 * <p><b>Failure:</b> while there is no answer for a tenant, since the call throws, yields null or takes longer than
 * {@code authConfig.timeoutSeconds}, its clients are refused as "server unavailable". A tenant with an answer keeps
 * that until the next one.
 */
public interface ResourceThrottler extends AutoCloseable {
    /** How much the tenant may use from now on. */
    CompletableFuture<TenantLimits> limits(TenantUsage usage);

    /** Ends threads and the like; called once, after the last question. */
    @Override
    default void close() {}
}
