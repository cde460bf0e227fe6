package io.godwit.mqtt.transport.connection;

import io.godwit.mqtt.packet.Packet;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DisconnectCause;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a connection's packets: first the CONNECT handling, then the session. All calls come on the
 * connection's event loop.
 */
public interface PacketHandler {
    /**
     * The next packet. May throw {@link io.godwit.mqtt.packet.ProtocolException}: the connection answers it and closes.
     */
    void onPacket(Packet packet);

    /** The client, once CONNECT has been accepted; else null. */
    default @Nullable ClientInfo client() {
        return null;
    }

    /** All packets of a read have been passed on; work for all of them can be done now. */
    void onReadComplete();

    /** {@link Connection#isWritable} has become true again. */
    void onWritable();

    /**
     * A second has passed. Called each second while wanted, starting after {@link Connection#accepted} or
     * {@link Connection#needTicks}, or when {@link Connection#isWritable} has become false.
     *
     * @return whether the next tick is wanted too
     */
    boolean onTick();

    /** The server drains: finish requests under way, then close. */
    void onShutdown();

    /**
     * The connection is over; called exactly once, as the last call.
     *
     * @param cause for events; without meaning before CONNECT has been accepted
     * @param reason for events and logs
     */
    void onClosed(DisconnectCause cause, String reason);
}
