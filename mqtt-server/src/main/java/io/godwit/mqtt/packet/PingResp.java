package io.godwit.mqtt.packet;

/** The answer to a PINGREQ. */
public record PingResp() implements Packet {
    public static final PingResp INSTANCE = new PingResp();
}
