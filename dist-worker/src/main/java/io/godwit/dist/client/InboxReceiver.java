package io.godwit.dist.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;

/**
 * A session kept in the inbox store.
 *
 * @param incarnation tells one life of the session from the next under the same client id; a route of an older one is stale
 */
public record InboxReceiver(TenantId tenant, ClientId clientId, long incarnation) implements Receiver {}
