package io.godwit.it.kv.fault;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.godwit.testing.Pace;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links for machines without network namespaces: each node has an address of 127.0.0.0/8, and a proxy of its own in
 * this process that all its connections to other nodes must pass (SOCKS 5 for {@code java.net.Socket}, HTTP CONNECT for
 * gRPC; see {@code ThroughProxy}). So the proxy knows both ends of every connection. What is sent over a link that is
 * cut is kept until it is healed, as TCP would send it again; a connection is only made when both ways are whole.
 * Links are also made slow and late here, and connections ended.
 */
public final class ProxyLinks implements Links {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyLinks.class);
    private static final long TURN_NANOS = 5_000_000;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int SOCKS5 = 5;

    private record Way(int from, int to) {}

    /** A connection between two nodes, in two parts. */
    private record Pair(Way way, Socket client, Socket server) {}

    private final String network;
    private final List<ServerSocket> proxies = new ArrayList<>();
    private final Set<Way> cuts = ConcurrentHashMap.newKeySet();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private final List<Lag> lags = new ArrayList<>();
    private volatile boolean isClosed;

    public ProxyLinks(int nodes) throws IOException {
        Random random = new Random();
        network = "127." + (1 + random.nextInt(200)) + '.' + random.nextInt(256) + '.';
        for (int node = 0; node < nodes; node++) {
            int source = node;
            ServerSocket proxy = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
            proxies.add(proxy);
            lags.add(new Lag());
            daemon(() -> accept(source, proxy));
        }
    }

    @Override
    public String describe() {
        return "addresses " + network + "* and proxies in the test";
    }

    @Override
    public String address(int node) {
        return network + (node + 1);
    }

    @Override
    public List<String> prefix(int node) {
        return List.of();
    }

    @Override
    public int proxyPort(int node) {
        return proxies.get(node).getLocalPort();
    }

    @Override
    public void cut(int from, int to) {
        cuts.add(new Way(from, to));
    }

    @Override
    public void heal(int from, int to) {
        cuts.remove(new Way(from, to));
    }

    @Override
    public void slow(int node, long bytesPerSecond) {
        lags.get(node).slow(bytesPerSecond);
    }

    @Override
    public void delay(int node, int mostMillis) {
        lags.get(node).delay(mostMillis);
    }

    @Override
    public void hasten(int node) {
        lags.get(node).end();
    }

    @Override
    public void reset(int node, int other) {
        Way there = new Way(node, other);
        Way back = new Way(other, node);
        for (Pair pair : pairs) {
            if (pair.way.equals(there) || pair.way.equals(back)) {
                // prepare both first: when one is closed, the thread that reads from it closes the other
                resetWhenClosed(pair.client);
                resetWhenClosed(pair.server);
                close(pair.client);
                close(pair.server);
            }
        }
    }

    private void accept(int source, ServerSocket proxy) {
        while (!isClosed) {
            try {
                Socket client = proxy.accept();
                open.add(client);
                daemon(() -> serve(source, client));
            } catch (IOException e) {
                LOG.debug("no connection taken", e);
            }
        }
    }

    private void serve(int source, Socket client) {
        Socket server = new Socket();
        open.add(server);
        try {
            client.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(client.getInputStream());
            int first = in.readUnsignedByte();
            InetSocketAddress target = first == SOCKS5 ? socksTarget(in, client) : httpTarget(first, in);
            int destination = nodeAt(target, source);
            while (isCut(source, destination) || isCut(destination, source)) {
                Pace.passNanos(TURN_NANOS);
                if (isClosed) {
                    return;
                }
            }
            boolean connected = connect(server, target);
            client.getOutputStream().write(first == SOCKS5 ? socksReply(connected) : httpReply(connected));
            if (!connected) {
                close(client);
                return;
            }
            Pair pair = new Pair(new Way(source, destination), client, server);
            pairs.add(pair);
            daemon(() -> carry(server, client, destination, source));
            carry(client, server, source, destination);
            pairs.remove(pair);
        } catch (IOException e) {
            LOG.debug("connection of node {} lost", source, e);
            close(client);
            close(server);
        }
    }

    private static boolean connect(Socket server, InetSocketAddress target) {
        try {
            server.connect(target, CONNECT_MILLIS);
            server.setTcpNoDelay(true);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void carry(Socket from, Socket to, int source, int destination) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            while ((length = in.read(buffer)) >= 0) {
                if (source != destination) {
                    lags.get(source).await(true, length);
                    lags.get(destination).await(false, length);
                }
                awaitWhole(source, destination);
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            LOG.debug("connection from node {} to {} lost", source, destination, e);
        }
        awaitWhole(source, destination); // an end of the connection is a message, too
        close(from);
        close(to);
    }

    private void awaitWhole(int source, int destination) {
        while (isCut(source, destination) && !isClosed) {
            Pace.passNanos(TURN_NANOS);
        }
    }

    private boolean isCut(int from, int to) {
        return cuts.contains(new Way(from, to));
    }

    /** What is no node is a program beside this one. */
    private int nodeAt(InetSocketAddress target, int self) {
        String address = target.getAddress().getHostAddress();
        if (!address.startsWith(network)) {
            return self;
        }
        return Integer.parseInt(address.substring(network.length())) - 1;
    }

    private static InetSocketAddress socksTarget(DataInputStream in, Socket client) throws IOException {
        in.readFully(new byte[in.readUnsignedByte()]); // ways to say who one is
        client.getOutputStream().write(new byte[] {SOCKS5, 0}); // none is needed
        in.readFully(new byte[3]); // version, CONNECT, reserved
        int kind = in.readUnsignedByte();
        byte[] address = new byte[kind == 1 ? 4 : kind == 4 ? 16 : in.readUnsignedByte()];
        in.readFully(address);
        int port = in.readUnsignedShort();
        boolean isName = kind == 3;
        return new InetSocketAddress(
                isName ? InetAddress.getByName(new String(address, ISO_8859_1)) : InetAddress.getByAddress(address),
                port);
    }

    private static byte[] socksReply(boolean connected) {
        return new byte[] {SOCKS5, (byte) (connected ? 0 : 5), 0, 1, 0, 0, 0, 0, 0, 0};
    }

    /** {@code CONNECT host:port HTTP/1.1}, and headers up to an empty line. */
    private static InetSocketAddress httpTarget(int first, DataInputStream in) throws IOException {
        StringBuilder head = new StringBuilder().append((char) first);
        while (head.length() < 8_192 && head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        String[] words = head.substring(0, head.indexOf("\r\n")).split(" ", -1);
        int colon = words.length < 3 ? -1 : words[1].lastIndexOf(':');
        if (colon < 0 || !words[0].equals("CONNECT")) {
            throw new IOException("not asked to connect: " + head);
        }
        return new InetSocketAddress(
                InetAddress.getByName(words[1].substring(0, colon)), Integer.parseInt(words[1].substring(colon + 1)));
    }

    private static byte[] httpReply(boolean connected) {
        return ("HTTP/1.1 " + (connected ? "200 OK" : "502 Bad Gateway") + "\r\n\r\n").getBytes(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        for (ServerSocket proxy : proxies) {
            proxy.close();
        }
        open.forEach(ProxyLinks::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("not closed", e);
        }
    }

    private static void resetWhenClosed(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            LOG.debug("closed already", e);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
