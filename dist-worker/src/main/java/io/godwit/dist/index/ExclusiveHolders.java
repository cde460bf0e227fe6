package io.godwit.dist.index;

import io.godwit.dist.client.Receiver;
import io.godwit.plugin.client.ClientId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which client has which exclusive filter: a client has it while it has a subscription to it, in any incarnation of its
 * session, or is about to make one. Guarded by the lock of the {@link TenantIndex}.
 */
final class ExclusiveHolders {
    private static final class Holder {
        final ClientId client;
        final Set<Receiver> subscribed = new HashSet<>(2);
        int claims;

        Holder(ClientId client) {
            this.client = client;
        }
    }

    private final Map<String, Holder> holders = new HashMap<>();

    boolean isEmpty() {
        return holders.isEmpty();
    }

    /** Returns false when another client has the filter. Each successful claim is released once. */
    boolean claim(String filter, ClientId client) {
        Holder holder = holders.computeIfAbsent(filter, free -> new Holder(client));
        if (!holder.client.equals(client)) {
            return false;
        }
        holder.claims++;
        return true;
    }

    void release(String filter, ClientId client) {
        Holder holder = holderOf(filter, client);
        if (holder != null) {
            holder.claims--;
            removeIfUnused(filter, holder);
        }
    }

    /** If two clients have stored subscriptions to the filter, the first one added is the holder. */
    void added(String filter, Receiver receiver) {
        Holder holder = holders.computeIfAbsent(filter, free -> new Holder(receiver.clientId()));
        if (holder.client.equals(receiver.clientId())) {
            holder.subscribed.add(receiver);
        }
    }

    void removed(String filter, Receiver receiver) {
        Holder holder = holderOf(filter, receiver.clientId());
        if (holder != null) {
            holder.subscribed.remove(receiver);
            removeIfUnused(filter, holder);
        }
    }

    private @Nullable Holder holderOf(String filter, ClientId client) {
        Holder holder = holders.get(filter);
        return holder != null && holder.client.equals(client) ? holder : null;
    }

    private void removeIfUnused(String filter, Holder holder) {
        if (holder.claims == 0 && holder.subscribed.isEmpty()) {
            holders.remove(filter);
        }
    }
}
