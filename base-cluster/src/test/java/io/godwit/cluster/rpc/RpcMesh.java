package io.godwit.cluster.rpc;

import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.thread.RpcThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** RPC between nodes in this process without a membership: the test decides who is a member. Confined to one thread. */
public final class RpcMesh implements AutoCloseable {
    private static final int ATTEMPTS = 200;

    private final Map<String, Node> nodes = new TreeMap<>();
    /** Includes those of killed nodes, which run until the test ends. */
    private final List<RpcThreads> threads = new ArrayList<>();

    private final int maxMessageBytes;
    private long incarnation;
    private Map<String, String> attributes = Map.of();

    public RpcMesh(int maxMessageBytes) {
        this.maxMessageBytes = maxMessageBytes;
    }

    /** A node's server and its channels to the others. */
    public record Node(Member self, RpcServer server, RpcChannels channels) {
        private void close() {
            channels.close();
            server.close();
        }
    }

    /** Nodes that start from now on announce these attributes. */
    public void announcing(Map<String, String> changed) {
        attributes = changed;
    }

    /**
     * Starts a node, or restarts a killed one, at another port.
     *
     * @param services adds services before the first call
     */
    public Node start(String id, Consumer<Node> services) throws IOException {
        Node node = open(id);
        services.accept(node);
        nodes.put(id, node);
        for (Node other : nodes.values()) {
            other.channels().following().joined(node.self());
            node.channels().following().joined(other.self());
        }
        return node;
    }

    private Node open(String id) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        for (int attempt = 1; ; attempt++) {
            int port = freePort(loopback);
            RpcThreads loops = new RpcThreads();
            threads.add(loops);
            RpcServer server = new RpcServer(new InetSocketAddress(loopback, port), null, loops, maxMessageBytes);
            try {
                server.start();
            } catch (ClusterException e) { // the port was taken meanwhile
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                continue;
            }
            Member self = new Member(
                    id, ++incarnation, new HostPort(loopback.getHostAddress(), port), "test", "test", attributes);
            return new Node(self, server, new RpcChannels(id, null, loops, maxMessageBytes));
        }
    }

    /** A port below the ephemeral range. */
    private static int freePort(InetAddress address) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int candidate = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            if (isFree(address, candidate)) {
                return candidate;
            }
        }
        throw new IOException("no free port");
    }

    private static boolean isFree(InetAddress address, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public Node node(String id) {
        Node node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException("no node " + id);
        }
        return node;
    }

    /** Breaks the node's connections. The other nodes find it dead, and keep their channels to it. */
    public void kill(String id) {
        Node node = node(id);
        nodes.remove(id);
        node.close();
        nodes.values().forEach(other -> other.channels().following().gone(node.self(), Departure.CRASHED));
    }

    /** Cuts calls between the two nodes in both directions. */
    public void cut(String one, String other) {
        node(one).channels().following().gone(node(other).self(), Departure.LEFT);
        node(other).channels().following().gone(node(one).self(), Departure.LEFT);
        while (node(one).channels().to(other) != null || node(other).channels().to(one) != null) {
            Thread.onSpinWait(); // spinning is fine: the channels' thread has nothing else to do
        }
    }

    public void heal(String one, String other) {
        node(one).channels().following().joined(node(other).self());
        node(other).channels().following().joined(node(one).self());
    }

    @Override
    public void close() {
        nodes.values().forEach(Node::close);
        nodes.clear();
        threads.forEach(RpcThreads::close);
    }
}
