package io.godwit.mqtt.packet;

/** A client shows that it is alive and asks whether the server is. */
public record PingReq() implements Packet {
    public static final PingReq INSTANCE = new PingReq();
}
