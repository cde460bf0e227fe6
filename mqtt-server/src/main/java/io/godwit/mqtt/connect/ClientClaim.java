package io.godwit.mqtt.connect;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a connection holds for its client: the {@link SessionDirectory.Lease} of the client id, and its places in the
 * counts of the tenant. It gives them back when the session ends or the opening fails, and earlier in a takeover.
 *
 * <p>One per connection. The session and the lease reference it until they end, so it must not reference the CONNECT,
 * which has the password. Confined to the connection's event loop, except for {@link #isClosed}.
 */
final class ClientClaim implements Session.End {
    private final Connection connection;
    private final ConnectServices services;

    private @Nullable Session session;
    private SessionDirectory.@Nullable Lease lease;
    /**
     * Another connection has requested the client id meanwhile: this one gets its CONNACK and is taken over at once.
     */
    private boolean isUnwanted;
    /** The tenant that counts this client while it has the lease; null while it is not counted. */
    private @Nullable TenantId countedIn;
    /** The account that counts its session as one that outlives its connection; null while it is not counted. */
    private @Nullable TenantAccount sessionIn;
    /** Whether the leader has decided the attach but not answered yet. */
    private boolean isAttaching;

    /** Written by the loop; read by threads that carry a command to the inbox leader. */
    private volatile boolean isClosed;

    ClientClaim(Connection connection, ConnectServices services) {
        this.connection = connection;
        this.services = services;
    }

    // ---- the client id

    /** Requests the client id; see {@link SessionDirectory#acquire}. */
    CompletableFuture<SessionDirectory.Answer> request(ClientInfo client, SessionDirectory.Takeover takeover) {
        return services.directory()
                .acquire(client.tenant(), client.clientId(), new Claimant(client.userName()), takeover);
    }

    /** The directory has granted the client id. */
    void hold(SessionDirectory.Lease granted) {
        lease = granted;
    }

    /** This connection as known to the directory; any thread. */
    private final class Claimant implements SessionDirectory.Holder {
        private final @Nullable String userName;

        private Claimant(@Nullable String userName) {
            this.userName = userName;
        }

        @Override
        public @Nullable String userName() {
            return userName;
        }

        @Override
        public void giveUp() {
            connection.loop().execute(() -> {
                isUnwanted = true;
                if (session != null) {
                    session.takenOver();
                } else {
                    passOn();
                }
            });
        }
    }

    boolean isUnwanted() {
        return isUnwanted;
    }

    /** The leader has decided the attach: the next connection's request now comes after it. */
    void attaching() {
        isAttaching = true;
        passOn();
    }

    /** The leader has answered the attach. */
    void attachAnswered() {
        isAttaching = false;
    }

    /**
     * Releases the lease early: the next connection need not wait for the answer to this one's attach. Many that
     * connect at once thus share a commit.
     */
    private void passOn() {
        if (isUnwanted && isAttaching) {
            release();
        }
    }

    // ---- the counts of the tenant

    /**
     * Counts the client, if the tenant may have one more here. In a takeover, the old connection has already left the
     * count.
     *
     * @return the exceeded resource; null when the client is counted
     */
    @Nullable
    TenantResource enter(TenantId tenant) {
        TenantResource over = services.session().policies().tenants().accounts().enter(tenant);
        if (over == null) {
            countedIn = tenant;
        }
        return over;
    }

    /** Counts the session, and tells whether the tenant's quota allows it. */
    boolean hasRoomForSession(TenantId tenant) {
        TenantAccount account =
                services.session().policies().tenants().accounts().of(tenant);
        account.sessionCame();
        sessionIn = account;
        return !account.hasTooManySessions();
    }

    /** The tenant's limit of sessions; 0 while the session is not counted. */
    long mostSessions() {
        return sessionIn == null ? 0 : sessionIn.most(TenantResource.SESSIONS);
    }

    // ---- the session and the end

    /** The session is open: from now on a takeover ends it. */
    void opened(Session open) {
        session = open;
    }

    boolean hasSession() {
        return session != null;
    }

    /** Gives back everything; further calls do nothing. */
    void release() {
        if (countedIn != null) { // before the next connection may come
            services.session().policies().tenants().accounts().leave(countedIn);
            countedIn = null;
        }
        if (sessionIn != null) {
            sessionIn.sessionLeft();
            sessionIn = null;
        }
        if (lease != null) {
            lease.release();
            lease = null;
        }
    }

    @Override
    public void left() {
        release();
    }

    @Override
    public void ended() {
        release();
        services.open().leave();
    }

    /** The connection is closed and has no session. */
    void closed() {
        isClosed = true;
    }

    /** Any thread. */
    boolean isClosed() {
        return isClosed;
    }

    /** Closed or closing: resources opened for it are given back. */
    boolean isGone() {
        return isClosed || !connection.isOpen();
    }
}
