package io.godwit.broker.admin;

import io.godwit.broker.admin.rpc.NodeFacts;
import io.godwit.kv.backup.RangeBackups;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalanceLoop;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.BalanceTimer;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory as one node of it sees it: three nodes, and one store with real balancers. Changes take effect at
 * once, under the rules of real ranges: epochs, voters, neighbours.
 */
public final class FakeNode implements NodeOperations, RangeBackups, NodeFacts {
    public static final String A = "aaaaaaaa-1111";
    public static final String B = "bbbbbbbb-2222";
    public static final String C = "cccccccc-3333";

    final String self;
    public final FakeStore inbox = new FakeStore();
    /** How many promotions are refused before a learner counts as caught up. */
    public final AtomicInteger promotionsRefused = new AtomicInteger();

    boolean isBDraining;
    /**
     * Whether node B is down, as this node sees it. Volatile, as tests set it and the threads that answer requests read
     * it.
     */
    public volatile boolean isBDown;
    /** What a drain would reduce; empty for nothing. */
    public String reduction = "";

    public boolean isCForgotten;
    /** The number of answers about B from before the last drain. */
    public int oldReports;
    /** The number of answers that cannot say what is left on a node. */
    int unclearAnswers;

    /** The directory of copies; each copy is deleted when it is closed. */
    private final Path copies;
    /** The number of copies of all stores so far. */
    public int moments;
    /** Run when a copy is made, with the id of its range. */
    public Consumer<Long> whenCopied = rangeId -> {};

    /** Run when plugins are queried. */
    public Runnable whenAsked = () -> {};

    public FakeNode(String self, Path copies) {
        this.self = self;
        this.copies = copies;
    }

    @Override
    public RangeCopy copy(String store, long rangeId) throws IOException {
        whenCopied.accept(rangeId);
        FakeRange range = inbox.find(rangeId);
        if (!range.leader().equals(self)) {
            throw new IOException("range " + rangeId + " is led by " + range.leader());
        }

        Path directory = Files.createDirectory(copies.resolve("copy-" + rangeId));
        Files.writeString(directory.resolve("CURRENT"), "MANIFEST-" + rangeId);
        Files.createFile(directory.resolve("empty.log"));
        Files.write(directory.resolve("000007.sst"), content(rangeId));
        return new FakeCopy(store, range, directory);
    }

    @Override
    public List<RangeCopy> copyAll(List<String> stores) throws IOException {
        moments++;
        List<RangeCopy> copies = new ArrayList<>();
        for (String store : stores) {
            for (FakeRange range : inbox.ranges) {
                if (!range.leader().equals(self)) {
                    throw new IOException("range " + range.id() + " is led by " + range.leader());
                }
                Path directory = Files.createDirectory(this.copies.resolve("all-" + store + "-" + range.id()));
                Files.write(directory.resolve("000007.sst"), content(range.id()));
                copies.add(new FakeCopy(store, range, directory));
            }
        }
        return copies;
    }

    /** The content of a file that takes several messages. */
    public static byte[] content(long rangeId) {
        byte[] content = new byte[700_000];
        new Random(rangeId).nextBytes(content);
        return content;
    }

    private record FakeCopy(String store, FakeRange range, Path directory) implements RangeCopy {
        @Override
        public long id() {
            return range.id();
        }

        @Override
        public long epoch() {
            return range.epoch();
        }

        @Override
        public byte[] start() {
            return HexFormat.of().parseHex(range.start());
        }

        @Override
        public byte @Nullable [] end() {
            return range.end().isEmpty() ? null : HexFormat.of().parseHex(range.end());
        }

