package io.godwit.mqtt.packet;

/** A client shows that it lives and asks whether the server does. */
public record PingReq() implements Packet {
    public static final PingReq INSTANCE = new PingReq();
}
