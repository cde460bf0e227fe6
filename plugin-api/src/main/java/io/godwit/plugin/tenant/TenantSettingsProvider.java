package io.godwit.plugin.tenant;

import io.godwit.plugin.client.TenantId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Says what holds for each tenant. One instance serves a node. Its answers go before what the file of the tenants says;
 * of settings that it leaves out the file's, or the node's, hold.
 *
 * <p>Asked when a client connects whose tenant was not asked for yet, and again after {@link TenantChanges#changed};
 * the answer is remembered for as long as the node runs. Called on threads of the plugin, on several at once, or on
 * event loops if the factory says that it does not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}).
 *
 * <p>The broker fails closed: while there is no answer for a tenant, since the call throws, yields null or takes longer
 * than {@code authConfig.timeoutSeconds}, its clients are refused as "server unavailable". A tenant with an answer
 * keeps that until the next one, and connected clients stay.
 */
public interface TenantSettingsProvider extends AutoCloseable {
    /**
     * What holds for a tenant.
     *
     * @return empty when there is no such tenant: clients that connect are refused as not authorized
     */
    CompletableFuture<Optional<TenantSettings>> settings(TenantId tenant);

    /** Ends threads and the like; called once, after the last question. */
    @Override
    default void close() {}
}
