package io.godwit.mqtt.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.Collection;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of one event loop, ordered by {@link ClientKey}. Confined to the loop.
 *
 * <p>A tree, balanced whatever ids clients choose. It needs no key objects: an entry takes 40 bytes. Adding and
 * removing takes 1 to 2 microseconds together beside 100,000 others, of the 60 to 70 that connecting and leaving cost.
 */
public final class ClientIndex {
    private static final Comparator<ClientInfo> BY_KEY =
            Comparator.comparing(ClientInfo::tenant).thenComparing(ClientInfo::clientId);

    private final NavigableMap<ClientInfo, ListedClient> clients = new TreeMap<>(BY_KEY);

    /** Replaces another connection with the same client id, which is about to end. */
    public void add(ListedClient client) {
        if (clients.put(client.client(), client) != null) {
            // the tree kept the key object of the earlier connection, and with it its memory
            clients.remove(client.client());
            clients.put(client.client(), client);
        }
    }

    /** Does nothing when the client is absent, or another connection has replaced it. */
    @SuppressWarnings("ReferenceEquality") // must be this very connection
    public void remove(ListedClient client) {
        ListedClient present = clients.remove(client.client());
        if (present != null && present != client) {
            clients.put(present.client(), present);
        }
    }

    public int size() {
        return clients.size();
    }

    /** Null when no such client is connected on this loop. */
    @Nullable
    ListedClient find(ClientKey key) {
        return clients.get(asInfo(key));
    }

    /**
     * A view of the clients after {@code key}, in order; of all for null. Invalid as soon as a client comes or goes.
     */
    Collection<ListedClient> after(@Nullable ClientKey key) {
        return (key == null ? clients : clients.tailMap(asInfo(key), false)).values();
    }

    private static ClientInfo asInfo(ClientKey key) {
        TenantId tenant = key.tenant();
        ClientId clientId = key.clientId();
        return new ClientInfo(tenant, clientId, null, "", 0);
    }
}
