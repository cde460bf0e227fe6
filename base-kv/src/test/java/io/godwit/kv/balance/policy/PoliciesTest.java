package io.godwit.kv.balance.policy;

import static io.godwit.kv.balance.policy.Views.key;
import static io.godwit.kv.balance.policy.Views.range;
import static io.godwit.kv.balance.policy.Views.store;
import static io.godwit.kv.balance.policy.Views.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.balance.policy.Views.RangeBuilder;
import io.godwit.kv.balance.policy.Views.StoreBuilder;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.ReplicaGoal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The balancers except {@link ReplicaCount}, with default settings unless stated otherwise. */
class PoliciesTest {
    private static final List<StoreBuilder> ABC = stores("a", "b", "c");

    private static List<StoreBuilder> stores(String... ids) {
        return Stream.of(ids).map(Views::store).toList();
    }

    private static Optional<BalanceAction> ask(String balancer, Map<String, String> settings, ClusterView view) {
        return Views.shipped(balancer, settings).create().next(view);
    }

    @Nested
    class SplitTest {
        private Optional<BalanceAction> next(ClusterView view) {
            return ask("split", Map.of(), view);
        }

        private RangeBuilder hot() {
            return range(1, "").voters("a", "b", "c").load(120_000, 5_000).hint("m", 0.4);
        }

        @Test
        void aDenseRangeIsCutInTheMiddleOfItsLoad() {
            assertThat(next(view("a", 3, ABC, hot()))).get().isInstanceOfSatisfying(Split.class, split -> {
                assertThat(split.key()).contains(key("m"));
                assertThat(split.epoch()).isEqualTo(5);
                assertThat(split.reason()).contains("120.0 operations/ms");
            });
            assertThat(next(view("a", 3, ABC, hot().load(99_000, 5_000)))).isEmpty();
        }

        @Test
        void aRangeThatKeepsItsThreadBusyIsCut() {
            assertThat(next(view("a", 3, ABC, hot().load(40_000, 25_000)))).isPresent();
            assertThat(next(view("a", 3, ABC, hot().load(40_000, 15_000)))).isEmpty();
        }

        @Test
        void nothingIsCutForLoadWhileOperationsAreSlow() {
            assertThat(next(view("a", 3, ABC, hot().load(120_000, 30_000)))).isPresent();
            assertThat(next(view("a", 3, ABC, hot().load(120_000, 30_001)))).isEmpty();
        }

        @Test
        void loadOnOneKeyIsNotCut() {
            assertThat(next(view("a", 3, ABC, hot().hint("m", 0.05)))).isEmpty();
            assertThat(next(view("a", 3, ABC, range(1, "").voters("a").load(120_000, 5_000))))
                    .isEmpty();
        }

        @Test
        void aRangeRestsAfterAChangeAndUntilItWasMeasured() {
            assertThat(next(view("a", 3, ABC, hot().stableFor(Duration.ofSeconds(29)))))
                    .isEmpty();
            assertThat(next(view(
                            "a", 3, ABC, hot().load(new RangeLoad(Duration.ofSeconds(29), 120_000, 120_000, 5_000)))))
                    .isEmpty();
        }

        @Test
        void aLargeRangeIsCutWhereItsBytesAreHalved() {
            RangeBuilder large = range(1, "").voters("a").bytes(256 << 20);
            assertThat(next(view("a", 3, ABC, large))).isEmpty();
            assertThat(next(view("a", 3, ABC, large.bytes((256 << 20) + 1))))
                    .get()
                    .isInstanceOfSatisfying(
                            Split.class, split -> assertThat(split.key()).isEmpty());
        }

        @Test
        void theHottestIsCutFirst() {
            assertThat(next(view(
                                    "a",
                                    3,
                                    ABC,
                                    hot(),
                                    range(2, "n")
                                            .voters("a")
                                            .load(150_000, 5_000)
                                            .hint("p", 0.5)))
                            .map(BalanceAction::rangeId))
                    .contains(2L);
        }

