package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;

/**
 * The peer broke the protocol. The reason code is that of the CONNACK or DISCONNECT of MQTT 5.0; the detail gives the
 * seen and the expected value, without payload or password. Has no stack trace: a peer can cause it at will.
 */
public final class ProtocolException extends RuntimeException {
    private final ReasonCode reasonCode;

    public ProtocolException(ReasonCode reasonCode, String detail) {
        super(detail, null, false, false);
        this.reasonCode = reasonCode;
    }

    public ReasonCode reasonCode() {
        return reasonCode;
    }
}
