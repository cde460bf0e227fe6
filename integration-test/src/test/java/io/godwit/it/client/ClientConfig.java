package io.godwit.it.client;

import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Who a {@link TestClient} is.
 *
 * @param version 4 for MQTT 3.1.1, 5 for MQTT 5.0
 * @param persistent whether the session outlives its connections (3.1.1: clean session 0; 5.0: an expiry of a day and
 *     clean start 0)
 * @param receiveMaximum of the client, 5.0 only; 0 to say none
 * @param login null for a client that does not log in
 * @param window how many of its publishes may be unacknowledged at once
 */
public record ClientConfig(
        InetSocketAddress address,
        String clientId,
        int version,
        boolean persistent,
        int receiveMaximum,
        int window,
        Packet.@Nullable Will will,
        Packet.@Nullable Login login,
        AckPolicy acks,
        Tap tap) {

    public static ClientConfig of(InetSocketAddress address, String clientId, int version) {
        return new ClientConfig(address, clientId, version, true, 0, 100, null, null, AckPolicy.AT_ONCE, Tap.NONE);
    }

    public ClientConfig withCleanSession() {
        return new ClientConfig(address, clientId, version, false, receiveMaximum, window, will, login, acks, tap);
    }

    public ClientConfig withReceiveMaximum(int messages) {
        return new ClientConfig(address, clientId, version, persistent, messages, window, will, login, acks, tap);
    }

    public ClientConfig withWindow(int messages) {
        return new ClientConfig(
                address, clientId, version, persistent, receiveMaximum, messages, will, login, acks, tap);
    }

    public ClientConfig withWill(Packet.Will newWill) {
        return new ClientConfig(
                address, clientId, version, persistent, receiveMaximum, window, newWill, login, acks, tap);
    }

    public ClientConfig withLogin(String user, String password) {
        Packet.Login own = new Packet.Login(user, password);
        return new ClientConfig(address, clientId, version, persistent, receiveMaximum, window, will, own, acks, tap);
    }

    public ClientConfig withAcks(AckPolicy policy) {
        return new ClientConfig(
                address, clientId, version, persistent, receiveMaximum, window, will, login, policy, tap);
    }

    public ClientConfig withTap(Tap newTap) {
        return new ClientConfig(
                address, clientId, version, persistent, receiveMaximum, window, will, login, acks, newTap);
    }

    Packet.Connect connect() {
        Properties properties = Properties.NONE;
        if (version == 5 && persistent) {
            properties = properties.with(Properties.SESSION_EXPIRY, 86_400);
        }
        if (version == 5 && receiveMaximum > 0) {
            properties = properties.with(Properties.RECEIVE_MAXIMUM, receiveMaximum);
        }
        return new Packet.Connect(version, clientId, !persistent, 300, properties, will, login);
    }
}
