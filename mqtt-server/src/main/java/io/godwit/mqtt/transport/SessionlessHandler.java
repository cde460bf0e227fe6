package io.godwit.mqtt.transport;

/**
 * A handler of what comes before a session: it writes nothing that could wait, the connection keeps its time-out, and a
 * shut-down cuts it.
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
    public void onClosed(String reason) {}
}
