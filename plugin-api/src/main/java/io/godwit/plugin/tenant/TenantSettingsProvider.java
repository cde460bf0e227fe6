package io.godwit.plugin.tenant;

import io.godwit.plugin.client.TenantId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the settings of each tenant. One instance serves a node. Its answers take precedence over the file of the
 * tenants; a setting that it leaves out has the value of the file, or of the node.
 *
 * <p>Called when a client connects whose tenant is not known yet, and again after {@link TenantChanges#changed}; the
 * answer is kept for as long as the node runs. Called on threads of the plugin, on several at once, or on event loops
 * if the factory says that it does not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}).
 *
 * <p>The broker fails closed: while a tenant has no answer, because the call throws, yields null or takes longer than
 * {@code authConfig.timeoutSeconds}, its clients are refused with "server unavailable". A tenant with an answer keeps
 * it until the next one, and connected clients stay.
 */
public interface TenantSettingsProvider extends AutoCloseable {
    /**
     * The settings of a tenant.
     *
     * @return empty when there is no such tenant: clients that connect are refused as not authorized
     */
    CompletableFuture<Optional<TenantSettings>> settings(TenantId tenant);

    /** Releases threads and other resources; called once, after the last request. */
    @Override
    default void close() {}
}
