package io.godwit.plugin.tenant;

import io.godwit.plugin.client.TenantId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the settings of each tenant. One instance serves a node. Its answers take precedence over the file of the
 * tenants; a setting that it leaves out has the value of the file, or of the node.
 *
 * <p><b>Thread:</b> threads of the plugin, several at once for different tenants; or, if the factory says that it does
 * not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), event loops.
 *
 * <p><b>Cost:</b> a call when a client connects whose tenant is not known yet, and again after
 * {@link TenantChanges#changed}; up to 10,000 tenants. The broker keeps the answer for as long as the node runs. Only
 * clients of a tenant without an answer wait for the call.
 *
 * <p><b>Failure:</b> the broker fails closed. While a tenant has no answer, because the call throws, yields null or
 * takes longer than {@code authConfig.timeoutSeconds}, its clients are refused with "server unavailable". A tenant with
 * an answer keeps it until the next one, and connected clients stay; the provider is asked again every five seconds.
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
