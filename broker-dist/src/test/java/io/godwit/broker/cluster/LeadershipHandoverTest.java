package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceControl;
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
    /** How often all ranges were read. */
    private int readings;

    /** The steps that it reported as late. */
    private final List<String> late = new ArrayList<>();

    private void range(long id, String leader, String... voters) {
        ranges.add(new StoreOperations.RangeInfo(
                id, new byte[0], null, 7, List.of(voters), List.of(), leader, 1, 0, RangeLoad.UNKNOWN, "", List.of()));
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

    /** Each reading makes a list of all ranges, so one for each range would take seconds of the patience. */
    @Test
    void allRangesAreReadOnceHoweverManyAreRefused() {
        int many = 100;
        for (int id = 1; id <= many; id++) {
            range(id, "self", "a", "b", "self");
        }
        absent.addAll(List.of("a", "b"));
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).hasSize(2 * many);
        assertThat(readings).isEqualTo(1);
    }

    @Test
    void whatNobodyElseHasIsLeft() {
        range(1, "self", "self");
        range(2, "self", "a", "self");
        absent.add("a");
        LeadershipHandover.handOver(new Node(), PATIENCE, late::add);
        assertThat(moves).containsExactly("2@7 to a");
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
            return ranges;
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
            if (outrun.contains(move.to())) {
                ranges.clear();
                range(move.rangeId(), "c", "a", "b", "c", "self");
                return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.FAILED, "c leads"));
            }
            return CompletableFuture.completedFuture(absent.contains(move.to()) ? REFUSED : OperationResult.DONE);
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
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> pausedBalancers() {
            throw new UnsupportedOperationException();
        }
    }
}
