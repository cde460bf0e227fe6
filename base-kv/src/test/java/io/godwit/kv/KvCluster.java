package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.cluster.ClusterCrash;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.member.MemberSettings;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Nodes of one cluster in this process, each on its own loopback address, with one store. Nothing but leaders changes
 * without the test.
 */
class KvCluster implements AutoCloseable {
    static final String STORE = "test";
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private final Path directory;
    private final String env;
    private final String network;
    private final int port;
    private final Map<Integer, KvNode> nodes = new ConcurrentSkipListMap<>();
    private final Map<Integer, RangeClient> clients = new ConcurrentSkipListMap<>();
    private final Map<Integer, KvStore> stores = new ConcurrentSkipListMap<>();
    private RangeSettings range = new RangeSettings(64L << 20, 64L << 20, 5_000);
    private StoreBalance balance = StoreBalance.NONE;
    private RaftSettings raft = RaftSettings.DEFAULT;
    /** Of the nodes that start from now on. */
    private NodeProtocol protocol = NodeProtocol.CURRENT;

    KvCluster(Path directory) {
        this.directory = directory;
        this.env = "test-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        // a loopback network of its own, so that tests at the same time do not meet
        this.network = "127." + ThreadLocalRandom.current().nextInt(2, 250) + "."
                + ThreadLocalRandom.current().nextInt(2, 250) + ".";
        this.port = ThreadLocalRandom.current().nextInt(20_000, 31_000);
    }

    KvCluster range(RangeSettings changed) {
        range = changed;
        return this;
    }

    KvCluster raft(RaftSettings changed) {
        raft = changed;
        return this;
    }

    KvCluster balance(StoreBalance changed) {
        balance = changed;
        return this;
    }

    /** Nodes that start from now on support these versions of the messages between nodes. */
    KvCluster protocol(NodeProtocol changed) {
        protocol = changed;
        return this;
    }

    KvNodeConfig config(int number, boolean isFounder) {
        return config(number, isFounder, directory.resolve("node-" + number), Duration.ofSeconds(30));
    }

    KvNodeConfig config(int number, boolean isFounder, Path data, Duration joinTimeout) {
        return config(number, isFounder, data, joinTimeout, true);
    }

    /** The configuration of a node that may begin the cluster together with the other seeds. */
    KvNodeConfig together(int number, Duration joinTimeout) {
        return config(number, true, directory.resolve("node-" + number), joinTimeout, false);
    }

    /**
     * The configuration of a node with data that has moved to the address of node {@code place}, which is none of
     * three.
     */
    KvNodeConfig movedTo(int number, int place) {
        Path data = directory.resolve("node-" + number);
        return config(place, number == 1, data, Duration.ofSeconds(30));
    }

    private KvNodeConfig config(int number, boolean isFounder, Path data, Duration joinTimeout, boolean foundsAlone) {
        List<HostPort> seeds = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            seeds.add(new HostPort(network + i, port));
        }
        ClusterConfig cluster = new ClusterConfig(
                env, network + number, port, port + 1, "", seeds, null, ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
        return new KvNodeConfig(data, isFounder, 16 << 20, 8 << 20, range, OptionalLong.of(1))
                .in(new MemberSettings(cluster, raft, "test", "", joinTimeout, foundsAlone, protocol));
    }

    /** Starts a node that founds or joins, or starts again. */
    KvNode start(int number) throws IOException {
        return start(number, config(number, number == 1));
    }

    KvNode start(int number, KvNodeConfig config) throws IOException {
        KvNode node = KvNode.open(config, StartProgress.NONE, StoreMeasures.NONE, reports(number));
        nodes.put(number, node);
        KvStore store = node.open(spec(number));
        stores.put(number, store);
        clients.put(number, store.client());
        return node;
    }

    /** What is told of the ranges of one node; overridden by tests that listen to events. */
    RangeReports reports(int number) {
        return RangeReports.none();
    }

    /** The store of one node; overridden by tests that look into its coprocessors. */
    StoreSpec spec(int number) {
        return spec();
    }

    StoreSpec spec() {
        return new StoreSpec(STORE, AppendCoprocessor::new, List.of()).balancedBy(balance);
    }

    void startAll() throws Exception {
        for (int i = 1; i <= 3; i++) {
            start(i);
        }
        ready();
    }

    void ready() throws Exception {
        for (KvNode node : nodes.values()) {
            node.ready().get(40, TimeUnit.SECONDS);
        }
    }

