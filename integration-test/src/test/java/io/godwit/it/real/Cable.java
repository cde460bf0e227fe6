package io.godwit.it.real;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Stands between clients and the broker, and can be cut: neither side has said goodbye then. Thread-safe. */
final class Cable implements AutoCloseable {
    private final InetSocketAddress broker;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>();

    Cable(InetSocketAddress broker) throws IOException {
        this.broker = broker;
        start(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    /** Resets all connections. New ones may be made. */
    synchronized void cut() {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException e) {
                // gone before
            }
        }
        sockets.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket upstream = new Socket();
                upstream.connect(broker);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                synchronized (this) {
                    sockets.add(client);
                    sockets.add(upstream);
                }
                start(() -> copy(client, upstream));
                start(() -> copy(upstream, client));
            }
        } catch (IOException e) {
            // closed, or the broker is not there
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            int count;
            while ((count = in.read(buffer)) >= 0) {
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // cut, or closed by either side
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "cable");
        thread.setDaemon(true);
        thread.start();
    }
}
