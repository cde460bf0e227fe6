package io.godwit.it.kv;

import io.godwit.inbox.InboxStore;
import io.godwit.it.broker.AdminCalls;
import io.godwit.it.broker.AdminCalls.ListedRange;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.broker.ProcStat;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three packaged brokers over the loopback address that nobody uses, each of whose ranges has a voter on every one of
 * them. Cold ranges are left alone: the inbox store's balancers only give ranges their voters.
 */
final class IdleBrokers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IdleBrokers.class);

    private static final String STORE = "inbox";
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration SPLITTING = Duration.ofMinutes(2);
    private static final int SPLITS_AT_A_TIME = 8;
    /** They start together, so none needs to have been a member for half a minute before it gets replicas. */
    private static final String SETTLED = "balanceSettings: [replica-count.settleSeconds=1]";

    /** Where the store may be cut, in hexadecimal: before each bucket but the first. */
    private static final List<String> KEYS =
            InboxStore.splitKeys(256).stream().map(HexFormat.of()::formatHex).toList();

    private final List<BrokerProcess> brokers = new ArrayList<>();

    /**
     * What a node used while nobody asked anything of it.
     *
     * @param cores of the processors, on the average of the time
     * @param residentBytes at its end
     */
    record Use(double cores, long residentBytes) {
        @Override
        public String toString() {
            return "%.3f cores, %d MiB".formatted(cores, residentBytes >> 20);
        }
    }

    /** Starts them. */
    IdleBrokers(Path directory) throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 2 * NODES; i++) {
            ports.add(Ports.free().getPort());
        }
        String seeds = "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(2);
        try {
            for (int i = 0; i < NODES; i++) {
                BrokerProcess node = new BrokerProcess(directory.resolve("n" + i))
                        .setting(
                                "clusterConfig",
                                "{env: scale, host: 127.0.0.1, port: " + ports.get(2 * i) + ", rpcPort: "
                                        + ports.get(2 * i + 1) + ", foundAlone: " + (i == 0)
                                        + ", seedEndpoints: \"" + seeds + "\"}")
                        .setting(
                                "storeConfig",
                                "{dist: {" + SETTLED + "}, inbox: {balancers: [replica-count], " + SETTLED
                                        + "}, retain: {" + SETTLED + "}}")
                        .property("inbox_store_replica_voter_count", NODES)
                        .property("inbox_store_initial_ranges", 1)
                        .longLived();
                moreOptions().forEach(node::jvmOption);
                brokers.add(i == 0 ? node : node.joining());
            }
            brokers.get(0).launch();
            brokers.get(0).awaitReady(PATIENCE);
            for (BrokerProcess other : brokers.subList(1, NODES)) { // these two join it together
                other.launch();
            }
            for (BrokerProcess other : brokers.subList(1, NODES)) {
                other.awaitReady(PATIENCE);
            }
            for (String store : List.of("dist", STORE, "retain")) {
                awaitVoters(store, 1);
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** For a look at what they do: {@code -Dscale.jvm="-XX:NativeMemoryTracking=summary"}. */
    private static List<String> moreOptions() {
        String given = System.getProperty("scale.jvm", "");
        return given.isEmpty() ? List.of() : List.of(given.split(" ", -1));
    }

    /** Waits until there are so many ranges, as each node sees it, with a voter everywhere and a leader. */
    private void awaitVoters(String store, int ranges) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        for (BrokerProcess broker : brokers) {
            List<ListedRange> seen = List.of();
            do {
                if (!looks.again()) {
                    throw new IOException(
                            "no " + ranges + " ranges with " + NODES + " voters: " + seen + broker.said());
                }
                try (AdminCalls admin = new AdminCalls(broker)) {
                    seen = admin.ranges(store);
                }
            } while (seen.size() < ranges
                    || !seen.stream()
                            .allMatch(range -> range.voters().size() == NODES
                                    && !range.leader().isEmpty()));
        }
    }

    /**
     * Cuts the inbox store, again and again all its ranges at a time, until it has so many, and waits until they stand
     * still.
     */
    void splitTo(int ranges) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(SPLITS_AT_A_TIME);
        try (AdminCalls admin = new AdminCalls(brokers.get(0))) {
            int made = 1;
            long giveUp = System.nanoTime() + SPLITTING.toNanos();
            while (made < ranges) {
                if (System.nanoTime() > giveUp) {
                    throw new IOException("only " + made + " ranges of " + ranges + " after " + SPLITTING);
                }
                List<CompletableFuture<Boolean>> splits = new ArrayList<>();
                for (ListedRange range : admin.ranges(STORE)) {
                    String key = middle(range);
                    if (made + splits.size() < ranges
                            && key != null
                            && !range.leader().isEmpty()) {
                        splits.add(CompletableFuture.supplyAsync(() -> split(admin, range, key), threads));
                    }
                }
                made += (int) splits.stream().filter(CompletableFuture::join).count();
            }
            awaitVoters(STORE, ranges);
            spreadLeaders(admin, threads);
        } finally {
            threads.shutdownNow();
        }
        awaitVoters(STORE, ranges);
    }

    /** To each node as many: whoever leads a range leads its parts. */
    private static void spreadLeaders(AdminCalls admin, ExecutorService threads) {
        List<CompletableFuture<String>> moves = new ArrayList<>();
        List<ListedRange> ranges = admin.ranges(STORE);
        for (int i = 0; i < ranges.size(); i++) {
            ListedRange range = ranges.get(i);
            String to = range.voters().get(i % NODES);
            if (!to.equals(range.leader())) {
                moves.add(CompletableFuture.supplyAsync(() -> admin.transfer(STORE, range, to), threads));
            }
        }
        long done =
                moves.stream().filter(move -> move.join().startsWith("DONE")).count();
        LOG.info("{} of {} leaders moved", done, moves.size());
    }

    private static boolean split(AdminCalls admin, ListedRange range, String key) {
        String result = admin.split(STORE, range, key);
        if (!result.startsWith("DONE")) {
            LOG.info("{} not cut: {}", range, result);
        }
        return result.startsWith("DONE");
    }

    /** Null for a range of one bucket. */
    private static @Nullable String middle(ListedRange range) {
        int first = KEYS.indexOf(range.start()) + 1;
        String last = range.end();
        int end = last == null ? KEYS.size() + 1 : KEYS.indexOf(last) + 1;
        return end - first > 1 ? KEYS.get((first + end) / 2 - 1) : null;
    }

    /** Lets them rest, and then says what each used for so long. */
    List<Use> use(Duration rest, Duration time) throws IOException {
        Pace.pass(rest);
        long begun = System.nanoTime();
        List<Long> before = new ArrayList<>();
        for (BrokerProcess broker : brokers) {
            before.add(ProcStat.cpuMillis(pid(broker)));
        }
        Pace.pass(time);
        List<Use> uses = new ArrayList<>();
        for (int i = 0; i < brokers.size(); i++) {
            long pid = pid(brokers.get(i));
            double millis = (System.nanoTime() - begun) / 1e6;
            uses.add(new Use((ProcStat.cpuMillis(pid) - before.get(i)) / millis, ProcStat.residentBytes(pid)));
        }
        return uses;
    }

    private static long pid(BrokerProcess broker) throws IOException {
        ProcessHandle process = broker.handle();
        if (process == null) {
            throw new IOException("a broker has ended: " + broker.said());
        }
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        for (BrokerProcess broker : brokers) {
            broker.close();
        }
    }
}
