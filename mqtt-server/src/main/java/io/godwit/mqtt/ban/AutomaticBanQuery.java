package io.godwit.mqtt.ban;

import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * Which bans that a node has made by itself are wanted.
 *
 * @param tenant only those of it, which are of client ids; null for any
 * @param withClients whether those of client ids are
 * @param withSources whether those of sources are
 * @param from the first id that may be; empty from the beginning
 * @param limit 2 to {@link #MAX_LIMIT}
 */
public record AutomaticBanQuery(
        @Nullable TenantId tenant, boolean withClients, boolean withSources, String from, int limit) {
    /** A page of the API and one more. */
    public static final int MAX_LIMIT = 1_001;

    public AutomaticBanQuery {
        if (limit < 2 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("a page has 2 to " + MAX_LIMIT + " bans, was " + limit);
        }
    }
}
