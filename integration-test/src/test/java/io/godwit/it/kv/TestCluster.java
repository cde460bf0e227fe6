package io.godwit.it.kv;

import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.node.NodeOptions;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Nodes, wherever they live, and what is asked of them. Used by one thread at a time, but for the addresses. */
final class TestCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TestCluster.class);

    private static final int CLIENT_PORT = 7_801;
    private static final int CLUSTER_PORT = 7_802;
    private static final int RPC_PORT = 7_803;
    static final long LOW_WATER_BYTES = 64L << 20;

    private final Hosts hosts;
    private final List<TestNode> nodes = new ArrayList<>();

    TestCluster(int count, Hosts hosts, List<String> splitKeys, Fault fault) throws IOException {
        this(count, hosts, splitKeys, fault, NodeTerms.SMALL);
    }

    /**
     * Starts nothing yet.
     *
     * @param hosts closed with the cluster
     * @param splitKeys where the store is cut when it is made
     */
    TestCluster(int count, Hosts hosts, List<String> splitKeys, Fault fault, NodeTerms terms) throws IOException {
        this.hosts = hosts;
        for (int node = 0; node < count; node++) {
            nodes.add(hosts.node(node, options(node, count, hosts, splitKeys, fault, terms)));
        }
        Set<Trouble> spared = EnumSet.complementOf(EnumSet.copyOf(hosts.troubles()));
        LOG.info("{} nodes over {}; not done to nodes there: {}", count, hosts.describe(), spared);
    }

    private static NodeOptions options(
            int node, int count, Hosts hosts, List<String> splitKeys, Fault fault, NodeTerms terms) {
        List<String> seeds = new ArrayList<>();
        for (int other = 0; other < count; other++) {
            seeds.add(hosts.links().address(other) + ':' + CLUSTER_PORT);
        }
        return new NodeOptions(
                "n" + (node + 1),
                hosts.data(node),
                hosts.links().address(node),
                CLIENT_PORT,
                count == 1 ? 0 : CLUSTER_PORT,
                RPC_PORT,
                node == 0,
                count == 1 ? List.of() : seeds,
                splitKeys,
                LOW_WATER_BYTES,
                terms.cacheBytes(),
                terms.snapshotLogBytes(),
                terms.snapshotBytesPerSecond(),
                terms.electionMillis(),
                hosts.links().proxyPort(node),
                terms.graceSeconds(),
                terms.areVotersSoon(),
                fault);
    }

    int size() {
        return nodes.size();
    }

    TestNode node(int number) {
        return nodes.get(number);
    }

    /** Only where nodes are processes of this machine. */
    NodeProcess process(int number) {
        return (NodeProcess) nodes.get(number);
    }

    Hosts hosts() {
        return hosts;
    }

    Links links() {
        return hosts.links();
    }

    /** The disk of the first node; null when it has none of its own. */
    @Nullable
    SmallDisk disk() {
        return hosts.disk();
    }

    List<InetSocketAddress> addresses() {
        return nodes.stream().map(TestNode::address).toList();
    }

    void start() throws IOException {
        for (TestNode node : nodes) {
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
        Await looks = Await.atMost(Duration.ofMillis(patienceMillis));
        String health = "";
        while (!health.startsWith("done SERVING")) {
            TestNode process = nodes.get(node);
            if (!process.isRunning()) {
                throw new IOException(process.name() + " has ended" + process.said());
            }
            if (!looks.again()) {
                throw new IOException(process.name() + " does not serve: " + health + process.said());
            }
            try {
                health = operate(node, "health", 1_000);
            } catch (IOException e) {
                health = e.toString();
            }
        }
    }

    /** Waits until every range has so many voters, as a node sees it. */
    void awaitVoters(int node, int voters, long patienceMillis) throws IOException {
        awaitVoters(node, range -> voters, patienceMillis);
    }

    /** @param voters that a range must have */
    void awaitVoters(int node, ToIntFunction<RangeText> voters, long patienceMillis) throws IOException {
        Await looks = Await.atMost(Duration.ofMillis(patienceMillis));
        String ranges = "";
        while (looks.again()) {
            try {
                ranges = operate(node, "ranges", 2_000);
            } catch (IOException e) {
                ranges = e.toString();
            }
            if (ranges.startsWith("done ")
                    && OperatorText.ranges(ranges.substring(5)).stream()
                            .allMatch(range -> range.voters().size() >= voters.applyAsInt(range))) {
                return;
            }
        }
        throw new IOException("too few voters after " + patienceMillis + " ms: " + ranges
                + nodes.get(node).said());
    }

    void healAll() throws IOException {
        for (int from = 0; from < nodes.size(); from++) {
            for (int to = 0; to < nodes.size(); to++) {
                if (from != to) {
                    links().heal(from, to);
                }
            }
        }
    }

    /** Ends all, also what is in the midst of something, and gives all back. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (TestNode node : nodes) {
            failure = closed(node::close, failure);
        }
        failure = closed(hosts::close, failure);
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