        @Override
        public void close() {
            if (!Files.exists(directory)) {
                return;
            }
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    Files.delete(file);
                }
                Files.delete(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String clusterId() {
        return "cluster";
    }

    @Override
    public String self() {
        return self;
    }

    @Override
    public List<NodeInfo> nodes() {
        List<NodeInfo> nodes = new ArrayList<>();
        for (String id : List.of(A, B, C)) {
            nodes.add(new NodeInfo(
                    id,
                    7,
                    "10.0.0." + id.charAt(0) + ":8900",
                    "1.0",
                    "zone-" + id.charAt(0),
                    id.equals(C) || id.equals(B) && isBDown ? Liveness.DOWN : Liveness.ALIVE,
                    id.equals(B) && isBDraining,
                    4,
                    0.25,
                    2L << 30,
                    1L << 30,
                    id.equals(C) && isCForgotten));
        }
        return nodes;
    }

    @Override
    public List<String> stores() {
        return List.of("inbox");
    }

    @Override
    public Optional<StoreOperations> store(String name) {
        return name.equals("inbox") ? Optional.of(inbox) : Optional.empty();
    }

    @Override
    public CompletableFuture<OperationResult> forget(String storeId) {
        boolean isNeeded =
                inbox.ranges.stream().anyMatch(range -> range.voters().equals(List.of(storeId)));
        if (!storeId.equals(C) || isNeeded) {
            return refused(isNeeded ? "its only voter" : "node " + storeId + " is running");
        }
        isCForgotten = true;
        return CompletableFuture.completedFuture(
                new OperationResult(ActionOutcome.DONE, "node " + storeId + " is forgotten"));
    }

    @Override
    public CompletableFuture<OperationResult> drain(String storeId, boolean isToGo, boolean mayReduce) {
        if (storeId.equals(C)) {
            return refused("node " + C + " is not running");
        }
        if (isToGo && !reduction.isEmpty() && !mayReduce) {
            return refused(reduction);
        }
        isBDraining = isToGo;
        if (isToGo) { // the others take over its ranges
            inbox.ranges.replaceAll(range -> range.with(
                    range.id(),
                    range.epoch() + 1,
                    range.start(),
                    range.end(),
                    range.voters().stream().filter(id -> !id.equals(B)).toList(),
                    List.of(),
                    A));
        }
        return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.DONE, reduction));
    }

    @Override
    public DrainStatus drainStatus(String storeId) {
        boolean isBKnownToDrain = oldReports > 0 ? !isBDraining : isBDraining;
        oldReports = Math.max(0, oldReports - 1);
        int leaders = 0;
        int replicas = 0;
        for (FakeRange range : inbox.ranges) {
            leaders += range.leader().equals(storeId) ? 1 : 0;
            replicas += range.voters().contains(storeId) ? 1 : 0;
        }
        String unclear = unclearAnswers > 0 ? "some keys of inbox have no range" : "";
        unclearAnswers = Math.max(0, unclearAnswers - 1);
        return new DrainStatus(storeId.equals(B) && isBKnownToDrain, leaders, replicas, unclear);
    }

    @Override
    public CompletableFuture<RecoveryResult> recover(String store, Set<String> lostStores, boolean isDryRun) {
        if (!lostStores.equals(Set.of(C))) {
            return CompletableFuture.completedFuture(
                    new RecoveryResult(List.of(), List.of("a node of " + lostStores + " is a member")));
        }
        if (!isDryRun) {
            inbox.isRecovered = true;
        }
        return CompletableFuture.completedFuture(new RecoveryResult(List.of("range 1 goes on with " + A), List.of()));
    }

