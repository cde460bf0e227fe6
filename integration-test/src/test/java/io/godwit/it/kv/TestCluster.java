package io.godwit.it.kv;

import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.NamespaceLinks;
import io.godwit.it.kv.fault.ProxyLinks;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.node.NodeOptions;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes as processes, the links between them, and for the first one a small disk of its own. What the machine does not let us have is done without,
 * and said. Used by one thread at a time, but for the addresses.
 */
final class TestCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TestCluster.class);

    private static final int CLIENT_PORT = 7_801;
    private static final int CLUSTER_PORT = 7_802;
    private static final int RPC_PORT = 7_803;
    static final long DISK_BYTES = 768L << 20;
    static final long LOW_WATER_BYTES = 64L << 20;
    private static final long SNAPSHOT_LOG_BYTES = 2L << 20;

    private final Links links;
    private final @Nullable SmallDisk disk;
    private final List<NodeProcess> nodes = new ArrayList<>();

    /**
     * Starts nothing yet.
     *
     * @param directory for their data
     * @param logs for their logs
     * @param splitKeys where the store is cut when it is made
     */
    TestCluster(int count, Path directory, Path logs, List<String> splitKeys, Fault fault) throws IOException {
        Files.createDirectories(directory);
        Files.createDirectories(logs);
        links = links(count);
        disk = fault == Fault.GENUINE ? disk(directory.resolve("disk")) : null;
        for (int node = 0; node < count; node++) {
            NodeOptions options = options(node, count, directory, disk, splitKeys, fault);
            nodes.add(new NodeProcess(options, links.prefix(node), logs.resolve(options.name() + ".log")));
        }
        LOG.info("{} nodes over {}; small disk: {}", count, links.describe(), disk == null ? "none" : disk.describe());
    }

    /** Proxies can be asked for by {@code -Dnemesis.links=proxy}. */
    private static Links links(int count) throws IOException {
        if (count > 1 && !"proxy".equals(System.getProperty("nemesis.links"))) {
            try {
                return NamespaceLinks.make(count);
            } catch (IOException e) {
                LOG.warn("no network namespaces here, links pass proxies instead: {}", e.getMessage());
            }
        }
        return new ProxyLinks(count);
    }

    private static @Nullable SmallDisk disk(Path directory) {
        try {
            return SmallDisk.make(directory, DISK_BYTES);
        } catch (IOException e) {
            LOG.warn("SKIPPED: no disk is filled, since this machine does not let us mount one: {}", e.getMessage());
            return null;
        }
    }

    private NodeOptions options(
            int node, int count, Path directory, @Nullable SmallDisk small, List<String> splitKeys, Fault fault) {
        String name = "n" + (node + 1);
        List<String> seeds = new ArrayList<>();
        for (int other = 0; other < count; other++) {
            seeds.add(links.address(other) + ':' + CLUSTER_PORT);
        }
        Path home = node == 0 && small != null ? small.root() : directory.resolve(name);
        return new NodeOptions(
                name,
                home.resolve("data"),
                links.address(node),
                CLIENT_PORT,
                count == 1 ? 0 : CLUSTER_PORT,
                RPC_PORT,
                node == 0,
                count == 1 ? List.of() : seeds,
                splitKeys,
                LOW_WATER_BYTES,
                SNAPSHOT_LOG_BYTES,
                links.proxyPort(node),
                fault);
    }

    int size() {
        return nodes.size();
    }

    NodeProcess node(int number) {
        return nodes.get(number);
    }

    Links links() {
        return links;
    }

    /** The disk of the first node; null when it has none of its own. */
    @Nullable
    SmallDisk disk() {
        return disk;
    }

    List<InetSocketAddress> addresses() {
        return nodes.stream().map(NodeProcess::address).toList();
    }

    void start() throws IOException {
        for (NodeProcess node : nodes) {
            node.start();
        }
    }

    /**
     * Asks a node to do something as its operator.
     *
     * @return {@code done} and an answer, or {@code not}, an outcome and why
     * @throws IOException if the node does not answer
     */
    String operate(int node, String words, int millis) throws IOException {
        try (NodeClient client = new NodeClient(nodes.get(node).address())) {
            return client.ask("operate " + words, millis, millis + 1_000);
        }
    }

    /** Waits until a node says that its store serves. */
    void awaitServing(int node, long patienceMillis) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        String health = "";
        while (!health.startsWith("done SERVING")) {
            NodeProcess process = nodes.get(node);
            if (!process.isRunning()) {
                throw new IOException(process.name() + " has ended" + process.said());
            }
            if (System.nanoTime() > giveUp) {
                throw new IOException(process.name() + " does not serve: " + health + process.said());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            try {
                health = operate(node, "health", 1_000);
            } catch (IOException e) {
                health = e.toString();
            }
        }
    }

    /** Waits until every range has so many voters, as a node sees it. */
    void awaitVoters(int node, int voters, long patienceMillis) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        String ranges = "";
        while (System.nanoTime() < giveUp) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            try {
                ranges = operate(node, "ranges", 2_000);
            } catch (IOException e) {
                ranges = e.toString();
            }
            if (ranges.startsWith("done ")
                    && OperatorText.ranges(ranges.substring(5)).stream()
                            .allMatch(range -> range.voters().size() >= voters)) {
                return;
            }
        }
        throw new IOException("no " + voters + " voters everywhere after " + patienceMillis + " ms: " + ranges
                + nodes.get(node).said());
    }

    void healAll() throws IOException {
        for (int from = 0; from < nodes.size(); from++) {
            for (int to = 0; to < nodes.size(); to++) {
                if (from != to) {
                    links.heal(from, to);
                }
            }
        }
    }

    /** Ends all, also what is in the midst of something, and gives all back. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (NodeProcess node : nodes) {
            failure = closed(node::close, failure);
        }
        failure = closed(links::close, failure);
        SmallDisk small = disk;
        if (small != null) {
            failure = closed(small::close, failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private interface Closing {
        void close() throws IOException;
    }

    private static @Nullable IOException closed(Closing what, @Nullable IOException earlier) {
        try {
            what.close();
            return earlier;
        } catch (IOException e) {
            if (earlier != null) {
                e.addSuppressed(earlier);
            }
            return e;
        }
    }
}
