package io.godwit.kv.balance.policy;

import static io.godwit.kv.balance.policy.Views.range;
import static io.godwit.kv.balance.policy.Views.store;
import static io.godwit.kv.balance.policy.Views.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.policy.Views.RangeBuilder;
import io.godwit.kv.balance.policy.Views.StoreBuilder;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.ReplicaGoal;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaCountTest {
    private static final Duration GRACE = Views.RULES.grace();

    private final ReplicaCount balancer = new ReplicaCount(Views.RULES);

    private String next(ClusterView view) {
        return balancer.next(view).map(ReplicaCountTest::brief).orElse("nothing");
    }

    private static String brief(BalanceAction action) {
        if (action instanceof ChangeReplica change) {
            return change.step() + " " + change.store();
        }
        return action instanceof MoveLeader move ? "LEADER " + move.to() : action.toString();
    }

    private static List<StoreBuilder> stores(String... ids) {
        return Stream.of(ids).map(Views::store).toList();
    }

    private static StoreBuilder down(String id, Duration since) {
        return store(id).is(Liveness.DOWN, since);
    }

    @ParameterizedTest
    @CsvSource({
        "3, 1, 1, 1",
        "3, 2, 1, 2",
        "3, 3, 3, 3",
        "3, 9, 3, 3",
        "5, 4, 3, 3",
        "5, 2, 1, 2",
        "5, 5, 5, 5",
        "2, 1, 1, 1",
        "2, 2, 2, 2",
        "1, 7, 1, 1",
        "4, 4, 4, 4",
        "7, 6, 5, 5",
        "3, 0, 1, 1"
    })
    void votersAreOddWhereStoresLack(int goal, int stores, int wanted, int ceiling) {
        assertThat(VoterCount.of(goal, stores)).isEqualTo(new VoterCount(wanted, ceiling));
    }

    @Test
    void oneVoterIsEnoughForTwoStores() {
        assertThat(next(view("a", 3, stores("a", "b"), range(1, "").voters("a"))))
                .isEqualTo("nothing");
    }

    @Test
    void twoCopiesAreNotMadeOne() {
        assertThat(next(view("a", 3, stores("a", "b"), range(1, "").voters("a", "b"))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 1, stores("a", "b"), range(1, "").voters("a", "b"))))
                .isEqualTo("REMOVE b");
    }

    /** One and three voters are as safe as two and four, so it goes from one to three quickly. */
    @Test
    void aThirdStoreBringsTwoVotersWhichArePromotedTogether() {
        List<StoreBuilder> stores = stores("a", "b", "c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a")))).isEqualTo("ADD_LEARNER b");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a").learner("b", true))))
                .isEqualTo("ADD_LEARNER c");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a").learner("b", true).learner("c", false))))
                .isEqualTo("nothing");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a").learner("b", true).learner("c", true))))
                .isEqualTo("PROMOTE b");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").learner("c", true))))
                .isEqualTo("PROMOTE c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("nothing");
    }

    @Test
    void aStoreThatHasOnlyJustComeIsGivenNothing() {
        List<StoreBuilder> stores =
                List.of(store("a"), store("b"), store("c").is(Liveness.ALIVE, Duration.ofSeconds(29)));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a").learner("b", true))))
                .isEqualTo("nothing");
    }

    @Test
    void aVoterIsReplacedOnlyAfterTheGracePeriod() {
        List<StoreBuilder> early = List.of(store("a"), store("b"), down("c", GRACE.minusSeconds(1)), store("d"));
        List<StoreBuilder> gone = List.of(store("a"), store("b"), down("c", GRACE), store("d"));
        assertThat(next(view("a", 3, early, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, gone, range(1, "").voters("a", "b", "c")))).isEqualTo("ADD_LEARNER d");
        assertThat(next(view("a", 3, gone, range(1, "").voters("a", "b", "c").learner("d", false))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, gone, range(1, "").voters("a", "b", "c").learner("d", true))))
                .isEqualTo("PROMOTE d");
        assertThat(next(view("a", 3, gone, range(1, "").voters("a", "b", "c", "d"))))
                .isEqualTo("REMOVE c");
    }

    @Test
    void aSuspectIsNotReplacedHoweverLong() {
        List<StoreBuilder> stores =
                List.of(store("a"), store("b"), store("c").is(Liveness.SUSPECT, Views.LONG), store("d"));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("nothing");
    }

    @Test
    void theGoneVoterStaysWhenThereIsNoOtherStore() {
        List<StoreBuilder> stores = List.of(store("a"), store("b"), down("c", GRACE));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("nothing");
    }

    /** It cannot come back with its old vote. Two voters of two are as safe as two running ones of three. */
    @Test
    void aVoterThatHasStoppedIsBegunAnewInItsPlaceWhenThereIsNoOtherStore() {
        List<StoreBuilder> stores = stores("a", "b", "c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").stopped("c", GRACE.minusSeconds(1), true))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").stopped("c", GRACE, true))))
                .isEqualTo("REMOVE c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b")))).isEqualTo("ADD_LEARNER c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").learner("c", false))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").learner("c", true))))
                .isEqualTo("PROMOTE c");
    }

    /** The same disk has failed twice. */
    @Test
    void aVoterWhoseStoreDoesNotOfferItIsLeftAsItIs() {
        assertThat(next(view(
                        "a",
                        3,
                        stores("a", "b", "c"),
                        range(1, "").voters("a", "b").stopped("c", Views.LONG, false))))
                .isEqualTo("nothing");
    }

    @Test
    void aVoterThatHasStoppedIsReplacedElsewhereWhereThereIsAnotherStore() {
        List<StoreBuilder> stores = stores("a", "b", "c", "d");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").stopped("c", GRACE.minusSeconds(1), true))))
                .isEqualTo("nothing");
        for (boolean isReplaceable : List.of(true, false)) {
            assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b").stopped("c", GRACE, isReplaceable))))
                    .isEqualTo("ADD_LEARNER d");
            assertThat(next(view(
                            "a",
                            3,
                            stores,
                            range(1, "")
                                    .voters("a", "b")
                                    .stopped("c", GRACE, isReplaceable)
                                    .learner("d", false))))
                    .isEqualTo("nothing");
            assertThat(next(view(
                            "a",
                            3,
                            stores,
                            range(1, "")
                                    .voters("a", "b")
                                    .stopped("c", GRACE, isReplaceable)
                                    .learner("d", true))))
                    .isEqualTo("PROMOTE d");
            assertThat(next(view(
                            "a", 3, stores, range(1, "").voters("a", "b", "d").stopped("c", GRACE, isReplaceable))))
                    .isEqualTo("REMOVE c");
        }
    }

    @Test
    void nothingThatHasStoppedIsBegunAnewWhileNodesAreRestartedOrUpgradedOrTheMajorityIsAtRisk() {
        List<StoreBuilder> restarting = List.of(store("a"), down("b", Duration.ofSeconds(5)), store("c"));
        assertThat(next(view("a", 3, restarting, range(1, "").voters("a", "b").stopped("c", Views.LONG, true))))
                .isEqualTo("nothing");
        List<StoreBuilder> justBack = List.of(store("a"), store("b"), store("c").is(Liveness.ALIVE, Duration.ZERO));
        assertThat(next(view("a", 3, justBack, range(1, "").voters("a", "b").stopped("c", Views.LONG, true))))
                .isEqualTo("nothing");
        List<StoreBuilder> upgrading = List.of(store("a").version("2"), store("b"), store("c"));
        assertThat(next(view("a", 3, upgrading, range(1, "").voters("a", "b").stopped("c", Views.LONG, true))))
                .isEqualTo("nothing");
        assertThat(next(view(
                        "a",
                        5,
                        stores("a", "b", "c", "d", "e"),
                        range(1, "")
                                .voters("a", "b")
                                .stopped("c", Views.LONG, true)
                                .stopped("d", Views.LONG, true)
                                .stopped("e", Views.LONG, true))))
                .as("a leader without a majority changes nothing")
                .isEqualTo("nothing");
        assertThat(next(view(
                        "a",
                        3,
                        List.of(store("a"), store("b"), store("c").freeBytes(5 * Views.GIB)),
                        range(1, "").voters("a", "b").stopped("c", Views.LONG, true))))
                .as("there is no room for a copy beside the files that are kept")
                .isEqualTo("nothing");
    }

    @Test
    void aLearnerThatHasStoppedIsBegunAnew() {
        ReplicaGoal goal = new ReplicaGoal(3, true);
        List<StoreBuilder> stores = stores("a", "b", "c", "d");
        assertThat(next(view(
                        "a", goal, stores, range(1, "").voters("a", "b", "c").stoppedLearner("d", GRACE))))
                .isEqualTo("REMOVE d");
        assertThat(next(view(
                        "a",
                        goal,
                        stores,
                        range(1, "").voters("a", "b", "c").stoppedLearner("d", GRACE.minusSeconds(1)))))
                .isEqualTo("nothing");
    }

    @Test
    void whatIsNotUrgentWaitsForAReplicaThatHasStopped() {
        ClusterView view = view(
                "a", 3, stores("a", "b", "c"), range(1, "").voters("a", "b").stopped("c", Duration.ZERO, true));
        assertThat(new ReplicaPlacement(view, Views.RULES).isQuiet()).isFalse();
    }

    @Test
    void nothingIsChangedWhileAnotherVoterIsBeingRestarted() {
        List<StoreBuilder> stores = List.of(
                store("a"),
                store("b"),
                store("c"),
                down("d", Duration.ofSeconds(5)),
                down("e", GRACE),
                store("f"),
                store("g"));
        assertThat(next(view("a", 5, stores, range(1, "").voters("a", "b", "c", "d", "e"))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 5, stores, range(1, "").voters("a", "b", "c", "e", "f", "g"))))
                .isEqualTo("REMOVE e");
    }

    @Test
    void nothingIsChangedWhileMostStoresAreAway() {
        Duration lately = GRACE.minusSeconds(1);
        List<StoreBuilder> stores =
                List.of(store("a"), store("b"), down("c", lately), down("d", lately), down("e", lately), store("f"));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b")))).isEqualTo("nothing");
    }

    /** Left over from nodes that came back with new ids; some still count as having replicas. */
    @Test
    void ghostsStopNoHealing() {
        List<StoreBuilder> stores = List.of(
                store("a"),
                store("b"),
                store("c"),
                down("d", GRACE),
                down("e", GRACE),
                down("f", GRACE),
                down("g", GRACE));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a")))).isEqualTo("ADD_LEARNER b");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "d"))))
                .isEqualTo("ADD_LEARNER c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c").learner("d", true))))
                .isEqualTo("REMOVE d");
    }

    @Test
    void noVoterIsGivenUpThatTheMajorityNeeds() {
        List<StoreBuilder> stores = List.of(store("a"), store("b"), down("c", Duration.ZERO), down("d", GRACE));
        ClusterView view = view(
                "a",
                3,
                stores,
                range(1, "").voters("a", "b", "c"),
                range(2, "m").voters("a", "b", "d"));
        ReplicaPlacement placement = new ReplicaPlacement(view, Views.RULES);
        assertThat(placement.bestToRemove(view.ranges().get(0))).contains("c");
        assertThat(placement.bestToRemove(view.ranges().get(1))).contains("d");
        assertThat(placement.keepsMajority(view.ranges().get(0), List.of("a", "b", "c")))
                .isTrue();
        assertThat(placement.keepsMajority(view.ranges().get(0), List.of("a", "b", "c", "d")))
                .isFalse();
    }

    @Test
    void theRangeClosestToItsMajorityComesFirst() {
        List<StoreBuilder> stores =
                List.of(store("a"), store("b"), store("c"), store("d"), down("e", GRACE), down("f", GRACE), store("g"));
        assertThat(balancer.next(view(
                                "a",
                                5,
                                stores,
                                range(1, "").voters("a", "b", "c", "d", "e"),
                                range(2, "m").voters("a", "b", "c", "e", "f")))
                        .map(BalanceAction::rangeId))
                .contains(2L);
    }

    @Test
    void voterTooManyIsGivenUpWhereThePressureIsHighest() {
        List<StoreBuilder> stores = stores("a", "b", "c", "d");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a", "b", "c", "d"),
                        range(2, "m").voters("c"),
                        range(3, "p").voters("b", "c", "d"))))
                .isEqualTo("REMOVE c");
    }

    @Test
    void aLeaderTooManyFirstHandsOver() {
        List<StoreBuilder> stores = List.of(store("a").draining(), store("b"), store("c"), store("d"));
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a", "b", "c", "d"),
                        range(2, "m").voters("b", "c", "d"))))
                .isEqualTo("LEADER c");
    }

    /** The number of voters depends on the stores that stay, not on the draining one. */
    @Test
    void aDrainedVoterIsGivenUpWithoutReplacementWhenThereIsNone() {
        List<StoreBuilder> stores = List.of(store("a"), store("b"), store("c").draining());
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("REMOVE c");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b")))).isEqualTo("nothing");
    }

    @Test
    void newVotersGoToZonesThatHaveNone() {
        List<StoreBuilder> stores = List.of(
                store("a").zone("1"),
                store("b").zone("1"),
                store("c").zone("2"),
                store("d").zone("3"));
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a"),
                        range(2, "m").voters("c", "d"),
                        range(3, "p").voters("c", "d"))))
                .isEqualTo("ADD_LEARNER c");
    }

    @Test
    void votersThatShareAZoneAreParted() {
        List<StoreBuilder> stores = List.of(
                store("a").zone("1"),
                store("b").zone("1"),
                store("c").zone("2"),
                store("d").zone("3"));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("ADD_LEARNER d");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c").learner("d", false))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c").learner("d", true))))
                .isEqualTo("PROMOTE d");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a", "b", "c", "d"),
                        range(2, "m").voters("b"))))
                .isEqualTo("REMOVE b");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "c", "d"))))
                .isEqualTo("nothing");
    }

    @Test
    void zonesWaitUntilEverybodyIsBack() {
        List<StoreBuilder> stores = List.of(
                store("a").zone("1"),
                store("b").zone("1"),
                store("c").zone("2"),
                store("d").zone("3"),
                down("e", Duration.ofSeconds(5)));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("nothing");
    }

    @Test
    void learnersOfNoUseAreGivenUp() {
        List<StoreBuilder> stores = stores("a", "b", "c", "d");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c").learner("d", true))))
                .as("d would have as much load as any of the voters")
                .isEqualTo("REMOVE d");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a", "b", "c").learner("d", true),
                        range(2, "m").voters("c"))))
                .as("d takes over a replica of c")
                .isEqualTo("nothing");
    }

    @Test
    void aLearnerOnAStoreThatIsGoneIsGivenUp() {
        List<StoreBuilder> stores = List.of(store("a"), store("b"), store("c"), down("d", GRACE));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a", "b", "c").learner("d", false))))
                .isEqualTo("REMOVE d");
    }

    @Test
    void everyStoreGetsALearnerWhereThatIsTheGoal() {
        ReplicaGoal goal = new ReplicaGoal(3, true);
        List<StoreBuilder> stores = stores("a", "b", "c", "d", "e");
        assertThat(next(view("a", goal, stores, range(1, "").voters("a", "b", "c"))))
                .isEqualTo("ADD_LEARNER d");
        assertThat(next(view(
                        "a", goal, stores, range(1, "").voters("a", "b", "c").learner("d", false))))
                .isEqualTo("ADD_LEARNER e");
        assertThat(next(view(
                        "a",
                        goal,
                        stores,
                        range(1, "").voters("a", "b", "c").learner("d", true).learner("e", true))))
                .isEqualTo("nothing");
        assertThat(next(view(
                        "a",
                        goal,
                        stores,
                        range(1, "").voters("a", "b", "c", "d").learner("e", true))))
                .isEqualTo("DEMOTE b");
    }

    /** It may still have clients, which it serves from its learner. */
    @Test
    void aDrainedStoreKeepsTheLearnerThatEveryStoreHasUntilItIsGone() {
        ReplicaGoal goal = new ReplicaGoal(3, true);
        List<StoreBuilder> stores =
                List.of(store("a"), store("b"), store("c"), store("d").draining());
        assertThat(next(view("a", goal, stores, range(1, "").voters("a", "b", "c", "d"))))
                .isEqualTo("DEMOTE d");
        RangeBuilder kept = range(1, "").voters("a", "b", "c").learner("d", true);
        assertThat(next(view("a", goal, stores, kept))).isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, kept))).isEqualTo("REMOVE d");
        for (Liveness away : List.of(Liveness.SUSPECT, Liveness.DOWN)) {
            List<StoreBuilder> returning = List.of(
                    store("a"),
                    store("b"),
                    store("c"),
                    store("d").is(away, Duration.ofMinutes(1)).draining());
            assertThat(next(view("a", goal, returning, kept))).isEqualTo("nothing");
        }
        List<StoreBuilder> gone = List.of(
                store("a"),
                store("b"),
                store("c"),
                store("d").is(Liveness.DOWN, Duration.ofHours(1)).draining());
        assertThat(next(view("a", goal, gone, kept))).isEqualTo("REMOVE d");
    }

    /** A node without one serves no client. It gets a vote only once it has been alive for long enough. */
    @Test
    void aStoreThatHasJustComeGetsTheLearnerThatEveryStoreIsToHave() {
        ReplicaGoal goal = new ReplicaGoal(3, true);
        List<StoreBuilder> stores = List.of(store("a"), store("b").is(Liveness.ALIVE, Duration.ofSeconds(1)));
        assertThat(next(view("a", goal, stores, range(1, "").voters("a")))).isEqualTo("ADD_LEARNER b");
        assertThat(next(view("a", goal, stores, range(1, "").voters("a").learner("b", true))))
                .isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a")))).isEqualTo("nothing");
        List<StoreBuilder> draining = List.of(
                store("a"), store("b").is(Liveness.ALIVE, Duration.ofSeconds(1)).draining());
        assertThat(next(view("a", goal, draining, range(1, "").voters("a")))).isEqualTo("nothing");
    }

    @Test
    void fewCopiesAtATime() {
        List<StoreBuilder> stores = stores("a", "b", "c", "d", "e", "f");
        assertThat(next(view(
                        "a",
                        3,
                        stores,
                        range(1, "").voters("a").learner("b", false).learner("c", false),
                        range(2, "m").voters("a"))))
                .isEqualTo("nothing");
    }

    @Test
    void aFullDiskIsGivenNothing() {
        List<StoreBuilder> stores = List.of(store("a"), store("b").freeBytes(10 * Views.GIB), store("c"));
        assertThat(next(view("a", 3, stores, range(1, "").voters("a").bytes(1).learner("c", true))))
                .isEqualTo("nothing");
    }

    @Test
    void onlyRangesLedHereWithNothingUnderWayAreTouched() {
        List<StoreBuilder> stores = stores("a", "b", "c");
        assertThat(next(view("b", 3, stores, range(1, "").voters("a")))).isEqualTo("nothing");
        assertThat(next(view("a", 3, stores, range(1, "").voters("a").change(RangeChange.SPLIT))))
                .isEqualTo("nothing");
    }
}