    KvNode node(int number) {
        KvNode node = nodes.get(number);
        if (node == null) {
            throw new IllegalStateException("node " + number + " does not run");
        }
        return node;
    }

    int numberOf(String storeId) {
        return nodes.entrySet().stream()
                .filter(entry -> entry.getValue().storeId().equals(storeId))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    String id(int number) {
        return node(number).storeId();
    }

    /** Stops a node in an orderly way. */
    void stop(int number) {
        KvNode node = nodes.remove(number);
        if (node != null) {
            node.close();
        }
    }

    /** Breaks a node's connections; it sends nothing any more. */
    void crash(int number) throws IOException {
        KvNode node = nodes.remove(number);
        if (node != null && node.links() != null) {
            ClusterCrash.crash(node.links().cluster());
            node.close();
        }
    }

    // --- the store

    /** As it was opened last. */
    KvStore store(int number) {
        return stores.get(number);
    }

    RangeClient client(int number) {
        return clients.get(number);
    }

    StoreOperations operations(int number) {
        return node(number).operations().store(STORE).orElseThrow();
    }

    StoreOperations.RangeInfo only(int number) {
        List<StoreOperations.RangeInfo> ranges = operations(number).ranges();
        if (ranges.size() != 1) {
            throw new AssertionError("ranges: " + ranges);
        }
        return ranges.get(0);
    }

    OperationResult carryOut(int number, BalanceAction action) throws Exception {
        return operations(number).carryOut(action, Deadline.afterMillis(30_000)).get(40, TimeUnit.SECONDS);
    }

    /** Changes a replica of the only range; repeats while that is refused as stale or busy. */
    void change(int by, Step step, String storeId) {
        eventually("change " + step + " " + storeId, () -> {
            StoreOperations.RangeInfo info = only(by);
            OperationResult result = carryOut(by, new ChangeReplica(info.id(), info.epoch(), step, storeId, "test"));
            return result.isDone();
        });
    }

    /** Makes all running nodes voters of the only range. */
    void replicate() {
        for (Integer number : nodes.keySet()) {
            String id = id(number);
            if (!only(1).voters().contains(id)) {
                change(1, Step.ADD_LEARNER, id);
                change(1, Step.PROMOTE, id);
            }
        }
    }

    /** Asks once for a move of the leader; returns whether it leads now. */
    boolean offerLeadership(int by, int to) throws Exception {
        StoreOperations.RangeInfo info = only(by);
        return info.leader().equals(id(to))
                || carryOut(by, new MoveLeader(info.id(), info.epoch(), id(to), "test"))
                                .outcome()
                        == ActionOutcome.DONE;
    }

    /** Repeats until the leader has moved, because a transfer may be refused for a while. */
    void moveLeader(int by, int to) {
        eventually(
                "led by " + to,
                () -> offerLeadership(by, to) && only(by).leader().equals(id(to)));
    }

    int leader(int seenBy) {
        eventually(
                "a leader",
                () -> nodes.values().stream()
                        .anyMatch(node -> node.storeId().equals(only(seenBy).leader())));
        return numberOf(only(seenBy).leader());
    }

    static CompletableFuture<byte[]> append(RangeClient client, String key, String suffix) {
        return client.mutate(key.getBytes(UTF_8), (key + "=" + suffix).getBytes(UTF_8), Deadline.afterMillis(30_000));
    }

    static String read(RangeClient client, String key) throws Exception {
        return new String(
                client.query(key.getBytes(UTF_8), key.getBytes(UTF_8), Deadline.afterMillis(30_000))
                        .get(40, TimeUnit.SECONDS),
                UTF_8);
    }

    static void await(String what, BooleanSupplier condition) {
        eventually(what, condition::getAsBoolean);
    }

    static void eventually(String what, Callable<Boolean> condition) {
        Await looks = Await.atMost(LIMIT);
        Throwable last = null;
        do {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (Exception | AssertionError e) { // not yet
                last = e;
            }
        } while (looks.again());
        throw new AssertionError("not within " + LIMIT + ": " + what, last);
    }

    /** Asserts that the condition holds during all of {@code time}, so that a forbidden event would have happened. */
    static void holds(String what, Duration time, BooleanSupplier condition) {
        Await.holds(what, time, condition::getAsBoolean);
    }

    @Override
    public void close() {
        List.copyOf(nodes.keySet()).forEach(this::stop);
    }
}
