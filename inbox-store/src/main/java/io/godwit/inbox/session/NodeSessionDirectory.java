package io.godwit.inbox.session;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a node that runs alone. The claims on one client id form a chain in the order of {@link #acquire}:
 * the first holds the lease, each later one waits for the one before it, so each connection in a storm of takeovers
 * costs the same. The map has the last claim of each chain; a chain that ends leaves nothing in it.
 *
 * <p>Threads: event loops of both connections contend. A claim's fields are guarded by its own monitor, in which
 * nothing is called; no thread ever holds two monitors. A claim replaces the previous one in the map by
 * compare-and-set, which orders the claims of one client id.
 */
public final class NodeSessionDirectory implements SessionDirectory {
    private final ConcurrentMap<IdKey, Claim> lastClaims = new ConcurrentHashMap<>();

    @Override
    public CompletableFuture<Answer> acquire(TenantId tenant, ClientId clientId, Holder holder, Takeover takeover) {
        Claim claim = new Claim(new IdKey(tenant, clientId), holder);
        while (true) {
            Claim before = lastClaims.get(claim.key);
            if (before == null) {
                if (lastClaims.putIfAbsent(claim.key, claim) == null) {
                    claim.grant();
                    return claim.granted;
                }
            } else if (takeover == Takeover.OF_SAME_USER && !isOfSameUser(before.holder, holder)) {
                return CompletableFuture.completedFuture(Refusal.OTHER_USER);
            } else if (lastClaims.replace(claim.key, before, claim)) {
                before.followedBy(claim);
                return claim.granted;
            }
        }
    }

    /** Number of client ids that are held. */
    public int size() {
        return lastClaims.size();
    }

    /** Whether {@code present} has no user name, or that of {@code next}. */
    private static boolean isOfSameUser(Holder present, Holder next) {
        String user = present.userName();
        return user == null || user.equals(next.userName());
    }

    private final class Claim implements Lease {
        private final IdKey key;
        private final Holder holder;
        private final CompletableFuture<Answer> granted = new CompletableFuture<>();
        private @Nullable Claim next;
        private boolean isHeld;
        private boolean isReleased;

        Claim(IdKey key, Holder holder) {
            this.key = key;
            this.holder = holder;
        }

        void grant() {
            boolean isWanted;
            synchronized (this) {
                isHeld = true;
                isWanted = next != null;
            }
            granted.complete(this);
            if (isWanted) {
                holder.giveUp();
            }
        }

        void followedBy(Claim later) {
            boolean mayGoOn;
            boolean mustGiveUp;
            synchronized (this) {
                next = later;
                mayGoOn = isReleased;
                mustGiveUp = isHeld && !isReleased;
            }
            if (mayGoOn) {
                later.grant();
            } else if (mustGiveUp) {
                holder.giveUp();
            }
        }

        @Override
        public void release() {
            Claim later;
            synchronized (this) {
                if (isReleased) {
                    return;
                }
                isReleased = true;
                later = next;
            }
            if (later != null) {
                later.grant();
            } else {
                // a later claim may have just replaced this one; it then finds isReleased in followedBy
                lastClaims.remove(key, this);
            }
        }
    }
}