        /** Four ranges per core: eight on a machine with two cores, 256 with 64. */
        @Test
        void loadCutsNoMoreRangesThanThereAreCoresFor() {
            RangeBuilder[] eight = IntStream.range(0, 8)
                    .mapToObj(i -> range(i, i == 0 ? "" : String.valueOf(i))
                            .voters("a")
                            .load(120_000, 5_000)
                            .hint(i + "5", 0.5))
                    .toArray(RangeBuilder[]::new);
            assertThat(next(view("a", 1, List.of(store("a").cores(2)), eight))).isEmpty();
            assertThat(next(view("a", 1, List.of(store("a").cores(64)), eight))).isPresent();
            assertThat(next(view("a", 1, List.of(store("a").cores(2), store("b").cores(2)), eight)))
                    .isPresent();
        }

        @Test
        void loadCutsNothingWhileNoStoreHasCpuLeft() {
            StoreBuilder busy = store("a").cpuLoad(0.95);
            RangeBuilder hot = range(1, "").voters("a").load(120_000, 5_000).hint("m", 0.5);
            assertThat(next(view("a", 1, List.of(busy), hot))).isEmpty();
            assertThat(next(view("a", 1, List.of(busy, store("b")), hot))).isPresent();
        }

        @Test
        void nothingIsCutDuringAnUpgrade() {
            assertThat(next(view(
                            "a", 3, List.of(store("a"), store("b"), store("c").version("2")), hot())))
                    .isEmpty();
        }
    }

    @Nested
    class MergeTest {
        private Optional<BalanceAction> next(ClusterView view) {
            return ask("merge", Map.of(), view);
        }

        private RangeBuilder cold(long id, String start, String... voters) {
            return range(id, start).voters(voters).bytes(1 << 20);
        }

        @Test
        void coldNeighboursWithTheSameVotersAreJoined() {
            assertThat(next(view("a", 3, ABC, cold(1, "", "a", "b", "c"), cold(2, "m", "c", "a", "b"))))
                    .get()
                    .isInstanceOfSatisfying(Merge.class, merge -> {
                        assertThat(merge.rangeId()).isEqualTo(1);
                        assertThat(merge.rightId()).isEqualTo(2);
                        assertThat(merge.rightEpoch()).isEqualTo(5);
                    });
            assertThat(next(view("c", 3, ABC, cold(1, "", "a", "b", "c"), cold(2, "m", "c", "a", "b"))))
                    .as("only the leader of the left range asks for the merge")
                    .isEmpty();
        }

        @Test
        void rangesWithOtherVotersOrLearnersAreNotMerged() {
            assertThat(next(view("a", 3, ABC, cold(1, "", "a", "b"), cold(2, "m", "a", "c"))))
                    .isEmpty();
            assertThat(next(view(
                            "a",
                            3,
                            ABC,
                            cold(1, "", "a", "b"),
                            cold(2, "m", "a", "b").learner("c", true))))
                    .isEmpty();
        }

        /** A merged range must be far below the split limits, also at its peak. */
        @Test
        void rangesThatWouldSoonBeSplitAreNotMerged() {
            RangeLoad peaky = new RangeLoad(Views.LONG, 0, 20_000, 0);
            RangeLoad slow = new RangeLoad(Views.LONG, 6_000, 6_000, 30_000);
            assertThat(next(view("a", 3, ABC, cold(1, "", "a").load(peaky), cold(2, "m", "a"))))
                    .isPresent();
            assertThat(next(view(
                            "a",
                            3,
                            ABC,
                            cold(1, "", "a").load(peaky),
                            cold(2, "m", "a").load(peaky))))
                    .isEmpty();
            assertThat(next(view(
                            "a",
                            3,
                            ABC,
                            cold(1, "", "a").load(slow),
                            cold(2, "m", "a").load(slow))))
                    .isEmpty();
            assertThat(next(view(
                            "a",
                            3,
                            ABC,
                            cold(1, "", "a").bytes(40 << 20),
                            cold(2, "m", "a").bytes(40 << 20))))
                    .isEmpty();
        }

        @Test
        void rangesAreMergedOnlyAfterALongRest() {
            Duration short_ = Duration.ofSeconds(599);
            assertThat(next(view("a", 3, ABC, cold(1, "", "a").stableFor(short_), cold(2, "m", "a"))))
                    .isEmpty();
            assertThat(next(view(
                            "a", 3, ABC, cold(1, "", "a"), cold(2, "m", "a").load(new RangeLoad(short_, 0, 0, 0)))))
                    .isEmpty();
        }

