package io.godwit.cluster.member;

import io.godwit.cluster.trust.ClusterTls;
import io.godwit.cluster.trust.LocalPeers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.jspecify.annotations.Nullable;

/** Creates the sockets of the membership and tracks them. */
final class MemberSockets extends DefaultSocketFactory {
    /** Bounds the handshake with a stopped process: its kernel accepts the connection, but it never answers. */
    private static final int HANDSHAKE_MILLIS = 3_000;

    private final InetAddress bindAddress;
    private final @Nullable SSLContext tls;
    /**
     * Accepted and dialed connections, kept so that {@link #cut} can close them. JGroups makes them on several threads.
     */
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private volatile boolean isCut;
    private volatile @Nullable ListenSocket listening;

    /** @param tls null for unencrypted sockets */
    MemberSockets(InetAddress bindAddress, @Nullable SSLContext tls) {
        this.bindAddress = bindAddress;
        this.tls = tls;
    }

    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        ListenSocket made = new ListenSocket(bindAddress, tls, LocalPeers.of(bindAddress, tls != null), this::opened);
        listening = made;
        return made;
    }

    @Override
    public Socket createSocket(String service) throws IOException {
        if (isCut) {
            throw new SocketException("cut off");
        }
        Socket made = tls == null ? new Socket() : secured(tls);
        opened(made);
        return made;
    }

    private void opened(Socket socket) {
        open.removeIf(Socket::isClosed);
        open.add(socket);
        if (isCut) { // it was being accepted during the cut
            ListenSocket.closeQuietly(socket);
        }
    }

    private static Socket secured(SSLContext context) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
        socket.setEnabledProtocols(ClusterTls.protocols());
        socket.setSoTimeout(HANDSHAKE_MILLIS);
        socket.addHandshakeCompletedListener(done -> unlimited(done.getSocket()));
        return socket;
    }

    private static void unlimited(Socket socket) {
        try {
            socket.setSoTimeout(0);
        } catch (SocketException e) {
            ListenSocket.closeQuietly(socket); // probably closed already
        }
    }

    /** Breaks all connections and refuses new ones, as if the process had been killed. For tests. */
    void cut() throws IOException {
        isCut = true;
        ListenSocket socket = listening;
        if (socket != null) {
            socket.close();
        }
        open.forEach(ListenSocket::closeQuietly);
    }
}
