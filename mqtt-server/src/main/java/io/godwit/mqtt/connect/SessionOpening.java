package io.godwit.mqtt.connect;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.InboxMail;
import io.godwit.mqtt.session.persistent.LastingAttachment;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Opens the session of a client that was let in. Confined to the connection's event loop.
 *
 * <p>The steps: {@link #begin} asks the directory for the client id. Another connection may first have to give the id
 * up (takeover), unless it belongs to another user. With the {@link SessionDirectory.Lease}, {@link #acquired} checks
 * whether a stored session belongs to another user, and {@link #openSession} opens the session. For a clean session of
 * expiry 0 without a will it only deletes a stored predecessor; any other session is attached at the inbox store
 * ({@link #attach}). Routes that a crash left out of a resumed session are written again ({@link #attached}). Then the
 * session goes to {@link Opened}.
 *
 * <p>The request is all it holds: {@link ClientClaim} holds what a step obtains, or the step gives it back. A step that
 * fails refuses the connection.
 */
final class SessionOpening {
    private static final int[] NONE = {};

    private final Connection connection;
    private final ConnectServices services;
    private final ConnectRefusals refusals;
    private final ClientClaim claim;
    private final Connect packet;
    private final ClientInfo client;
    private final ClientTopics topics;
    private final @Nullable Will will;
    private final @Nullable Object grant;
    private final Opened onOpened;

    /** Takes the session. */
    @FunctionalInterface
    interface Opened {
        /** @param subscribed subscriptions of the resumed session */
        void opened(Session session, boolean isPresent, long expirySeconds, List<StoredSubscription> subscribed);
    }

    /** @param onOpened gets the session, on the loop, while the connection is open */
    SessionOpening(
            Connection connection,
            ConnectServices services,
            ConnectRefusals refusals,
            ClientClaim claim,
            AdmittedClient admitted,
            Opened onOpened) {
        this.connection = connection;
        this.services = services;
        this.refusals = refusals;
        this.claim = claim;
        this.packet = admitted.packet();
        this.client = admitted.client();
        this.topics = admitted.topics();
        this.will = willOf(packet.will(), topics, services.session());
        this.grant = admitted.grant();
        this.onOpened = onOpened;
    }

    // ---- the client id

    void begin() {
        SessionDirectory.Takeover takeover =
                keepsSessionsToUsers() ? SessionDirectory.Takeover.OF_SAME_USER : SessionDirectory.Takeover.OF_ANYBODY;
        CompletableFuture<SessionDirectory.Answer> request = claim.request(client, takeover);
        OnEventLoop.whenComplete(connection, request, (answer, failure) -> {
            if (failure != null) {
                refuse(failure);
            } else if (!(answer instanceof SessionDirectory.Lease lease)) {
                refusals.otherUser(client);
            } else if (claim.isGone()) {
                lease.release();
            } else {
                granted(lease);
            }
        });
    }

    private void granted(SessionDirectory.Lease lease) {
        TenantResource over = claim.enter(client.tenant());
        if (over == null) {
            claim.hold(lease);
            acquired();
            return;
        }
        TenantAccounts accounts = services.session().policies().tenants().accounts();
        refusals.overLimit(client, over, accounts.of(client.tenant()).most(over));
        lease.release();
    }

    /** Whether the client's user name, or its lack of one, is proven, and sessions of other users must be protected. */
    private boolean keepsSessionsToUsers() {
        Authorizer authorizer = services.session().authorizer();
        return authorizer.keepsSessionsToUsers()
                && (authorizer.asks(AuthCheck.CONNECT)
                        || packet.authenticationMethod() != null
                        || connection.certificateUserName() != null);
    }

    private void acquired() {
        if (!keepsSessionsToUsers()) {
            openSession(packet.cleanStart());
            return;
        }
        CompletableFuture<SessionOwner> asked = services.session().inbox().owner(client);
        OnEventLoop.whenComplete(connection, asked, (owner, failure) -> {
            if (failure != null) {
                refuse(failure);
            } else if (claim.isGone()) {
                claim.release();
            } else if (owner == SessionOwner.OTHER_USER) {
                refusals.otherUser(client);
                claim.release();
            } else {
                // a session without an owner may hold more than this user is allowed
                openSession(packet.cleanStart() || owner == SessionOwner.NO_USER);
            }
        });
    }

    // ---- the session

    private void openSession(boolean cleanStart) {
        TenantPolicy policy = services.session().policies().of(client.tenant());
        long expiry = ConnectLimits.expirySeconds(packet, policy);
        int most = (int) policy.number(TenantSetting.SEND_MAXIMUM);
        int window = packet.receiveMaximum() < 0 ? most : Math.min(most, packet.receiveMaximum());
        int aliases = Math.min(
                (int) policy.number(TenantSetting.TOPIC_ALIAS_MAXIMUM), Math.max(0, packet.topicAliasMaximum()));
        SessionTerms terms = new SessionTerms(
                client, window, aliases, expiry, packet.cleanStart(), packet.authenticationMethod(), topics, grant);
        if (expiry == 0 && cleanStart && packet.will() == null) {
            OnEventLoop.whenComplete(
                    connection,
                    services.session().inbox().delete(client.tenant(), client.clientId(), claim::isClosed),
                    (existed, failure) -> {
                        if (failure != null) {
                            refuse(failure);
                        } else if (claim.isGone()) {
                            claim.release();
                        } else {
                            onOpened.opened(openTransient(terms, null), false, expiry, List.of());
                        }
                    });
            return;
        }
        if (expiry == 0 || claim.hasRoomForSession(client.tenant())) {
            attach(terms, cleanStart);
            return;
        }
        // beyond the quota, existing sessions may still be resumed
        OnEventLoop.whenComplete(connection, services.session().inbox().owner(client), (owner, failure) -> {
            if (failure != null) {
                refuse(failure);
            } else if (claim.isGone()) {
                claim.release();
            } else if (owner == SessionOwner.NO_SESSION) {
                refusals.overLimit(client, TenantResource.SESSIONS, claim.mostSessions());
                claim.release();
            } else {
                attach(terms, cleanStart);
            }
        });
    }

    private void attach(SessionTerms terms, boolean cleanStart) {
        long expiry = terms.expirySeconds();
        InboxMail mail = new InboxMail(claim::attaching);
        AttachRequest request = new AttachRequest(client, cleanStart, expiry, will, 0, claim::isClosed);
        CompletableFuture<AttachReply> attached =
                LastingAttachment.attach(connection, services.session(), request, mail);
        OnEventLoop.whenComplete(connection, attached, (reply, failure) -> {
            claim.attachAnswered();
            if (failure != null) {
                refuse(failure);
            } else if (claim.isGone()) {
                abandon(reply);
            } else if (claim.isUnwanted()) {
                openToLeave(terms, reply, mail);
            } else if (!topics.haveAll(reply.subscriptions())) {
                leave(terms, reply);
            } else if (expiry == 0 && !reply.sessionPresent()) {
                if (packet.will() == null) { // attached only to see whether there was a session to resume
                    reply.attachment().detach(-1, false);
                }
                onOpened.opened(openTransient(terms, packet.will() == null ? null : reply), false, expiry, List.of());
            } else {
                attached(terms, reply, mail);
            }
        });
    }

    /**
     * Opens the session of a connection that is taken over right after its CONNACK. The next connection may already
     * have the session, so this one touches nothing but the end of its own attachment.
     */
    private void openToLeave(SessionTerms terms, AttachReply reply, InboxMail mail) {
        services.open().enter();
        AttachReply attachmentOnly = new AttachReply(
                reply.sessionPresent(), reply.incarnation(), reply.attachNumber(), List.of(), NONE, reply.attachment());
        boolean isPresent = reply.sessionPresent() && topics.haveAll(reply.subscriptions());
        Session opened = new PersistentSession(connection, services.session(), terms, attachmentOnly, mail, claim);
        onOpened.opened(opened, isPresent, terms.expirySeconds(), List.of());
    }

    /** Leaves a stored session with subscriptions outside the client's mount point: it is not resumed there. */
    private void leave(SessionTerms terms, AttachReply reply) {
        OnEventLoop.whenComplete(connection, reply.attachment().detach(-1, false), (done, failure) -> {
            if (failure != null) {
                refuse(failure);
            } else if (claim.isGone()) {
                claim.release();
            } else {
                attach(terms, true);
            }
        });
    }

    private void attached(SessionTerms terms, AttachReply reply, InboxMail mail) {
        CompletableFuture<?>[] routes =
                PersistentSession.routesOf(client, reply, services.session().dist());
        OnEventLoop.whenComplete(connection, CompletableFuture.allOf(routes), (done, failure) -> {
            if (failure != null) {
                reply.attachment().detach(-1, false);
                refuse(failure);
            } else if (claim.isGone()) {
                abandon(reply);
            } else {
                services.open().enter();
                Session opened = new PersistentSession(connection, services.session(), terms, reply, mail, claim);
                onOpened.opened(opened, reply.sessionPresent(), terms.expirySeconds(), reply.subscriptions());
            }
        });
    }

    private Session openTransient(SessionTerms terms, @Nullable AttachReply willHolder) {
        services.open().enter();
        return new TransientSession(
                connection, services.session(), terms, willHolder == null ? null : willHolder.attachment(), claim);
    }

    private static @Nullable Will willOf(@Nullable WillPacket will, ClientTopics topics, SessionServices services) {
        if (will == null) {
            return null;
        }
        Message message = new Message(
                topics.published(will.topic()),
                will.payload(),
                will.qos(),
                will.retain(),
                services.nowMillis(),
                will.properties());
        return new Will(message, will.delaySeconds());
    }

    // ---- when it does not open

    /** Detaches a session attached for a connection that is gone: its client never got CONNACK, so no will is due. */
    private void abandon(AttachReply reply) {
        OnEventLoop.whenComplete(connection, reply.attachment().detach(-1, false), (done, failure) -> claim.release());
    }

    private void refuse(Throwable failure) {
        refusals.notOpened(client, failure);
        claim.release();
    }
}