        @Test
        void nothingIsMergedWhileAStoreIsAway() {
            List<StoreBuilder> stores =
                    List.of(store("a"), store("b"), store("c").is(Liveness.DOWN, Duration.ofSeconds(1)));
            assertThat(next(view("a", 3, stores, cold(1, "", "a"), cold(2, "m", "a"))))
                    .isEmpty();
        }

        /** All stores pair ranges in the same way, so that no two of them ask for the same one. */
        @Test
        void allNodesFindTheSamePairs() {
            RangeBuilder[] four = {
                cold(1, "", "a", "b"), cold(2, "f", "b", "a"), cold(3, "m", "b", "a"), cold(4, "t", "a", "b")
            };
            assertThat(next(view("a", 2, ABC, four)).map(BalanceAction::rangeId))
                    .contains(1L);
            assertThat(next(view("b", 2, ABC, four)).map(BalanceAction::rangeId))
                    .contains(3L);
        }

        @Test
        void someRangesAreKept() {
            ClusterView view = view("a", 3, ABC, cold(1, "", "a"), cold(2, "m", "a"));
            assertThat(ask("merge", Map.of("minRanges", "2"), view)).isEmpty();
            assertThat(ask("merge", Map.of("minRanges", "1"), view)).isPresent();
        }
    }

    @Nested
    class DrainTest {
        private Optional<BalanceAction> next(ClusterView view) {
            return ask("drain", Map.of(), view);
        }

        @Test
        void drainedStoresFirstHandOverLeaderships() {
            List<StoreBuilder> stores = List.of(store("a").draining(), store("b"), store("c"), store("d"));
            assertThat(next(view(
                            "a",
                            3,
                            stores,
                            range(1, "").voters("a", "b", "c"),
                            range(2, "m").voters("b"))))
                    .get()
                    .isInstanceOfSatisfying(
                            MoveLeader.class, move -> assertThat(move.to()).isEqualTo("c"));
        }

        @Test
        void afterLeadersVotersAreReplaced() {
            List<StoreBuilder> stores = List.of(store("a").draining(), store("b"), store("c"), store("d"));
            assertThat(next(view("b", 3, stores, range(1, "").voters("b", "a", "c"))))
                    .get()
                    .isInstanceOfSatisfying(ChangeReplica.class, change -> {
                        assertThat(change.step()).isEqualTo(Step.ADD_LEARNER);
                        assertThat(change.store()).isEqualTo("d");
                    });
            assertThat(next(view(
                            "b", 3, stores, range(1, "").voters("b", "a", "c").learner("d", false))))
                    .isEmpty();
            assertThat(next(view(
                            "b", 3, stores, range(1, "").voters("b", "a", "c").learner("d", true))))
                    .get()
                    .isInstanceOfSatisfying(
                            ChangeReplica.class,
                            change -> assertThat(change.step()).isEqualTo(Step.PROMOTE));
        }

        @Test
        void aLeaderAloneIsReplacedToo() {
            List<StoreBuilder> stores = List.of(store("a").draining(), store("b"));
            assertThat(next(view("a", 1, stores, range(1, "").voters("a"))))
                    .get()
                    .isInstanceOfSatisfying(
                            ChangeReplica.class,
                            change -> assertThat(change.store()).isEqualTo("b"));
        }

        @Test
        void nothingToDoWithoutAStoreThatIsToGo() {
            assertThat(next(view("a", 3, ABC, range(1, "").voters("a", "b", "c"))))
                    .isEmpty();
        }
    }

    @Nested
    class LeaderSpreadTest {
        private Optional<BalanceAction> next(ClusterView view) {
            return ask("leader-spread", Map.of(), view);
        }

        private RangeBuilder[] led(String... leaders) {
            return IntStream.range(0, leaders.length)
                    .mapToObj(i -> range(i, i == 0 ? "" : String.valueOf(i))
                            .voters(Stream.concat(
                                            Stream.of(leaders[i]),
                                            Stream.of("a", "b", "c").filter(store -> !store.equals(leaders[i])))
                                    .toArray(String[]::new)))
                    .toArray(RangeBuilder[]::new);
        }

        @Test
        void idleRangesAreSharedByNumber() {
            assertThat(next(view("a", 3, ABC, led("a", "a", "b"))))
                    .get()
                    .isInstanceOfSatisfying(
                            MoveLeader.class, move -> assertThat(move.to()).isEqualTo("c"));
            assertThat(next(view("a", 3, ABC, led("a", "a", "b", "c")))).isEmpty();
        }

