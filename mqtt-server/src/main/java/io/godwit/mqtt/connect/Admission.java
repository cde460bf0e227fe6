package io.godwit.mqtt.connect;

import io.godwit.mqtt.auth.Authentication;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.tenant.TenantNaming;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the client of a CONNECT is let in: {@link #begin} authenticates it, by password or by an exchange of
 * AUTH packets; {@link #checkWill} asks whether its will is allowed. Refuses the connection itself. Confined to the
 * connection's loop.
 */
final class Admission {
    private final Connection connection;
    private final Authorizer authorizer;
    private final Connect connect;
    private final ClientInfo claimed;
    private final boolean isUserProven;
    private final TenantOfUser tenantOfUser;
    private final BrokerTopics brokerTopics;
    private final Consumer<ClientInfo> onAdmitted;

    /** Finds the tenant of a client of this connection. */
    interface TenantOfUser {
        /** @param userName null for none */
        TenantNaming.Answer find(@Nullable String userName);
    }

    /** Maps topics of a client to topics within the broker. */
    interface BrokerTopics {
        String of(ClientInfo client, String topic);
    }

    /** Set while an exchange of AUTH packets runs. */
    private @Nullable Authentication exchange;

    /** Authentication Data for the CONNACK. */
    private byte[] authenticationData = {};

    private @Nullable Object grant;

    /**
     * @param claimed the client as it names itself
     * @param isUserProven whether its certificate has proven the user name
     * @param tenantOfUser finds the tenant again when authentication yields another user name
     * @param onAdmitted gets the authenticated client, on the loop, while the connection is open
     */
    Admission(
            Connection connection,
            Authorizer authorizer,
            Connect connect,
            ClientInfo claimed,
            boolean isUserProven,
            TenantOfUser tenantOfUser,
            BrokerTopics brokerTopics,
            Consumer<ClientInfo> onAdmitted) {
        this.connection = connection;
        this.authorizer = authorizer;
        this.connect = connect;
        this.claimed = claimed;
        this.isUserProven = isUserProven;
        this.tenantOfUser = tenantOfUser;
        this.brokerTopics = brokerTopics;
        this.onAdmitted = onAdmitted;
    }

    void begin() {
        String method = connect.authenticationMethod();
        if (method != null) {
            beginExchange(method);
        } else if (authorizer.asks(AuthCheck.CONNECT)) {
            OnEventLoop.whenComplete(
                    connection, authorizer.connect(request()), (result, failure) -> authenticated(result));
        } else {
            checkWill(claimed);
        }
    }

    @SuppressWarnings(
            "NullAway") // the Java 17 compiler does not see "byte @Nullable []" in another module's class file
    private ConnectRequest request() {
        return new ConnectRequest(
                claimed, isUserProven, connect.password(), connect.userProperties(), connection.certificate());
    }

    private void beginExchange(String method) {
        AuthExchange begun = authorizer.exchange(new ExchangeRequest(method, claimed, connect.userProperties(), false));
        if (begun == null) { // [MQTT5-4.12.0-1]
            connection.loginFailed();
            connection.refuse(ReasonCode.BAD_AUTHENTICATION_METHOD, null);
            return;
        }
        exchange = new Authentication(connection, authorizer, claimed, method, begun, new Outcome());
        exchange.begin(connect.authenticationData());
    }

    /** Handles packets before CONNACK from a client that named a method: it may only authenticate [MQTT5-3.1.2-30]. */
    void onPacket(Packet packet) {
        if (packet instanceof Auth auth && exchange != null) {
            connection.pauseReading(Connection.Pause.CONNECTING);
            exchange.onAuth(auth);
        } else if (packet instanceof Disconnect) {
            connection.closedByPeer("client disconnected");
        } else {
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR,
                    packet.getClass().getSimpleName() + " before the authentication is complete");
        }
    }

    private void authenticated(ConnectResult result) {
        if (result instanceof ConnectResult.Refused refused) {
            refused(refused);
        } else if (result instanceof ConnectResult.Accepted accepted && connection.isOpen()) {
            TenantNaming.Answer tenant = tenantOf(accepted);
            String refusal = tenant.refusal();
            if (refusal != null) {
                refused(new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, refusal));
                return;
            }
            authenticationData = accepted.data();
            grant = accepted.grant();
            connection.endAfter(accepted.validFor()); // from here on: opening the session takes time too
            checkWill(new ClientInfo(
                    tenant.tenant(),
                    claimed.clientId(),
                    accepted.userName(),
                    claimed.remoteAddress(),
                    claimed.protocolLevel()));
        }
    }

    private void refused(ConnectResult.Refused refused) {
        // even when the client has gone: a client that guesses passwords and disconnects must still be reported
        ReasonCode code = authorizer.connectDenied(claimed, refused);
        if (refused.reason().isClientsFault()) {
            connection.loginFailed();
        }
        connection.refuse(code, null);
    }

    /**
     * The tenant given by the provider. But if the provider only repeated the tenant of the request, which may come
     * from the user name of the CONNECT, and found another user name, the tenant is determined again from that name.
     */
    private TenantNaming.Answer tenantOf(ConnectResult.Accepted accepted) {
        boolean isTakenOver = !accepted.namesTenant() && accepted.tenant().equals(claimed.tenant());
        return isTakenOver && !Objects.equals(accepted.userName(), claimed.userName())
                ? tenantOfUser.find(accepted.userName())
                : new TenantNaming.Answer(accepted.tenant(), null);
    }

    private void checkWill(ClientInfo client) {
        WillPacket will = connect.will();
        if (will == null || !authorizer.asks(AuthCheck.PUBLISH)) {
            onAdmitted.accept(client);
            return;
        }
        PublishRequest request = new PublishRequest(
                client, brokerTopics.of(client, will.topic()), will.qos(), will.retain(), true, grant);
        OnEventLoop.whenComplete(connection, authorizer.publish(request), (decision, failure) -> {
            if (decision instanceof AuthDecision.Denied denied) {
                authorizer.publishDenied(client, will.topic(), true, denied);
                connection.refuse(ReasonCode.NOT_AUTHORIZED, null);
            } else if (connection.isOpen()) {
                onAdmitted.accept(client);
            }
        });
    }

    /** The provider's grant to the admitted client; null for none. */
    @Nullable
    Object grant() {
        return grant;
    }

    /** Adds the authentication fields to a CONNACK of success. */
    void complete(ConnAck.Builder answer) {
        if (connect.authenticationMethod() != null) { // [MQTT5-4.12.0-5]
            answer.authentication(connect.authenticationMethod(), Authentication.dataOrNone(authenticationData));
        }
    }

    /** Ends the exchange when the connection is gone. */
    void end() {
        if (exchange != null) {
            exchange.end();
            exchange = null;
            authorizer.connectDenied(claimed, Authentication.ABANDONED);
            connection.loginFailed();
        }
    }

    /** Receives the result of the exchange of AUTH packets. */
    private final class Outcome implements Authentication.Outcome {
        @Override
        public void challenged() {
            connection.resumeReading(Connection.Pause.CONNECTING);
        }

        @Override
        public void accepted(ConnectResult.Accepted accepted) {
            exchange = null;
            authenticated(accepted);
        }

        @Override
        public void refused(ConnectResult.Refused refused) {
            exchange = null;
            authenticated(refused);
        }
    }
}
