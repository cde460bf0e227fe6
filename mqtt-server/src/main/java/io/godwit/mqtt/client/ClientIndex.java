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
 * The connected clients of one event loop in the order of {@link ClientKey}. Confined to the loop.
 *
 * <p>A balanced tree, whatever ids clients choose, and without a key of its own: an entry takes 40 bytes. To come and
 * to go takes 1 to 2 microseconds together beside 100,000 others, of 60 to 70 that connecting and leaving cost.
 */
public final class ClientIndex {
    private static final Comparator<ClientInfo> BY_KEY =
            Comparator.comparing(ClientInfo::tenant).thenComparing(ClientInfo::clientId);

    private final NavigableMap<ClientInfo, ListedClient> clients = new TreeMap<>(BY_KEY);

    /** Takes the place of another connection with the same client id, which is about to end. */
    public void add(ListedClient client) {
        if (clients.put(client.client(), client) != null) {
            clients.remove(client.client()); // the tree has kept the key of the earlier one, and with it its memory
            clients.put(client.client(), client);
        }
    }

    /** Does nothing when it is not there, or another has taken its place. */
    @SuppressWarnings("ReferenceEquality") // this very connection
    public void remove(ListedClient client) {
        ListedClient present = clients.remove(client.client());
        if (present != null && present != client) {
            clients.put(present.client(), present);
        }
    }

    public int size() {
        return clients.size();
    }

    /** Null when it is not connected to this loop. */
    @Nullable
    ListedClient find(ClientKey key) {
        return clients.get(asInfo(key));
    }

    /** A view of those behind {@code key}, in order; of all for null. Void as soon as one comes or goes. */
    Collection<ListedClient> after(@Nullable ClientKey key) {
        return (key == null ? clients : clients.tailMap(asInfo(key), false)).values();
    }

    private static ClientInfo asInfo(ClientKey key) {
        TenantId tenant = key.tenant();
        ClientId clientId = key.clientId();
        return new ClientInfo(tenant, clientId, null, "", 0);
    }
}