        /** A store of one range, and three stores: after a restart one node would lead all. */
        @Test
        void leadersMakeRoomForThoseOfKeySpacesBeforeTheirs() {
            List<StoreBuilder> stores = List.of(store("a").leadsElsewhere(100), store("b"), store("c"));
            assertThat(next(view("a", 3, stores, led("a"))))
                    .get()
                    .isInstanceOfSatisfying(
                            MoveLeader.class, move -> assertThat(move.to()).isEqualTo("b"));
            assertThat(next(view("a", 3, stores, led("a", "b"))))
                    .get()
                    .isInstanceOfSatisfying(
                            MoveLeader.class, move -> assertThat(move.to()).isEqualTo("c"));
            assertThat(next(view("b", 3, stores, led("b", "c")))).isEmpty();
            stores.forEach(store -> store.leadsElsewhere(100));
            assertThat(next(view("a", 3, stores, led("a"))))
                    .as("no other node leads fewer ranges")
                    .isEmpty();
        }

        @Test
        void loadCountsForMoreThanNumbers() {
            RangeBuilder[] ranges = led("a", "a", "b", "b", "b", "c", "c", "c");
            ranges[0].load(50_000, 1_000);
            ranges[1].load(50_000, 1_000);
            assertThat(next(view("a", 3, ABC, ranges))).isPresent();
            assertThat(next(view("b", 3, ABC, ranges))).isEmpty();
        }

        @Test
        void storesWithMoreCoresLeadMore() {
            List<StoreBuilder> stores =
                    List.of(store("a").cores(2), store("b").cores(2), store("c").cores(64));
            assertThat(next(view("a", 3, stores, led("a", "b", "c", "c", "c", "c"))))
                    .get()
                    .isInstanceOfSatisfying(
                            MoveLeader.class, move -> assertThat(move.to()).isEqualTo("c"));
            assertThat(next(view("c", 3, stores, led("a", "b", "c", "c", "c", "c", "c", "c"))))
                    .isEmpty();
        }

        @Test
        void aBusyOrDrainingStoreIsGivenNothing() {
            List<StoreBuilder> stores =
                    List.of(store("a"), store("b").cpuLoad(0.95), store("c").draining());
            assertThat(next(view("a", 3, stores, led("a", "a", "a", "a")))).isEmpty();
        }

        @Test
        void nothingMovesWhileAStoreIsAway() {
            List<StoreBuilder> stores =
                    List.of(store("a"), store("b"), store("c").is(Liveness.DOWN, Duration.ofSeconds(9)));
            assertThat(next(view("a", 3, stores, led("a", "a", "a", "a")))).isEmpty();
            stores.get(2).is(Liveness.DOWN, Views.LONG);
            assertThat(next(view("a", 3, stores, led("a", "a", "a", "a")))).isPresent();
        }
    }

    @Nested
    class RangeSpreadTest {
        private Optional<BalanceAction> next(ClusterView view) {
            return ask("range-spread", Map.of(), view);
        }

        @Test
        void anEmptyStoreIsGivenReplicas() {
            assertThat(next(view(
                            "a",
                            1,
                            stores("a", "b"),
                            range(1, "").voters("a"),
                            range(2, "m").voters("a"),
                            range(3, "p").voters("a"))))
                    .get()
                    .isInstanceOfSatisfying(ChangeReplica.class, change -> {
                        assertThat(change.step()).isEqualTo(Step.ADD_LEARNER);
                        assertThat(change.store()).isEqualTo("b");
                    });
        }

        @Test
        void aMoveThatHasBegunIsContinued() {
            RangeBuilder one = range(1, "").voters("a").learner("b", true);
            assertThat(next(view("a", 1, stores("a", "b"), one, range(2, "m").voters("a"))))
                    .get()
                    .isInstanceOfSatisfying(ChangeReplica.class, change -> {
                        assertThat(change.step()).isEqualTo(Step.PROMOTE);
                        assertThat(change.store()).isEqualTo("b");
                    });
        }

        /** A disk half as large gets half the bytes. */
        @Test
        void bytesGoWhereThereIsRoom() {
            List<StoreBuilder> stores = List.of(store("a").freeBytes(20 * Views.GIB), store("b"));
            RangeBuilder large = range(1, "").voters("a").bytes(5 * Views.GIB);
            RangeBuilder larger = range(2, "m").voters("a").bytes(6 * Views.GIB);
            assertThat(next(view("a", 1, stores, large, larger)).map(BalanceAction::rangeId))
                    .contains(2L);
            assertThat(next(view("b", 1, stores, range(1, "").voters("b").bytes(5 * Views.GIB), larger)))
                    .isEmpty();
        }

