package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.DisconnectCause;
import io.netty.channel.Channel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a connection: what its client is told, and what is reported and counted, by the cause. Confined to the
 * channel's event loop. Has no state: {@link MqttConnection} knows whether it is open, and closes it.
 */
abstract class ClosingSocket extends AcceptedSocket {
    private static final Logger LOG = LoggerFactory.getLogger(ClosingSocket.class);

    ClosingSocket(Channel channel, ListenerScope scope) {
        super(channel, scope);
    }

    /** Whether the client is logged in and the connection is open. */
    public abstract boolean isAccepted();

    /** Makes a CONNACK possible for a client whose CONNECT could be read in part only. */
    abstract void prepareRefusal();

    @Override
    public void disconnect(ReasonCode code, DisconnectCause cause, @Nullable String detail) {
        if (isOpen()) {
            send(new Disconnect(code, detail));
            close(cause, detail == null ? code.name() : detail);
        }
    }

    /** Refers clients to another server for now, not permanently: this server may come back. */
    @Override
    public void sendAway() {
        String other = loop().otherServer();
        if (other == null) {
            disconnect(ReasonCode.SERVER_SHUTTING_DOWN, DisconnectCause.SHUTDOWN, null);
        } else if (isOpen()) {
            send(new Disconnect(ReasonCode.USE_ANOTHER_SERVER, -1, null, List.of(), other));
            close(DisconnectCause.SHUTDOWN, ReasonCode.USE_ANOTHER_SERVER.name());
        }
    }

    /** Closes at once, after a last packet to the client; requests under way are not answered. */
    public void end() {
        if (isAccepted()) {
            disconnect(ReasonCode.SERVER_SHUTTING_DOWN, DisconnectCause.SHUTDOWN, null);
        } else {
            close("server shutting down");
        }
    }

    @Override
    public void fail(Throwable cause) {
        if (!isOpen()) {
            LOG.debug("error on a closed connection remote={}", remoteAddress(), cause);
        } else if (cause instanceof DecoderException) { // thrown by the layers below MQTT: TLS, PROXY header
            violated(textOf(cause));
        } else if (cause instanceof ProtocolException violation) {
            reportViolation(String.valueOf(violation.getMessage()));
            if (isAccepted()) {
                disconnect(violation.reasonCode(), DisconnectCause.PROTOCOL_VIOLATION, violation.getMessage());
            } else {
                refuse(violation.reasonCode(), violation.getMessage());
            }
        } else if (cause instanceof IOException) {
            LOG.debug("connection lost remote={} cause={}", remoteAddress(), cause.toString());
            closedByPeer("connection lost");
        } else {
            LOG.error("connection failed remote={}", remoteAddress(), cause);
            disconnect(ReasonCode.UNSPECIFIED_ERROR, DisconnectCause.INTERNAL_ERROR, null);
        }
    }

    /** Netty wraps what a layer has thrown, and then the message begins with a class name. */
    private static String textOf(Throwable thrown) {
        Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    /** A protocol below MQTT was violated; its layer has answered if it can. */
    public void violated(String detail) {
        reportViolation(detail);
        close(DisconnectCause.PROTOCOL_VIOLATION, detail);
    }

    private void reportViolation(String detail) {
        scope.reports().protocolViolated(this, detail);
        LOG.debug("protocol violation remote={} detail={}", remoteAddress(), detail);
        countViolation();
    }

    @Override
    public void refuse(ReasonCode code, @Nullable String told, @Nullable String detail) {
        refuse(ConnAck.refused(code, told), detail);
    }

    @Override
    public void redirect(ReasonCode code, String serverReference) {
        refuse(
                ConnAck.builder(false, code).serverReference(serverReference).build(),
                "is told to use " + serverReference);
    }

    private void refuse(ConnAck answer, @Nullable String detail) {
        if (!isOpen()) {
            return;
        }
        ReasonCode code = answer.reasonCode();
        scope.reports().connectRefused(this, code.name(), detail);
        prepareRefusal();
        send(answer);
        close(detail == null ? code.name() : detail);
    }
}
