package io.godwit.plugin.throttle;

import java.util.concurrent.CompletableFuture;

/**
 * Limits how much each tenant may use. One instance serves a node.
 *
 * <p>It gets the usage of a tenant and answers with limits. The broker keeps the answer and applies it to the tenant's
 * clients by itself: no connection, subscription or message waits for a call, except the first connection of an unknown
 * tenant. The limits hold beside the settings of the tenant; the smaller one counts.
 *
 * <p><b>When:</b> when a client connects whose tenant is not known yet, then about once a second for each tenant with
 * clients or waiting messages on this node, one call at a time for each tenant. An answer holds until the next one. A
 * tenant with neither is forgotten after some seconds.
 *
 * <p><b>Thread:</b> threads of the plugin, several at once for different tenants; or, if the factory says that it does
 * not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), an event loop or the thread that watches tenants.
 *
 * <p><b>Cost:</b> a call a second for each tenant with clients, up to 10,000 tenants.
 *
 * <p><b>Failure:</b> while a tenant has no answer, because the call throws, yields null or takes longer than
 * {@code authConfig.timeoutSeconds}, its clients are refused with "server unavailable". A tenant with an answer keeps
 * it until the next one.
 */
public interface ResourceThrottler extends AutoCloseable {
    /** How much the tenant may use from now on. */
    CompletableFuture<TenantLimits> limits(TenantUsage usage);

    /** Releases threads and other resources; called once, after the last request. */
    @Override
    default void close() {}
}