        @Test
        void noVoterGoesWhereAnotherOneSharesItsZone() {
            List<StoreBuilder> stores = List.of(
                    store("a").zone("1"),
                    store("b").zone("2"),
                    store("c").zone("3"),
                    store("d").zone("3"));
            RangeBuilder[] ranges = {
                range(1, "").voters("a", "b", "c"),
                range(2, "m").voters("a", "b", "c"),
                range(3, "p").voters("a", "b", "c")
            };
            assertThat(next(view("a", 3, stores, ranges)).map(action -> ((ChangeReplica) action).store()))
                    .as("d replaces c, because b and c are in the same zone")
                    .contains("d");
            stores.get(2).zone("4");
            stores.get(3).zone("1");
            assertThat(next(view("a", 3, stores, ranges))).as("d replaces a").isPresent();
        }

        @Test
        void oneMoveAtATimeInTheWholeCluster() {
            RangeBuilder[] ranges = {
                range(1, "").voters("c").learner("b", false),
                range(2, "f").voters("a"),
                range(3, "m").voters("a"),
                range(4, "p").voters("a")
            };
            assertThat(next(view("a", 1, ABC, ranges))).isEmpty();
            ranges[0] = range(1, "").voters("c");
            assertThat(next(view("a", 1, ABC, ranges))).isPresent();
        }

        /** All stores compute the best exchange over all ranges, and only the leader of that range begins it. */
        @Test
        void oneStoreAtMostBeginsAMove() {
            RangeBuilder[] ranges = {
                range(1, "").voters("a"),
                range(2, "f").voters("a"),
                range(3, "m").voters("a"),
                range(4, "p").voters("b"),
                range(5, "t").voters("b"),
                range(6, "w").voters("b")
            };
            long asked = Stream.of("a", "b", "c")
                    .filter(self -> next(view(self, 1, ABC, ranges)).isPresent())
                    .count();
            assertThat(asked).isEqualTo(1);
        }

        @Test
        void withAReplicaOnEveryStoreThereIsNothingToSpread() {
            assertThat(next(view(
                            "a",
                            new ReplicaGoal(1, true),
                            stores("a", "b"),
                            range(1, "").voters("a").learner("b", true),
                            range(2, "m").voters("a").learner("b", true))))
                    .isEmpty();
        }
    }

    @Test
    void theOrderIsSafetyFirst() {
        assertThat(ShippedBalancers.ALL.stream().map(RangeBalancerFactory::name))
                .containsExactly("replica-count", "drain", "split", "merge", "leader-spread", "range-spread");
    }

    @Test
    void everyDefaultIsValid() {
        assertThat(BalancePlan.shipped(Map.of()).steps())
                .allSatisfy(step -> assertThat(step.create()).isNotNull());
    }

    @Test
    void sharedSettingsReachAllWhoKnowThem() {
        BalancePlan plan = BalancePlan.shipped(Map.of("maxIoDensity", "50", "graceSeconds", "1"));
        assertThat(plan.steps()).allSatisfy(step -> assertThat(step.settings()).containsEntry("graceSeconds", "1"));
        assertThat(plan.steps().stream()
                        .filter(step -> step.settings().containsKey("maxIoDensity"))
                        .map(BalancePlan.Step::name))
                .containsExactly("split", "merge");
        assertThatThrownBy(() -> BalancePlan.shipped(Map.of("maxIODensity", "50")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxIODensity");
    }

    @Test
    void wrongSettingsAreNamed() {
        assertThatThrownBy(() ->
                        Views.shipped("split", Map.of("maxIoDensity", "-3")).create())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("split", "maxIoDensity", "\"-3\"");
        assertThatThrownBy(() ->
                        Views.shipped("drain", Map.of("graceSeconds", "soon")).create())
                .hasMessageContainingAll("drain", "graceSeconds", "\"soon\"", "whole number");
        assertThatThrownBy(() -> Views.shipped("drain", Map.of("maxBytes", "1")).create())
                .hasMessageContainingAll("drain", "\"maxBytes\"", "graceSeconds");
    }
}
