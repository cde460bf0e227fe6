package io.godwit.mqtt.session;

import io.godwit.mqtt.auth.Authentication;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.DisconnectCause;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The re-authentications of a connected client (MQTT 5.0, 4.12.1), one at a time; until one ends the earlier
 * authentication holds. Exists from the first AUTH on. Confined to the loop of its session.
 */
final class Reauthentication implements Authentication.Outcome {
    private final SessionCore session;
    private final SessionServices services;
    private final Connection connection;

    /** Set while the client re-authenticates. */
    private @Nullable Authentication running;

    Reauthentication(SessionCore session) {
        this.session = session;
        this.services = session.services;
        this.connection = session.connection;
    }

    void onAuth(Auth auth) {
        String method = session.terms.authenticationMethod();
        if (method == null || !method.equals(auth.authenticationMethod())) { // [MQTT5-4.12.0-7], [MQTT5-4.12.1-1]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "AUTH with another authentication method than CONNECT had");
        }
        Authentication begun = running;
        if (begun != null) {
            begun.onAuth(auth);
        } else if (auth.reasonCode() == ReasonCode.RE_AUTHENTICATE) {
            begin(method, auth);
        } else {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "AUTH that was not asked for");
        }
    }

    private void begin(String method, Auth auth) {
        AuthExchange exchange = services.authorizer.exchange(
                new ExchangeRequest(method, session.client(), auth.userProperties(), true));
        if (exchange == null) {
            connection.disconnect(ReasonCode.BAD_AUTHENTICATION_METHOD, DisconnectCause.REAUTHENTICATION_FAILED, null);
            return;
        }
        Authentication begun =
                new Authentication(connection, services.authorizer, session.client(), method, exchange, this);
        running = begun;
        begun.begin(auth.authenticationData());
    }

    @Override
    public void challenged() {
        // other packets are handled meanwhile
    }

    @Override
    public void accepted(ConnectResult.Accepted accepted) {
        Authentication done = running;
        running = null;
        boolean isSame = accepted.tenant().equals(session.client().tenant())
                && Objects.equals(accepted.userName(), session.client().userName());
        if (!isSame) {
            deny(new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "authenticated again as another user"));
        } else if (done != null) {
            session.renewGrant(accepted.grant());
            connection.endAfter(accepted.validFor());
            connection.send(done.auth(ReasonCode.SUCCESS, accepted.data()));
        }
    }

    @Override
    public void refused(ConnectResult.Refused refused) {
        running = null;
        deny(refused);
    }

    private void deny(ConnectResult.Refused refused) { // [MQTT5-4.12.1-2]
        if (refused.reason().isClientsFault()) {
            connection.loginFailed();
        }
        ReasonCode code = services.authorizer.reauthenticationDenied(session.client(), refused);
        connection.disconnect(code, DisconnectCause.REAUTHENTICATION_FAILED, null);
    }

    /** The connection is over: ends the re-authentication under way. */
    void close() {
        if (running != null) {
            running.end();
            running = null;
            services.authorizer.reauthenticationDenied(session.client(), Authentication.ABANDONED);
            connection.loginFailed();
        }
    }
}
