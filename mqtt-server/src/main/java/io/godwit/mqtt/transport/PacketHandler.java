package io.godwit.mqtt.transport;

import io.godwit.mqtt.packet.Packet;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind a connection: first the CONNECT handling, then the session. All calls come on the connection's
 * event loop.
 */
public interface PacketHandler {
    /**
     * The next packet. May throw {@link io.godwit.mqtt.packet.ProtocolException}: the connection answers it and closes.
     */
    void onPacket(Packet packet);

    /** Whose connection it is, once CONNECT has been accepted. */
    default @Nullable ClientInfo client() {
        return null;
    }

    /** Everything that had arrived has been handed over; a good moment to act on it in one go. */
    void onReadComplete();

    /** {@link Connection#isWritable} has become true again. */
    void onWritable();

    /**
     * A second has passed. Called each second after {@link Connection#accepted}, {@link Connection#needTicks} or when
     * {@link Connection#isWritable} has become false, as long as it is wanted.
     *
     * @return whether it is wanted in the next second as well
     */
    boolean onTick();

    /** The server drains: finish what is begun, then close. */
    void onShutdown();

    /**
     * The connection is over; called exactly once, nothing follows.
     *
     * @param reason for events and logs
     */
    void onClosed(String reason);
}
