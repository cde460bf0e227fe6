package io.godwit.it.kv;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * One connection to a node, for one request at a time. After a failure it is of no more use: a late reply would be
 * taken for the next one.
 */
final class NodeClient implements AutoCloseable {
    private static final int CONNECT_MILLIS = 1_000;

    private final Socket socket = new Socket();
    private final BufferedReader in;

    /** @throws IOException if nobody listens there */
    NodeClient(InetSocketAddress address) throws IOException {
        try {
            socket.connect(address, CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a request and waits for its reply.
     *
     * @param deadlineMillis told to the node
     * @param patienceMillis after which the reply is not waited for any more
     * @throws IOException if there is no reply; the request may have arrived
     */
    String ask(String request, long deadlineMillis, int patienceMillis) throws IOException {
        socket.setSoTimeout(patienceMillis);
        socket.getOutputStream().write((deadlineMillis + " " + request + '\n').getBytes(UTF_8));
        String reply = in.readLine();
        if (reply == null) {
            throw new IOException("connection closed");
        }
        return reply;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
