package io.godwit.mqtt.transport.connection;

import io.godwit.plugin.event.DisconnectCause;

/**
 * A handler for the time before a session: it buffers no output, the connection checks its time-out, and a shutdown
 * cuts it.
 */
public abstract class SessionlessHandler implements PacketHandler {
    protected final Connection connection;

    protected SessionlessHandler(Connection connection) {
        this.connection = connection;
    }

    @Override
    public final void onReadComplete() {}

    @Override
    public final void onWritable() {}

    @Override
    public final boolean onTick() {
        return false;
    }

    @Override
    public final void onShutdown() {
        connection.close("server shutting down");
    }

    @Override
    public void onClosed(DisconnectCause cause, String reason) {}
}
