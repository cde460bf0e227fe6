package io.godwit.it.conformance;

import io.godwit.it.wire.WebSocketStream;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What MQTT travels over, each to its own listener of the {@link SharedBroker}, but for {@link #NODES}. */
enum Transport {
    TCP,
    TLS,
    WS,
    WSS,
    /** TCP to the nodes of the {@link SharedCluster}: {@link NodeChoice} says which connection goes to which. */
    NODES;

    /** Those that the tests of this run go over. */
    static List<Transport> ofThisRun(boolean isTimed) {
        String names = isTimed
                ? System.getProperty("conformance.timed.transports", "tcp")
                : System.getProperty("conformance.transports", "tcp,wss");
        return Arrays.stream(names.split(",", -1))
                .map(name -> valueOf(name.strip().toUpperCase(Locale.ROOT)))
                .toList();
    }

    boolean isTls() {
        return this == TLS || this == WSS;
    }

    boolean isWebSocket() {
        return this == WS || this == WSS;
    }

    /**
     * An open connection.
     *
     * @param socket closes all of it
     */
    record Opened(Socket socket, DataInputStream in, OutputStream out) {}

    Opened open(InetSocketAddress address, int patienceMillis) throws IOException {
        Socket socket = isTls()
                ? SharedBroker.TLS_SOCKETS.createSocket(address.getAddress(), address.getPort())
                : new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(patienceMillis);
        if (isWebSocket()) {
            WebSocketStream stream = new WebSocketStream(socket, "/mqtt");
            return new Opened(socket, new DataInputStream(stream.input()), stream.output());
        }
        return new Opened(
                socket,
                new DataInputStream(new BufferedInputStream(socket.getInputStream())),
                socket.getOutputStream());
    }
}
