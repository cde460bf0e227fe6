package io.godwit.kv.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import io.godwit.cluster.rpc.RpcMesh;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Nodes in this process, each with its own log, that replicate one group over real connections. */
final class RaftNodes implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** No election by time-out within a test. */
    static final int NEVER_MILLIS = 120_000;

    private final Path directory;
    private final RpcMesh mesh = new RpcMesh(8 << 20);
    private final Map<String, Node> nodes = new TreeMap<>();
    private String group = "test-1";
    private RaftSettings settings = new RaftSettings(NEVER_MILLIS, 100, 1L << 30);
    private int ballastBytes = 1;
    private NodeProtocol protocol = NodeProtocol.CURRENT;
    /** By node, run before it stores a vote. */
    private final Map<String, Runnable> beforeVotes = new ConcurrentHashMap<>();

    RaftNodes(Path directory) {
        this.directory = directory;
    }

    /** A running node. */
    record Node(String id, SharedRaftLog log, RaftHost host, JRaftGroup group, ListStateMachine machine) {
        boolean leads() {
            return group.leader().equals(id);
        }
    }

    RaftNodes group(String id) {
        group = id;
        return this;
    }

    RaftNodes settings(RaftSettings changed) {
        settings = changed;
        return this;
    }

    /** Nodes that start from now on support these versions of the messages between nodes. */
    RaftNodes protocol(NodeProtocol changed) {
        protocol = changed;
        return this;
    }

    RaftNodes ballastBytes(int changed) {
        ballastBytes = changed;
        return this;
    }

    /** From now on {@code task} is run before the node stores a vote; it may wait, like for a slow disk. */
    void beforeVotes(String id, Runnable task) {
        beforeVotes.put(id, task);
    }

    RpcMesh mesh() {
        return mesh;
    }

    Node get(String id) {
        return nodes.get(id);
    }

    /** Starts a node, or restarts a killed one on its data; {@code voters} if the group has no entry yet. */
    Node start(String id, List<String> voters) throws IOException {
        return start(id, voters, machine -> {});
    }

    /** @param prepared gets the state machine before the replica starts */
    Node start(String id, List<String> voters, Consumer<ListStateMachine> prepared) throws IOException {
        SharedRaftLog log = SharedRaftLog.open(directory.resolve(id).resolve("log"), (what, cause) -> {});
        RaftHost[] host = new RaftHost[1];
        mesh.announcing(protocol.announcement());
        mesh.start(
                id,
                node -> host[0] = RaftHost.connected(
                        new SlowVotes(
                                new GodwitRaftServiceFactory(log, LogSync.ALL),
                                () -> beforeVotes.getOrDefault(id, () -> {}).run()),
                        id,
                        LogSync.ALL,
                        settings,
                        node.server(),
                        node.channels(),
                        protocol));
        ListStateMachine machine = new ListStateMachine(ballastBytes);
        prepared.accept(machine);
        JRaftGroup started =
                (JRaftGroup) host[0].start(group, directory.resolve(id).resolve("snapshots"), machine, voters);
        Node node = new Node(id, log, host[0], started, machine);
        nodes.put(id, node);
        return node;
    }

    void startAll(String... ids) throws IOException {
        for (String id : ids) {
            start(id, List.of(ids));
        }
    }

    /** Kills a node: nobody is told, and unwritten data is lost. */
    void kill(String id) {
        Node node = nodes.remove(id);
        mesh.kill(id);
        stop(node);
    }

    private static void stop(Node node) {
        node.group().close();
        node.host().close();
        node.log().close();
    }

    /** Does what the membership does at a crash; also used to get a first leader without waiting for a time-out. */
    void tellAllOfTheDeathOf(String id) {
        nodes.values().forEach(node -> node.host().onMemberCrashed(id));
    }

    /**
     * Has the voters stand, and again if there is no leader: on a busy disk they may hinder each other until nobody
     * stands any more, and no election timeout follows here.
     */
    Node elect() {
        tellAllOfTheDeathOf("nobody");
        if (!Await.comesToHold(LIMIT, this::haveOneLeader)) {
            tellAllOfTheDeathOf("nobody");
        }
        return awaitLeader();
    }

    /** Waits until all running nodes agree on a leader. */
    Node awaitLeader() {
        await(this::haveOneLeader);
        return nodes.values().stream().filter(Node::leads).findFirst().orElseThrow();
    }

    private boolean haveOneLeader() {
        String leader = nodes.values().iterator().next().group().leader();
        return nodes.containsKey(leader)
                && nodes.values().stream()
                        .allMatch(node -> node.group().leader().equals(leader));
    }

    List<Node> followers() {
        return nodes.values().stream().filter(node -> !node.leads()).toList();
    }

    /** Appends, and returns when the entry is applied where it was appended. */
    static void append(Node node, String entry) throws Exception {
        Status status = appending(node, entry).get(30, TimeUnit.SECONDS);
        if (!status.isOk()) {
            throw new AssertionError("not appended: " + status);
        }
        // the state that a snapshot reads is set a moment after the closure was called
        JRaftGroup group = node.group();
        await(() -> group.node().getLastAppliedLogIndex() >= group.node().getLastCommittedIndex());
    }

    static CompletableFuture<Status> appending(Node node, String entry) {
        return told(done -> node.group().append(entry.getBytes(UTF_8), -1, done));
    }

    /** The status that a closure gets. */
    static CompletableFuture<Status> told(Consumer<Closure> call) {
        CompletableFuture<Status> result = new CompletableFuture<>();
        call.accept(result::complete);
        return result;
    }

    static Status ask(Consumer<Closure> call) throws InterruptedException, ExecutionException, TimeoutException {
        return told(call).get(30, TimeUnit.SECONDS);
    }

    static void assertOk(Status status) {
        assertThat(status.isOk()).as(status::toString).isTrue();
    }

    void awaitEntries(int count, String... ids) {
        for (String id : ids) {
            await(() -> nodes.get(id).machine().count() >= count);
        }
    }

    static void await(BooleanSupplier condition) {
        Await.until("the condition of the test", LIMIT, condition::getAsBoolean);
    }

    /** Asserts that the condition holds during all of {@code time}, so that a forbidden event would have happened. */
    static void holds(Duration time, BooleanSupplier condition) {
        Await.holds("the condition of the test", time, condition::getAsBoolean);
    }

    @Override
    public void close() {
        nodes.values().forEach(RaftNodes::stop);
        mesh.close();
    }
}
