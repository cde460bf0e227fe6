package io.godwit.mqtt.connect;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.connection.SessionlessHandler;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.Placement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Serves one connection from its first packet to CONNACK. Confined to its event loop.
 *
 * <p>The steps: {@link #begin} checks the CONNECT, and {@link Admission} whether the client is let in. Then
 * {@link #admitted} compares it with the {@link ConnectLimits} of its tenant and asks whether the client should use
 * another server. {@link SessionOpening} claims the client id and opens the session. Last, {@link #open} sends CONNACK
 * and makes the session the connection's handler. Until then packets after the CONNECT stay undecoded, and reading
 * pauses.
 *
 * <p>The connection may close during any step; that step then gives back what it obtained.
 */
public final class ConnectHandler extends SessionlessHandler {
    private final ConnectServices services;
    private final ConnectRefusals refusals;
    private final ClientClaim claim;

    private @Nullable Connect connect;
    private @Nullable Admission admission;

    /** Budget that the CONNECT takes while it waits; 0 for none. */
    private long pendingBytes;

    public ConnectHandler(Connection connection, ConnectServices services) {
        super(connection);
        this.services = services;
        this.claim = new ClientClaim(connection, services);
        this.refusals = new ConnectRefusals(connection, services.session());
    }

    @Override
    public void onPacket(Packet packet) {
        Connect begun = connect;
        if (begun != null && begun.authenticationMethod() != null) {
            if (admission != null) {
                admission.onPacket(packet);
            }
        } else if (begun != null) {
            // packets after a CONNECT are not decoded before it is answered: see ReadListener.holds
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "a " + packet.getClass().getSimpleName() + " before CONNACK");
        } else if (packet instanceof Connect first) {
            begin(first);
        } else { // [MQTT5-3.1.0-1]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR,
                    "first packet is a " + packet.getClass().getSimpleName());
        }
    }

    private void begin(Connect packet) {
        connect = packet;
        services.session().reports().metrics().connects().connectIn();
        boolean isV5 = ConnectLimits.isV5(packet);
        connection.setUp(packet, packet.keepAliveSeconds());
        if (connection.loop().isMemoryShort()) {
            connection.refuse(ReasonCode.QUOTA_EXCEEDED, "memory is short");
            return;
        }
        long heapBytes = PendingConnects.heapBytes(packet);
        if (!services.pending().enter(heapBytes)) {
            connection.refuse(ReasonCode.SERVER_BUSY, "many large CONNECT packets wait already");
            return;
        }
        pendingBytes = heapBytes;
        String clientId = packet.clientId();
        if (clientId.isEmpty()) {
            if (!isV5 && (!packet.cleanStart() || packet.protocolLevel() == ProtocolLevel.MQTT_3_1)) {
                connection.refuse(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, null); // [MQTT311-3.1.3-8]
                return;
            }
            clientId = services.clientIds().get(); // [MQTT5-3.1.3-6], [MQTT311-3.1.3-6]
        }
        if (!services.session().config().allowsClientId(clientId)) {
            connection.refuse(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "the client identifier is over the limit");
            return;
        }
        String certificateName = connection.certificateUserName(); // proven, so it takes precedence over the packet
        String userName = certificateName != null ? certificateName : packet.userName();
        TenantNaming.Answer tenant = services.tenantNaming().of(connection, userName);
        ClientInfo client = new ClientInfo(
                tenant.tenant(), new ClientId(clientId), userName, connection.remoteAddress(), packet.protocolLevel());
        if (tenant.refusal() != null) {
            refusals.login(client, tenant.refusal());
            return;
        }
        TopicRules rules = services.session().topicRules();
        if (packet.will() != null
                && !services.session()
                        .policies()
                        .of(client.tenant())
                        .allows(packet.will().topic())) {
            connection.refuse(ReasonCode.TOPIC_NAME_INVALID, "the topic of the will is over the limit");
            return;
        }
        boolean isExchange = packet.authenticationMethod() != null;
        if (isExchange) {
            connection.pauseReading(Connection.Pause.CONNECTING); // the exchange resumes reading by itself
        }
        Admission asked = new Admission(
                connection,
                services.session().authorizer(),
                packet,
                client,
                certificateName != null,
                user -> services.tenantNaming().of(connection, user),
                (admitted, topic) -> topicsOf(admitted)
                        .map(topics -> rules.subject(topics.published(topic)))
                        .orElse(topic),
                admitted -> findTerms(packet, admitted));
        admission = asked;
        services.session().reports().metrics().connects().authenticated(client.userName() == null && !isExchange);
        asked.begin();
        // not earlier: usually the session is open by now, and pausing and resuming each cost a system call
        if (!isExchange && !claim.hasSession() && !claim.isGone()) {
            connection.pauseReading(Connection.Pause.CONNECTING);
        }
    }

    private Optional<ClientTopics> topicsOf(ClientInfo client) {
        return ClientTopics.of(services.session().topicRules(), client, connection.mountPoint());
    }

    /** The tenant's settings must be known first: an unknown limit must not let the client through. */
    private void findTerms(Connect packet, ClientInfo client) {
        CompletableFuture<TenantAnswer> known =
                services.session().policies().tenants().known(client.tenant());
        OnEventLoop.whenComplete(connection, known, (answer, failure) -> {
            if (claim.isGone()) {
                return;
            }
            if (failure != null) {
                connection.refuse(ReasonCode.SERVER_UNAVAILABLE, "the settings of the tenant are not known");
            } else {
                switch (answer) {
                    case KNOWN -> admitted(packet, client);
                    case NO_TENANT -> refusals.login(client, "its tenant is not known");
                    case TOO_MANY -> connection.refuse(ReasonCode.QUOTA_EXCEEDED, "there are too many tenants");
                }
            }
        });
    }

    private void admitted(Connect packet, ClientInfo client) {
        if (services.bans().isBanned(client, connection.mountPoint())) {
            connection.refuse(ReasonCode.BANNED, null);
            return;
        }
        TenantPolicy policy = services.session().policies().of(client.tenant());
        ConnectLimits.Violation violation = ConnectLimits.violation(policy, packet, client);
        if (violation != null) {
            connection.refuse(violation.code(), violation.detail());
            return;
        }
        ClientTopics topics = topicsOf(client).orElse(null);
        if (topics == null) {
            connection.refuse(ReasonCode.NOT_AUTHORIZED, "no mount point for this client");
            return;
        }
        ReasonCode refusal = packet.will() == null
                ? null
                : topics.refusal(services.session().topicRules(), packet.will().topic());
        if (refusal != null) {
            connection.refuse(refusal, "nobody may publish to the topic of the will");
            return;
        }
        Object grant = admission == null ? null : admission.grant();
        SessionOpening opening = new SessionOpening(
                connection,
                services,
                refusals,
                claim,
                new AdmittedClient(packet, client, topics, grant),
                (opened, isPresent, expirySeconds, subscribed) ->
                        open(packet, opened, isPresent, expirySeconds, subscribed));
        ClientPlacing placing = services.placing();
        if (placing == null) {
            opening.begin();
            return;
        }
        CompletableFuture<Placement> placed =
                placing.place(new ConnectingClient(client, packet.cleanStart(), packet.userProperties()));
        OnEventLoop.whenComplete(connection, placed, (placement, failure) -> {
            if (claim.isGone()) {
                return;
            }
            if (placement instanceof Placement.UseAnother another) {
                redirect(client, another.serverReference(), ReasonCode.USE_ANOTHER_SERVER);
            } else if (placement instanceof Placement.Moved moved) {
                redirect(client, moved.serverReference(), ReasonCode.SERVER_MOVED);
            } else {
                opening.begin();
            }
        });
    }

    private void redirect(ClientInfo client, String serverReference, ReasonCode code) {
        services.session().reports().redirected(client, serverReference, code == ReasonCode.SERVER_MOVED);
        connection.redirect(code, serverReference);
    }

    /** @param subscribed subscriptions of the resumed session */
    private void open(
            Connect packet,
            Session opened,
            boolean isPresent,
            long expirySeconds,
            List<StoredSubscription> subscribed) {
        claim.opened(opened);
        leavePending();
        connection.setHandler(opened);
        int keepAlive = opened.agreed().keepAliveSeconds(packet.keepAliveSeconds(), ConnectLimits.isV5(packet));
        if (keepAlive != packet.keepAliveSeconds()) {
            connection.setUp(packet, keepAlive);
        }
        connection.send(ConnectAnswer.success(packet, opened, isPresent, expirySeconds, admission));
        connection.accepted();
        services.session().reports().connected(opened.client(), isPresent);
        if (expirySeconds > 0 && !isPresent) {
            services.session().reports().sessionCreated(opened.client());
        }
        connect = null; // so that nothing keeps the password in memory
        admission = null;
        if (claim.isUnwanted()) { // before any message is sent that would have to be sent again
            opened.takenOver();
        } else {
            opened.enlist();
            opened.retune(); // catches changes made before enlist()
            opened.start();
            opened.subscribeUnasked(services.session().topicRules().autoSubscriptions(opened.client()), subscribed);
            // catches a ban made after the check in admitted()
            if (services.bans().isBannedByOperator(opened.client())) {
                opened.end(ReasonCode.ADMINISTRATIVE_ACTION);
            }
        }
        if (connection.isOpen()) {
            opened.onReadComplete();
        }
        connection.resumeReading(Connection.Pause.CONNECTING);
    }

    private void leavePending() {
        if (pendingBytes > 0) {
            services.pending().leave(pendingBytes);
            pendingBytes = 0;
        }
    }

    @Override
    public void onClosed(DisconnectCause cause, String reason) {
        claim.closed();
        leavePending();
        if (admission != null) {
            admission.end();
        }
    }
}
