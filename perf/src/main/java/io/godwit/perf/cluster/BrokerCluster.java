package io.godwit.perf.cluster;

import io.godwit.perf.load.client.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brokers that run as one cluster on 127.0.0.1, each in a process that this tool has started, with their files in one
 * temporary directory.
 *
 * <p>{@link #start} returns when all nodes serve and each range of each store has its voters. {@link #close} ends the
 * processes and removes the directory. It also runs when this JVM ends otherwise, as by Ctrl-C; the brokers only stay
 * if this process is killed (SIGKILL). One thread uses the cluster, but {@link #close} may be called by any thread, and
 * several times.
 */
public final class BrokerCluster implements AutoCloseable {
    private static final Duration START_TIME = Duration.ofMinutes(2);
    /** Additional time for each broker, as all start at once and share the machine's cores. */
    private static final Duration START_TIME_EACH = Duration.ofSeconds(30);

    private static final Duration VOTER_TIME = Duration.ofMinutes(2);
    private static final Duration ADMIN_TIME = Duration.ofSeconds(20);
    private static final Duration END_TIME = Duration.ofSeconds(10);
    private static final Duration KILL_TIME = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 100;
    private static final long ASK_MILLIS = 500;

    private final ClusterPlan plan;
    private final Path directory;
    private final Consumer<String> say;
    /**
     * Changed by the thread that uses the cluster, under this object's lock, as {@link #close} may read it in another
     * thread.
     */
    private final List<BrokerNode> nodes = new ArrayList<>();
    /** Numbers of brokers that were killed on purpose and not restarted. */
    private final Set<Integer> killed = new HashSet<>();

    private final Map<Store, StoreReplicas> replicas = new EnumMap<>(Store.class);
    private final Thread atExit = new Thread(this::close, "cluster-end");
    /** Set under this object's lock; read without it, as {@link #close} holds the lock while processes end. */
    private volatile boolean isClosed;

    private BrokerCluster(ClusterPlan plan, Path directory, Consumer<String> say) {
        this.plan = plan;
        this.directory = directory;
        this.say = say;
    }

    /**
     * Starts the brokers. Waits for two minutes plus half a minute for each broker until all serve, then for two
     * minutes until the ranges have their voters; these are upper bounds.
     *
     * @param say receives lines about the progress, on the calling thread; on the thread that closes, where logs are
     * kept and what could not be removed
     * @throws ClusterFailedException if the cluster cannot be started; then none of its processes and files are left,
     * except for logs to be kept
     */
    public static BrokerCluster start(ClusterSetup settings, Consumer<String> say)
            throws ClusterFailedException, InterruptedException {
        BrokerCluster cluster = null;
        try {
            Path directory = OwnerFiles.temporaryDirectory();
            ClusterPlan plan =
                    ClusterPlan.of(settings, directory, FreePorts.choose(ClusterPlan.portsFor(settings.nodes())));
            cluster = new BrokerCluster(plan, directory, say);
            Runtime.getRuntime().addShutdownHook(cluster.atExit);
            cluster.run();
            return cluster;
        } catch (IOException | IllegalStateException e) {
            close(cluster);
            throw new ClusterFailedException("the cluster could not be started: " + e.getMessage());
        } catch (ClusterFailedException | InterruptedException e) {
            close(cluster);
            throw e;
        }
    }

    private static void close(@Nullable BrokerCluster cluster) {
        if (cluster != null) {
            cluster.close();
        }
    }

    private void run() throws IOException, InterruptedException, ClusterFailedException {
        long begunNanos = System.nanoTime();
        Optional<NodeCertificate> certificate =
                plan.settings().isTls() ? Optional.of(NodeCertificate.make(directory)) : Optional.empty();
        for (NodePlan node : plan.nodes()) {
            OwnerFiles.directory(node.home());
            OwnerFiles.write(node.configFile(), node.configuration(plan.nodes(), plan.environment(), certificate));
            launch(node);
        }
        say.accept("cluster: " + describe() + ", starting");
        awaitServing(START_TIME.plus(START_TIME_EACH.multipliedBy(plan.nodes().size())));
        awaitVoters(System.nanoTime() + VOTER_TIME.toNanos());
        say.accept(
                "cluster: serves after %.1f s; %s".formatted((System.nanoTime() - begunNanos) / 1e9, describeStores()));
    }

    private synchronized void launch(NodePlan node) throws IOException {
        if (isClosed) {
            throw new IOException("it was ended while it was starting");
        }
        nodes.add(BrokerNode.start(plan, node));
    }

    private String describe() {
        int count = plan.settings().nodes();
        return (count == 1 ? "1 broker" : count + " brokers") + " on ports "
                + String.join(
                        ", ",
                        plan.nodes().stream()
                                .map(node -> String.valueOf(node.port()))
                                .toList())
                + (plan.settings().isTls() && count > 1 ? ", TLS between nodes" : "");
    }

    private String describeStores() {
        List<String> parts = new ArrayList<>();
        replicas.forEach((store, kept) -> parts.add(store.adminName() + " " + kept.describe()));
        return String.join("; ", parts);
    }

    private void awaitServing(Duration limit) throws InterruptedException, ClusterFailedException {
        long endNanos = System.nanoTime() + limit.toNanos();
        for (BrokerNode node : nodes) {
            while (!node.isServing()) {
                requireAlive();
                if (System.nanoTime() > endNanos) {
                    throw new ClusterFailedException("broker %d of %d does not serve after %d s: it %s"
                            .formatted(node.plan().number(), nodes.size(), limit.toSeconds(), node.waitsFor()));
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
    }

    private void awaitVoters(long endNanos) throws IOException, InterruptedException, ClusterFailedException {
        for (Store store : Store.values()) {
            int wanted = plan.settings().votersOf(store);
            while (!look(store).map(kept -> kept.areComplete(wanted)).orElse(false)) {
                requireAlive();
                if (System.nanoTime() > endNanos) {
                    throw new ClusterFailedException("the ranges of the %s store have not got %d voters in %d s: %s"
                            .formatted(
                                    store.adminName(),
                                    wanted,
                                    VOTER_TIME.toSeconds(),
                                    Optional.ofNullable(replicas.get(store))
                                            .map(StoreReplicas::describe)
                                            .orElse("godwit-admin got no answer")));
                }
                TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
            }
        }
    }

    private Optional<StoreReplicas> look(Store store) throws IOException, InterruptedException {
        Optional<StoreReplicas> now =
                new AdminQueries(plan.settings().distribution(), plan.nodes().get(0)).replicas(store, ADMIN_TIME);
        now.ifPresent(kept -> replicas.put(store, kept));
        return now;
    }

    /**
     * Kills a broker as {@code kill -9} does, and waits until its process has ended, for ten seconds at most. It still
     * belongs to the cluster, but {@link #requireAlive} does not require it.
     *
     * @param number from 1
     * @return when it was killed, as {@link System#nanoTime}
     */
    public long kill(int number) throws ClusterFailedException, InterruptedException {
        BrokerNode node = nodes.get(number - 1);
        killed.add(number);
        long killedNanos = System.nanoTime();
        node.kill();
        if (!node.awaitEnd(killedNanos + KILL_TIME.toNanos(), KILL_TIME)) {
            throw new ClusterFailedException("pid " + node.pid() + " outlives kill -9");
        }
        return killedNanos;
    }

    /**
     * Restarts a broker that {@link #kill} has ended, with its data. Returns at once.
     *
     * @param number from 1
     */
    public void restart(int number) throws ClusterFailedException {
        if (!killed.remove(number)) {
            throw new IllegalStateException("broker " + number + " has not been killed");
        }
        try {
            relaunch(number);
        } catch (IOException e) {
            throw new ClusterFailedException("broker " + number + " could not be started again: " + e.getMessage());
        }
    }

    private synchronized void relaunch(int number) throws IOException {
        if (isClosed) {
            throw new IOException("the cluster has been ended");
        }
        nodes.set(number - 1, BrokerNode.start(plan, plan.nodes().get(number - 1)));
    }

    /**
     * Waits until a restarted broker serves and knows the live filters of another one.
     *
     * @param number of the restarted broker, from 1
     * @param other number of another broker, which has run all the time
     */
    public Rejoin awaitRejoin(int number, int other, Duration limit)
            throws ClusterFailedException, InterruptedException {
        BrokerNode node = nodes.get(number - 1);
        long endNanos = System.nanoTime() + limit.toNanos();
        try {
            String otherId = Rejoin.nodeId(readLog(other))
                    .orElseThrow(() -> new ClusterFailedException("the log of broker " + other + " has no node id"));
            while (true) {
                requireAlive();
                Optional<Rejoin> rejoin =
                        node.isServing() ? Rejoin.of(readLog(number), node.pid(), otherId) : Optional.empty();
                if (rejoin.isPresent()) {
                    return rejoin.get();
                }
                if (System.nanoTime() > endNanos) {
                    throw new ClusterFailedException("broker %d, started again, does not serve after %d s: it %s"
                            .formatted(number, limit.toSeconds(), node.waitsFor()));
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (IOException e) {
            throw new ClusterFailedException("a log could not be read: " + e.getMessage());
        }
    }

    private List<String> readLog(int number) throws IOException {
        return Files.readAllLines(plan.nodes().get(number - 1).logFile(), StandardCharsets.UTF_8);
    }

    /**
     * Checks that all brokers live, except for those that were killed on purpose.
     *
     * @throws ClusterFailedException if one has ended; the message has what it printed last
     */
    public void requireAlive() throws ClusterFailedException {
        for (BrokerNode node : nodes) {
            if (!node.isAlive() && !killed.contains(node.plan().number())) {
                if (isClosed) {
                    throw new ClusterFailedException("the cluster has been ended");
                }
                throw new ClusterFailedException("broker %d of %d has ended; it printed last:%n%s"
                        .formatted(node.plan().number(), plan.nodes().size(), node.said()));
            }
        }
    }

    /** The addresses for clients, in the order of the nodes. */
    public List<Endpoint> endpoints() {
        return plan.nodes().stream()
                .map(node -> new Endpoint(NodePlan.HOST, node.port()))
                .toList();
    }

    /** The processes, in the order of the nodes. */
    public List<Long> pids() {
        return nodes.stream().map(BrokerNode::pid).toList();
    }

    /** The directory of all its files. */
    Path directory() {
        return directory;
    }

    /** Number of ranges of the inbox store when {@link #start} or {@link #countInboxRanges} last asked for it. */
    public int knownInboxRanges() {
        return Optional.ofNullable(replicas.get(Store.INBOX))
                .map(StoreReplicas::ranges)
                .orElse(0);
    }

    /** Number of ranges of the inbox store now; the last known number if there is no answer within 20 seconds. */
    public int countInboxRanges() throws InterruptedException {
        try {
            look(Store.INBOX);
        } catch (IOException e) {
            say.accept("cluster: godwit-admin could not be run: " + e.getMessage());
        }
        return knownInboxRanges();
    }

    /**
     * Asks all processes to end, and kills those that have not after ten seconds. Then removes the data, and everything
     * else unless logs are kept. Blocks for not much more than 20 seconds.
     */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        nodes.forEach(BrokerNode::requestEnd);
        endAll();
        removeFiles();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // this JVM is ending: called by the hook
        }
    }

    private void endAll() {
        long endNanos = System.nanoTime() + END_TIME.toNanos();
        boolean isInterrupted = false;
        for (BrokerNode node : nodes) {
            boolean hasEnded = false;
            while (!hasEnded) {
                try {
                    hasEnded = node.awaitEnd(endNanos, KILL_TIME);
                    if (!hasEnded) {
                        say.accept("cluster: pid " + node.pid() + " outlives kill -9");
                        hasEnded = true;
                    }
                } catch (InterruptedException e) {
                    isInterrupted = true; // first ends all processes, then interrupts itself
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void removeFiles() {
        try {
            if (plan.settings().isKeepingLogs()) {
                for (NodePlan node : plan.nodes()) {
                    OwnerFiles.remove(node.data());
                }
                say.accept("cluster: logs are kept in " + directory);
            } else {
                OwnerFiles.remove(directory);
            }
        } catch (IOException e) {
            say.accept("cluster: not all files could be removed from " + directory + ": " + e.getMessage());
        }
    }
}
