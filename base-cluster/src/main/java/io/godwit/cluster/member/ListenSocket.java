package io.godwit.cluster.member;

import io.godwit.cluster.thread.DaemonThreads;
import io.godwit.cluster.trust.ClusterTls;
import io.godwit.cluster.trust.LocalPeers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening socket of the membership. JGroups accepts connections and talks to each new one on one thread, so a
 * slow peer delays all others. With TLS, this class does the handshake first, in a bounded number of threads and within
 * a time limit: JGroups only sees connections whose peer has proved to be a node.
 */
final class ListenSocket extends ServerSocket {
    private static final Logger LOG = LoggerFactory.getLogger(ListenSocket.class);
    private static final int HANDSHAKE_MILLIS = 3_000;
    private static final int MAX_HANDSHAKES = 32;
    private static final int MAX_ADMITTED = 64;
    private static final long POLL_MILLIS = 500;

    private final InetAddress bindAddress;
    private final @Nullable SSLContext tls;
    private final @Nullable LocalPeers peers;
    private final BlockingQueue<Socket> admitted = new ArrayBlockingQueue<>(MAX_ADMITTED);
    private final ThreadPoolExecutor handshakes = new ThreadPoolExecutor(
            0, MAX_HANDSHAKES, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), DaemonThreads.named("cluster-handshake"));

    private final Consumer<Socket> onAccepted;

    /**
     * @param tls null accepts unencrypted connections
     * @param peers decides which unencrypted connections are accepted; null accepts all
     * @param onAccepted called with every accepted connection
     */
    ListenSocket(
            InetAddress bindAddress, @Nullable SSLContext tls, @Nullable LocalPeers peers, Consumer<Socket> onAccepted)
            throws IOException {
        this.bindAddress = bindAddress;
        this.tls = tls;
        this.peers = peers;
        this.onAccepted = onAccepted;
    }

    /**
     * Binds the port of {@code endpoint} at the bind address. The address of {@code endpoint} is the announced one,
     * which need not be one of this machine.
     */
    @Override
    public void bind(SocketAddress endpoint) throws IOException {
        int port = ((InetSocketAddress) endpoint).getPort();
        super.bind(new InetSocketAddress(bindAddress, port));
        if (tls != null) {
            SSLContext context = tls;
            Thread thread = new Thread(() -> acceptAll(context), "cluster-accept-" + port);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public Socket accept() throws IOException {
        if (tls == null) {
            Socket accepted = super.accept();
            while (peers != null
                    && !peers.isAdmitted(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress())) {
                closeQuietly(accepted);
                accepted = super.accept();
            }
            onAccepted.accept(accepted);
            return accepted;
        }
        try {
            while (!isClosed()) {
                Socket next = admitted.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    onAccepted.accept(next);
                    return next;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new SocketException("closed");
    }

    private void acceptAll(SSLContext context) {
        while (!isClosed()) {
            Socket comer;
            try {
                comer = super.accept();
            } catch (IOException e) {
                if (!isClosed()) {
                    LOG.warn("membership cannot accept a connection cause={}", e.toString());
                    pause(); // probably out of file descriptors
                }
                continue;
            }
            try {
                handshakes.execute(() -> admit(context, comer));
            } catch (RejectedExecutionException e) {
                closeQuietly(comer); // too many handshakes; the node connects again
            }
        }
        handshakes.shutdownNow();
    }

    private void admit(SSLContext context, Socket comer) {
        try {
            comer.setSoTimeout(HANDSHAKE_MILLIS);
            SSLSocket secured = (SSLSocket) context.getSocketFactory().createSocket(comer, null, true);
            secured.setUseClientMode(false);
            secured.setEnabledProtocols(ClusterTls.protocols());
            secured.setNeedClientAuth(true);
            secured.startHandshake();
            secured.setSoTimeout(0);
            if (isClosed() || !admitted.offer(secured)) {
                closeQuietly(secured);
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug(
                    "connection to the membership refused remote={} cause={}",
                    comer.getRemoteSocketAddress(),
                    e.toString());
            closeQuietly(comer);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        super.close();
        handshakes.shutdownNow();
        for (Socket left = admitted.poll(); left != null; left = admitted.poll()) {
            closeQuietly(left);
        }
    }

    static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("not closed cleanly socket={} cause={}", socket, e.toString());
        }
    }
}
