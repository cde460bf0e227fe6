package io.godwit.mqtt.connect;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.throttle.TenantResource;

/**
 * Refuses a connection, for the reasons that several steps have, and reports it where operators must know. Has no
 * state of its own. Confined to the connection's event loop.
 */
final class ConnectRefusals {
    private static final String NOT_OPENED = "the session could not be opened";

    private final Connection connection;
    private final SessionServices services;

    ConnectRefusals(Connection connection, SessionServices services) {
        this.connection = connection;
        this.services = services;
    }

    void otherUser(ClientInfo client) {
        login(client, "the client id has a session of another user");
    }

    void login(ClientInfo client, String why) {
        ConnectResult.Refused refused = new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, why);
        ReasonCode code = services.authorizer().connectDenied(client, refused);
        connection.loginFailed();
        connection.refuse(code, null);
    }

    /** @param most the limit of the exceeded resource */
    void overLimit(ClientInfo client, TenantResource over, long most) {
        services.reports().tenantLimitReached(client, over, most);
        connection.refuse(
                ReasonCode.QUOTA_EXCEEDED,
                switch (over) {
                    case CONNECT_RATE -> "too many clients of the tenant connect at once";
                    case SESSIONS -> "the tenant has reached its limit of sessions";
                    default -> "the tenant has reached its limit of clients";
                });
    }

    /** A store or the directory has failed. */
    void notOpened(ClientInfo client, Throwable failure) {
        ReasonCode code = DistOutcome.ofFailure(failure) == DistOutcome.OVERLOADED
                ? ReasonCode.SERVER_BUSY
                : ReasonCode.SERVER_UNAVAILABLE;
        String why = failure.getMessage();
        connection.refuse(
                code,
                NOT_OPENED,
                NOT_OPENED + ": client id " + client.clientId().value() + " of tenant "
                        + client.tenant().value() + ": " + (why == null ? failure : why));
    }
}
