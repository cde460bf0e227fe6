package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.RangeLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeadershipHandoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final OperationResult REFUSED = new OperationResult(ActionOutcome.REFUSED, "it is not there");

    private final List<StoreOperations.RangeInfo> ranges = new ArrayList<>();
    private final Set<String> absent = new HashSet<>();
    /** Nodes that are not elected when they are to lead: {@code c} is. */
    private final Set<String> outrun = new HashSet<>();

    private final List<String> moves = new ArrayList<>();
    /** A move that names one of these epochs is refused as outdated. */
    private final Set<Long> stale = new HashSet<>();

    /** How often all ranges were read. */
    private int readings;
    /** Run before each of these. */
    private Runnable onReading = () -> {};

    /** Of ranges that are added from now on. */
    private long epoch = 7;
    /** The same. */
    private String change = "";

    private final List<String> resting = new ArrayList<>();

    /** The steps that it reported as late. */
    private final List<String> late = new ArrayList<>();

    private void range(long id, String leader, String... voters) {
        ranges.add(new StoreOperations.RangeInfo(
                id,
                new byte[0],
                null,
                epoch,
                List.of(voters),
                List.of(),
                leader,
                1,
                0,
                RangeLoad.UNKNOWN,
                change,
                List.of()));
    }

    @Test
    void whatThisNodeLeadsGoesToItsOtherVoters() {
        range(1, "self", "a", "b", "self");
        range(2, "a", "a", "b", "self");
        range(3, "self", "a", "b", "self");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "3@7 to b");
    }

    @Test
    void theNextVoterIsAskedWhenOneRefuses() {
        range(1, "self", "a", "b", "self");
        absent.add("a");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "1@7 to b");
    }

    @Test
    void whatAnotherVoterTookIsNotMovedAgain() {
        range(1, "self", "a", "b", "c", "self");
        outrun.add("a");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a");
        assertThat(late).isEmpty();
    }

    /** As of a voter: the epoch is another one behind it. */
    @Test
    void aRangeWithAChangeUnderWayIsMovedWhenThatHasEnded() {
        change = "REMOVE";
        range(1, "self", "a", "b", "self");
        absent.addAll(List.of("a", "b"));
        onReading = () -> {
            if (readings == 3) {
                ranges.clear();
                change = "";
                epoch = 8;
                absent.clear();
                range(1, "self", "b", "self");
            }
        };
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "1@7 to b", "1@7 to a", "1@7 to b", "1@8 to b");
        assertThat(late).isEmpty();
    }

    /** The range was read before a change and asked about behind it. */
    @Test
    void aRangeThatHasAnotherEpochByNowIsReadAgain() {
        range(1, "self", "a", "b", "self");
        stale.add(7L);
        onReading = () -> {
            if (readings == 2) {
                ranges.clear();
                epoch = 8;
                range(1, "self", "a", "b", "self");
            }
        };
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "1@8 to a");
    }

    /** It is asked for once more, and then not any more. */
    @Test
    void aRangeThatKeepsItsEpochIsLeft() {
        range(1, "self", "a", "b", "self");
        stale.add(7L);
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "1@7 to a");
        assertThat(late).isEmpty();
    }

    /** Another node does not know yet that this one stops, and moves a leader to it. */
    @Test
    void aLeadershipThatComesHereMeanwhileIsHandedOverAsWell() {
        range(1, "self", "a", "self");
        onReading = () -> {
            if (readings == 2) {
                range(2, "self", "b", "self");
            }
        };
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("1@7 to a", "2@7 to b");
    }

    @Test
    void theBalancersRestFirst() {
        range(1, "self", "a", "self");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(resting).containsExactly("spread");
    }

    /** Each reading makes a list of all ranges, so one for each range would take seconds of the patience. */
    @Test
    void allRangesAreReadOnceARoundHoweverManyAreRefused() {
        int many = 100;
        for (int id = 1; id <= many; id++) {
            range(id, "self", "a", "b", "self");
        }
        absent.addAll(List.of("a", "b"));
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).hasSize(2 * 2 * many);
        assertThat(readings).isEqualTo(3);
    }

    @Test
    void whatNobodyElseHasIsLeft() {
        range(1, "self", "self");
        range(2, "self", "a", "self");
        absent.add("a");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("2@7 to a", "2@7 to a");
        assertThat(late).as("no warning, because there was enough time").isEmpty();
    }

    @Test
    void afterTheDeadlineNobodyIsAsked() {
        range(1, "self", "a", "self");
        LeadershipHandover.handOver(new Node(), Duration.ofMillis(-1), late::add);
        assertThat(moves).isEmpty();
        assertThat(late).containsExactly("[inbox/1]");
    }

    private final class Node implements NodeOperations {
        @Override
        public String self() {
            return "self";
        }

        @Override
        public List<String> stores() {
            return List.of("inbox");
        }

        @Override
        public Optional<StoreOperations> store(String name) {
            return Optional.of(new Store());
        }

        @Override
        public String clusterId() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<NodeInfo> nodes() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<OperationResult> drain(String storeId, boolean isToGo, boolean mayReduce) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DrainStatus drainStatus(String storeId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<OperationResult> forget(String storeId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<RecoveryResult> recover(String store, Set<String> lostStores, boolean isDryRun) {
            throw new UnsupportedOperationException();
        }
    }

    private final class Store implements StoreOperations {
        @Override
        public String name() {
            return "inbox";
        }

        @Override
        public List<RangeInfo> ranges() {
            readings++;
            onReading.run();
            return List.copyOf(ranges);
        }

        @Override
        public String leaderOf(long rangeId) {
            return ranges.stream()
                    .filter(range -> range.id() == rangeId)
                    .findFirst()
                    .map(RangeInfo::leader)
                    .orElse("");
        }

        @Override
        public CompletableFuture<OperationResult> carryOut(BalanceAction action, Deadline deadline) {
            MoveLeader move = (MoveLeader) action;
            moves.add(move.rangeId() + "@" + move.epoch() + " to " + move.to());
            if (stale.contains(move.epoch())) {
                return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.STALE, "epoch"));
            }
            if (outrun.contains(move.to())) {
                ranges.clear();
                range(move.rangeId(), "c", "a", "b", "c", "self");
                return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.FAILED, "c leads"));
            }
            if (absent.contains(move.to())) {
                return CompletableFuture.completedFuture(REFUSED);
            }
            ranges.removeIf(range -> range.id() == move.rangeId()); // of those that this node leads
            return CompletableFuture.completedFuture(OperationResult.DONE);
        }

        @Override
        public int wantedVoters() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<OperationResult> wantVoters(int count, boolean mayReduce) {
            throw new UnsupportedOperationException();
        }

        @Override
        public BalanceControl balance() {
            return new Balance();
        }

        @Override
        public List<String> pausedBalancers() {
            throw new UnsupportedOperationException();
        }
    }

    private final class Balance implements BalanceControl {
        @Override
        public CompletableFuture<List<BalancerStatus>> list() {
            return CompletableFuture.completedFuture(
                    List.of(new BalancerStatus("spread", false, false, Map.of(), 0, 0, 0, "", "")));
        }

        @Override
        public CompletableFuture<Void> pause(String balancer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> rest(String balancer) {
            assertThat(moves).isEmpty();
            resting.add(balancer);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> unrest(String balancer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> resume(String balancer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> tune(String balancer, Map<String, String> settings) {
            throw new UnsupportedOperationException();
        }
    }
}
