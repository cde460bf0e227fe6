package io.godwit.it.fake;

import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A port of a fake broker, or of a node of a fake cluster. It can be closed and opened again. */
final class FakeListener {
    private final InetSocketAddress address = Ports.free();
    private final FakeServer server;
    private final int node;
    private final long latencyNanos;

    /** Guarded by the server's lock. Null while the port is closed. */
    private @Nullable ServerSocket socket;

    /** @param latencyNanos see {@link FakeConnection} */
    FakeListener(FakeServer server, int node, long latencyNanos) throws IOException {
        this.server = server;
        this.node = node;
        this.latencyNanos = latencyNanos;
    }

    InetSocketAddress address() {
        return address;
    }

    boolean isOpen() {
        synchronized (server) {
            return socket != null;
        }
    }

    void open() throws IOException {
        synchronized (server) {
            ServerSocket listening = bound();
            socket = listening;
            Thread acceptor = new Thread(() -> accept(listening), "fake-accept");
            acceptor.setDaemon(true);
            acceptor.start();
        }
    }

    /** Existing connections stay open. */
    void close() throws IOException {
        synchronized (server) {
            ServerSocket listening = socket;
            socket = null;
            if (listening != null) {
                listening.close();
            }
        }
    }

    private ServerSocket bound() throws IOException {
        ServerSocket listening = new ServerSocket();
        Await looks = Await.atMost(Duration.ofSeconds(10));
        while (true) {
            try {
                listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()));
                return listening;
            } catch (BindException e) {
                // the old socket is closed only when the thread that accepts has left it
                if (!looks.again()) {
                    throw e;
                }
            }
        }
    }

    private void accept(ServerSocket listening) {
        try {
            while (true) {
                FakeConnection connection = new FakeConnection(server, node, listening.accept(), latencyNanos);
                synchronized (server) {
                    if (socket != listening) {
                        connection.close();
                        return;
                    }
                    server.connections.add(connection);
                }
                connection.start();
            }
        } catch (IOException e) {
            // the port is closed
        }
    }
}