    private static CompletableFuture<OperationResult> refused(String detail) {
        return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.REFUSED, detail));
    }

    @Override
    public List<Setting> settings() {
        return List.of(new Setting("bootstrap", self.equals(A) ? "true" : "false", "line 3", false));
    }

    @Override
    public List<Plugin> plugins() {
        whenAsked.run();
        return List.of(new Plugin("ldap.jar", List.of("ldap.jar"), "", List.of(Use.of("auth-provider", "ldap"))));
    }

    /** @param start and {@code end} in hexadecimal; an empty end is none */
    public record FakeRange(
            long id, long epoch, String start, String end, List<String> voters, List<String> learners, String leader) {
        public FakeRange with(
                long id,
                long epoch,
                String start,
                String end,
                List<String> voters,
                List<String> learners,
                String leader) {
            return new FakeRange(id, epoch, start, end, voters, learners, leader);
        }
    }

    public final class FakeStore implements StoreOperations {
        public final List<FakeRange> ranges = new ArrayList<>(List.of(
                new FakeRange(1, 4, "", "80", List.of(A, B), List.of(), B),
                new FakeRange(2, 9, "80", "", List.of(A, B), List.of(), A)));
        public final List<BalanceAction> asked = new ArrayList<>();
        /** The balancers that were paused when a change was requested. */
        public final Set<Long> pausedWhenAsked = new HashSet<>();

        /** What another operator does while a request is carried out here. */
        public Runnable meanwhile = () -> {};

        boolean isRecovered;
        int wanted = 2;
        private final BalanceLoop loop = new BalanceLoop(
                "inbox",
                BalancePlan.shipped(Map.of()),
                Optional::empty,
                action -> CompletableFuture.completedFuture(ActionOutcome.DONE),
                BalanceLoopConfig.DEFAULT,
                new DirectTimer());

        @Override
        public String name() {
            return "inbox";
        }

        @Override
        public String leaderOf(long rangeId) {
            return ranges().stream()
                    .filter(range -> range.id() == rangeId)
                    .findFirst()
                    .map(RangeInfo::leader)
                    .orElse("");
        }

        @Override
        public List<RangeInfo> ranges() {
            return ranges.stream()
                    .map(range -> new RangeInfo(
                            range.id(),
                            HexFormat.of().parseHex(range.start()),
                            range.end().isEmpty() ? null : HexFormat.of().parseHex(range.end()),
                            range.epoch(),
                            range.voters(),
                            range.learners(),
                            range.leader(),
                            3,
                            5L << 20,
                            new RangeLoad(Duration.ofMinutes(1), 12, 40, 900),
                            "",
                            List.of()))
                    .toList();
        }

        @Override
        public CompletableFuture<OperationResult> carryOut(BalanceAction action, Deadline deadline) {
            asked.add(action);
            meanwhile.run();
            pausedWhenAsked.add(
                    loop.list().join().stream().filter(BalancerStatus::isPaused).count());
            FakeRange range = ranges.stream()
                    .filter(each -> each.id() == action.rangeId())
                    .findFirst()
                    .orElseThrow();
            if (range.epoch() != action.epoch()) {
                return CompletableFuture.completedFuture(
                        new OperationResult(ActionOutcome.STALE, "range has epoch " + range.epoch()));
            }
            String fault = change(range, action);
            return fault.isEmpty() ? CompletableFuture.completedFuture(OperationResult.DONE) : refused(fault);
        }

        private String change(FakeRange range, BalanceAction action) {
            int index = ranges.indexOf(range);
            long epoch = range.epoch() + 1;
            List<String> voters = new ArrayList<>(range.voters());
            List<String> learners = new ArrayList<>(range.learners());
            if (action instanceof Split split) {
                String at = split.key()
                        .map(key -> HexFormat.of().formatHex(key.bytes()))
                        .orElse("40");
                ranges.set(index, range.with(range.id(), epoch, range.start(), at, voters, learners, range.leader()));
                ranges.add(range.with(70, epoch, at, range.end(), voters, learners, range.leader()));
                return "";
            }
            if (action instanceof Merge merge) {
                FakeRange right = ranges.stream()
                        .filter(each -> each.id() == merge.rightId())
                        .findFirst()
                        .orElseThrow();
                if (right.epoch() != merge.rightEpoch() || !right.start().equals(range.end())) {
                    return "the right one is another";
                }
                ranges.set(
                        index,
                        range.with(range.id(), epoch, range.start(), right.end(), voters, learners, range.leader()));
                ranges.remove(right);
                return "";
            }
            if (action instanceof MoveLeader move) {
                ranges.set(
                        index,
                        range.with(range.id(), range.epoch(), range.start(), range.end(), voters, learners, move.to()));
                return voters.contains(move.to()) ? "" : move.to() + " is no voter";
            }
            ChangeReplica replica = (ChangeReplica) action;
            switch (replica.step()) {
                case ADD_LEARNER -> learners.add(replica.store());
                case PROMOTE -> {
                    if (promotionsRefused.getAndDecrement() > 0) {
                        return "it has not caught up";
                    }
                    learners.remove(replica.store());
                    voters.add(replica.store());
                }
                case DEMOTE -> throw new IllegalStateException("nobody asks for this: " + replica);
                case REMOVE -> {
                    if (range.leader().equals(replica.store())) {
                        return "it leads";
                    }
                    voters.remove(replica.store());
                    learners.remove(replica.store());
                }
            }
            ranges.set(
                    index, range.with(range.id(), epoch, range.start(), range.end(), voters, learners, range.leader()));
            return "";
        }

        @Override
        public int wantedVoters() {
            return wanted;
        }

        @Override
        public CompletableFuture<OperationResult> wantVoters(int count, boolean mayReduce) {
            if (count < wanted && !mayReduce) {
                return refused("2 ranges would lose copies");
            }
            wanted = count;
            return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.DONE, "wanted: " + count));
        }

        @Override
        public BalanceControl balance() {
            return loop;
        }

        @Override
        public List<String> pausedBalancers() {
            return List.of();
        }

        public FakeRange find(long rangeId) {
            return ranges.stream()
                    .filter(range -> range.id() == rangeId)
                    .findFirst()
                    .orElseThrow();
        }

        public List<String> tiling() {
            return ranges.stream()
                    .map(range -> range.id() + " " + range.start() + "-" + range.end())
                    .sorted()
                    .toList();
        }
    }

    /** Runs immediate tasks at once, and scheduled ones never. */
    private static final class DirectTimer implements BalanceTimer {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void after(Duration delay, Runnable task) {
            // no rounds
        }
    }

    static List<String> words(String line) {
        return Arrays.asList(line.strip().split(" +"));
    }
}
