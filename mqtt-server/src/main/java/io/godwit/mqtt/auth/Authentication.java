package io.godwit.mqtt.auth;

import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of an extended authentication (MQTT 5.0, 4.12), at CONNECT or later: passes the client's AUTH packets to the
 * {@link AuthExchange} and its challenges back. Client and provider alternate; an AUTH out of turn breaks the protocol.
 * Confined to the connection's loop.
 */
public final class Authentication {
    /** More than any mechanism needs; limits how much work a client can cause the provider. */
    private static final int MAX_STEPS = 32;

    private static final byte[] NO_DATA = {};
    /**
     * The result when the client leaves during an exchange: a client that guesses and disconnects must still be
     * reported.
     */
    public static final ConnectResult.Refused ABANDONED = new ConnectResult.Refused(
            RefusalReason.NOT_AUTHORIZED, "the client has gone before its authentication was complete");

    private static final ConnectResult.Refused TOO_LONG =
            new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "not complete after " + MAX_STEPS + " steps");
    private static final ConnectResult.Refused TOO_LARGE = new ConnectResult.Refused(
            RefusalReason.NOT_AUTHORIZED, "the challenge is larger than the packets that the client accepts");

    private final Connection connection;
    private final Authorizer authorizer;
    private final ClientInfo client;
    private final String method;
    private final AuthExchange exchange;
    private final Outcome outcome;
    private int steps;
    private boolean isClientsTurn;
    private boolean isOver;

    public Authentication(
            Connection connection,
            Authorizer authorizer,
            ClientInfo client,
            String method,
            AuthExchange exchange,
            Outcome outcome) {
        this.connection = connection;
        this.authorizer = authorizer;
        this.client = client;
        this.method = method;
        this.exchange = exchange;
        this.outcome = outcome;
    }

    /** Takes the data of the packet that begins the run; {@link Outcome} may be called before this returns. */
    public void begin(byte @Nullable [] data) {
        step(data);
    }

    /** The client's next AUTH. */
    public void onAuth(Auth auth) {
        if (!isClientsTurn || isOver) {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "AUTH that was not asked for");
        }
        if (auth.reasonCode() != ReasonCode.CONTINUE_AUTHENTICATION) { // [MQTT5-4.12.0-3]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "AUTH in an authentication has reason code " + auth.reasonCode());
        }
        if (!method.equals(auth.authenticationMethod())) { // [MQTT5-4.12.0-5]
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "AUTH names another authentication method");
        }
        step(auth.authenticationData());
    }

    private void step(byte @Nullable [] data) {
        isClientsTurn = false;
        if (++steps > MAX_STEPS) {
            end();
            outcome.refused(TOO_LONG);
            return;
        }
        OnEventLoop.whenComplete(
                connection, authorizer.step(exchange, client, data == null ? NO_DATA : data), (step, failure) -> {
                    if (!isOver) {
                        answered(step);
                    }
                });
    }

    private void answered(AuthStep step) {
        if (step instanceof AuthStep.Challenge challenge) {
            isClientsTurn = true;
            boolean isSent = connection.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, challenge.data()));
            if (isSent) {
                outcome.challenged();
            } else {
                end();
                outcome.refused(TOO_LARGE);
            }
            return;
        }
        end();
        if (step instanceof ConnectResult.Accepted accepted) {
            outcome.accepted(accepted);
        } else {
            outcome.refused((ConnectResult.Refused) step);
        }
    }

    /** An AUTH packet of this run [MQTT5-4.12.0-5]. */
    public Auth auth(ReasonCode code, byte[] data) {
        return new Auth(code, method, dataOrNone(data), null, List.of());
    }

    /** Authentication data in the form of a packet: null when empty. */
    public static byte @Nullable [] dataOrNone(byte[] data) {
        return data.length == 0 ? null : data;
    }

    /**
     * Ends the run because the connection is gone or the result is no longer needed: {@link Outcome} is not called
     * after this.
     */
    public void end() {
        if (!isOver) {
            isOver = true;
            authorizer.close(exchange, client);
        }
    }

    /** The results of a run. Called on the loop. */
    public interface Outcome {
        /** An AUTH has been sent; the client must answer next. */
        void challenged();

        /** The run has ended: the client is accepted. */
        void accepted(ConnectResult.Accepted accepted);

        /** The run has ended: the client is refused. */
        void refused(ConnectResult.Refused refused);
    }
}
