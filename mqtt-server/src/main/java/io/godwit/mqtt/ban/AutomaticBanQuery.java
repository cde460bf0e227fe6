package io.godwit.mqtt.ban;

import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * Selects bans that a node has made by itself.
 *
 * @param tenant only client ids of this tenant; null for any
 * @param withClients whether bans of client ids are wanted
 * @param withSources whether bans of sources are wanted
 * @param from the first id that may match; empty for the beginning
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
