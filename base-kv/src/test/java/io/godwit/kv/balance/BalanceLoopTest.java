package io.godwit.kv.balance;

import static io.godwit.kv.balance.policy.Views.range;
import static io.godwit.kv.balance.policy.Views.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.balance.policy.Views;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The loop with balancers and an executor that the test controls. */
class BalanceLoopTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BalanceLoopConfig CONFIG = new BalanceLoopConfig(
            SECOND, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(60), 2);

    /** Returns what {@link #wants} has for the first range that is actionable. */
    private static final class Scripted implements RangeBalancerFactory, RangeBalancer {
        private final String name;
        private final Map<Long, BalanceAction> wants = new HashMap<>();
        private final List<Map<String, String>> created = new ArrayList<>();
        private int asked;
        private RuntimeException failure;

        private Scripted(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Map<String, String> defaults() {
            return Map.of("limit", "1", "other", "x");
        }

        @Override
        public RangeBalancer create(Map<String, String> settings) {
            if (settings.get("limit").equals("bad")) {
                throw new IllegalArgumentException("limit: must be good");
            }
            created.add(settings);
            return this;
        }

        @Override
        public Optional<BalanceAction> next(ClusterView view) {
            asked++;
            if (failure != null) {
                throw failure;
            }
            return wants.values().stream()
                    .filter(action -> view.range(action.rangeId()).isEmpty()
                            || view.actionable().stream().anyMatch(range -> range.id() == action.rangeId()))
                    .findFirst();
        }
    }

    private final ManualTimer timer = new ManualTimer();
    private final Scripted first = new Scripted("first");
    private final Scripted second = new Scripted("second");
    private final List<BalanceAction> begun = new ArrayList<>();
    private final List<CompletableFuture<ActionOutcome>> outcomes = new ArrayList<>();
    private Optional<ClusterView> view = Optional.of(view(5, "a"));
    private int views;
    private final BalanceLoop loop = new BalanceLoop(
            "inbox",
            new BalancePlan(
                    List.of(new BalancePlan.Step(first, Map.of()), new BalancePlan.Step(second, Map.of("limit", "7")))),
            () -> {
                views++;
                return view;
            },
            action -> {
                begun.add(action);
                outcomes.add(new CompletableFuture<>());
                return outcomes.get(outcomes.size() - 1);
            },
            CONFIG,
            timer);

    @BeforeEach
    void start() {
        loop.start();
    }

    /**
     * Two ranges on a, b and c with epoch 5, except the epoch of the first as given; led by {@code leader} and by a.
     */
    private static ClusterView view(long firstEpoch, String leader) {
        ClusterView built = Views.view(
                "a",
                3,
                List.of(store("a"), store("b"), store("c"), store("d")),
                range(1, "").voters(leader, leader.equals("a") ? "b" : "a", "c"),
                range(2, "m").voters("a", "b", "c"));
        return new ClusterView(
                built.keySpace(),
                built.self(),
                built.goal(),
                built.stores(),
                built.ranges().stream()
                        .map(range -> range.id() != 1
                                ? range
                                : new RangeView(
                                        1,
                                        range.start(),
                                        range.end(),
                                        firstEpoch,
                                        range.replicas(),
                                        range.leader(),
                                        0,
                                        range.load(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        range.stableFor()))
                        .toList());
    }

    private static Split split(long range) {
        return new Split(range, 5, Optional.empty(), "it is told to");
    }

    private void seconds(int count) {
        timer.advance(SECOND.multipliedBy(count));
    }

    private void end(int action, ActionOutcome outcome) {
        outcomes.get(action).complete(outcome);
    }

    private <T> T get(CompletableFuture<T> answer) {
        timer.advance(Duration.ZERO);
        return answer.getNow(null);
    }

    private BalancerStatus status(int balancer) {
        return get(loop.list()).get(balancer);
    }

    @Test
    void theFirstWithAnActionGetsIt() {
        first.wants.put(1L, split(1));
        second.wants.put(2L, split(2));
        seconds(1);
        assertThat(begun).containsExactly(split(1));
        assertThat(second.asked).isZero();
    }

    @Test
    void oneActionForEachBalancerAndOneARound() {
        first.wants.put(1L, split(1));
        second.wants.put(2L, split(2));
        first.wants.put(2L, split(2));
        seconds(5);
        assertThat(begun).containsExactly(split(1), split(2));
        assertThat(first.asked)
                .as("a balancer is not asked while its action runs")
                .isEqualTo(1);
    }

    @Test
    void noMoreActionsAtOnceThanConfigured() {
        first.wants.put(1L, split(1));
        second.wants.put(2L, split(2));
        seconds(2);
        int asked = first.asked + second.asked;
        seconds(3);
        assertThat(first.asked + second.asked).isEqualTo(asked);
    }

    @Test
    void balancersSeeWhatIsUnderWay() {
        first.wants.put(1L, split(1));
        second.wants.put(1L, split(1));
        seconds(3);
        assertThat(begun).as("no second action begins for range 1").hasSize(1);
        assertThat(second.asked).isPositive();
    }

    /** Otherwise the balancer would decide again on the old state. */
    @Test
    void theBalancerIsAskedAgainWhenTheViewShowsTheEffect() {
        first.wants.put(1L, split(1));
        seconds(1);
        end(0, ActionOutcome.DONE);
        seconds(5);
        assertThat(first.asked).isEqualTo(1);
        view = Optional.of(view(6, "a"));
        first.wants.clear();
        seconds(1);
        assertThat(first.asked).isEqualTo(2);
        assertThat(status(0).done()).isEqualTo(1);
    }

    @Test
    void itIsAskedAgainInAnyCaseAfterSomeTime() {
        first.wants.put(1L, split(1));
        seconds(1);
        end(0, ActionOutcome.DONE);
        seconds(11);
        assertThat(begun).hasSize(2);
    }

    @Test
    void aMovedLeaderIsSeenWithoutANewEpoch() {
        first.wants.put(1L, new MoveLeader(1, 5, "b", ""));
        seconds(1);
        end(0, ActionOutcome.DONE);
        view = Optional.of(view(5, "b"));
        seconds(1);
        assertThat(first.asked).isEqualTo(2);
    }

    @Test
    void aRangeRestsLongerAfterEachFailure() {
        first.wants.put(1L, split(1));
        for (int pause : new int[] {5, 10, 20, 40, 60, 60}) {
            int before = begun.size();
            seconds(1);
            assertThat(begun).hasSize(before + 1);
            end(before, ActionOutcome.FAILED);
            seconds(pause - 1);
            assertThat(begun).as("within %s s", pause).hasSize(before + 1);
        }
        assertThat(status(0).failed()).isEqualTo(6);
    }

    @Test
    void otherRangesGoOnMeanwhile() {
        first.wants.put(1L, split(1));
        seconds(1);
        end(0, ActionOutcome.REFUSED);
        first.wants.put(2L, split(2));
        seconds(2);
        assertThat(begun).containsExactly(split(1), split(2));
    }

    @Test
    void aStaleActionOnlyWaitsForANewerView() {
        first.wants.put(1L, split(1));
        for (int i = 0; i < 4; i++) {
            seconds(1);
            assertThat(begun).hasSize(i + 1);
            end(i, ActionOutcome.STALE);
            seconds(4);
        }
        assertThat(status(0).refused()).isEqualTo(4);
    }

    @Test
    void anActionWithoutAnEndCountsAsFailed() {
        first.wants.put(1L, split(1));
        seconds(61);
        assertThat(status(0).failed()).isEqualTo(1);
        seconds(7);
        assertThat(begun).hasSize(2);
        end(0, ActionOutcome.DONE);
        timer.advance(Duration.ZERO);
        assertThat(status(0).done())
                .as("an end that comes too late does not count as done")
                .isZero();
    }

    @Test
    void aFailedFutureIsAFailure() {
        first.wants.put(1L, split(1));
        seconds(1);
        outcomes.get(0).completeExceptionally(new IllegalStateException("no"));
        timer.advance(Duration.ZERO);
        assertThat(status(0)).satisfies(status -> {
            assertThat(status.failed()).isEqualTo(1);
            assertThat(status.lastAction()).contains("Split", "FAILED");
        });
    }

    @Test
    void aBalancerThatThrowsIsLeftAloneForAWhileAndTheOthersAreNot() {
        first.failure = new IllegalStateException("no ladder");
        second.wants.put(2L, split(2));
        seconds(1);
        assertThat(begun).containsExactly(split(2));
        assertThat(status(0).fault()).contains("no ladder");
        seconds(4);
        assertThat(first.asked).isEqualTo(1);
        seconds(1);
        assertThat(first.asked).isEqualTo(2);
        seconds(9);
        assertThat(first.asked).isEqualTo(2);
        first.failure = null;
        seconds(1);
        assertThat(first.asked).isEqualTo(3);
        assertThat(status(0).fault()).isEmpty();
    }

    @Test
    void actionsThatMakeNoSenseAreNotBegun() {
        List<BalanceAction> senseless = List.of(
                split(9),
                new Split(1, 4, Optional.empty(), "of an epoch before"),
                new MoveLeader(1, 5, "d", "no voter"),
                new ChangeReplica(1, 5, Step.ADD_LEARNER, "z", "no store"),
                new Merge(2, 5, 1, 5, "not in this order"));
        for (BalanceAction action : senseless) {
            first.wants.clear();
            first.wants.put(1L, action);
            seconds(70);
            assertThat(begun).as(action.toString()).isEmpty();
            assertThat(status(0).fault()).as(action.toString()).contains("asked for " + action);
        }
    }

    @Test
    void aRangeThatAnotherStoreLeadsIsNotTouched() {
        view = Optional.of(view(5, "b"));
        BalanceLoop other = new BalanceLoop(
                "inbox",
                new BalancePlan(List.of(new BalancePlan.Step(
                        new RangeBalancerFactory() {
                            @Override
                            public String name() {
                                return "greedy";
                            }

                            @Override
                            public RangeBalancer create(Map<String, String> settings) {
                                return seen -> Optional.of(split(1));
                            }
                        },
                        Map.of()))),
                () -> view,
                action -> {
                    throw new AssertionError("begun: " + action);
                },
                CONFIG,
                timer);
        other.start();
        seconds(3);
        assertThat(get(other.list()).get(0).fault()).contains("led by b");
    }

    @Test
    void withoutAViewNobodyIsAsked() {
        view = Optional.empty();
        seconds(3);
        assertThat(first.asked).isZero();
        assertThat(views).isEqualTo(3);
    }

    @Test
    void aPausedBalancerIsNotAsked() {
        assertThat(get(loop.pause("first"))).isNull();
        seconds(3);
        assertThat(first.asked).isZero();
        assertThat(second.asked).isEqualTo(3);
        assertThat(status(0).isPaused()).isTrue();
        loop.resume("first");
        seconds(1);
        assertThat(first.asked).isEqualTo(1);
    }

    @Test
    void tuningChangesSomeSettingsAndKeepsTheOthers() {
        assertThat(second.created).containsExactly(Map.of("limit", "7", "other", "x"));
        loop.tune("second", Map.of("other", "y"));
        seconds(1);
        assertThat(second.created).last().isEqualTo(Map.of("limit", "7", "other", "y"));
        assertThat(status(1).settings()).isEqualTo(Map.of("limit", "7", "other", "y"));
    }

    @Test
    void aWrongSettingChangesNothing() {
        CompletableFuture<Void> bad = loop.tune("second", Map.of("limit", "bad"));
        CompletableFuture<Void> unknown = loop.tune("second", Map.of("limt", "3"));
        CompletableFuture<Void> nobody = loop.tune("third", Map.of());
        seconds(1);
        assertThatThrownBy(bad::join).hasMessageContainingAll("second", "limit: must be good");
        assertThatThrownBy(unknown::join).hasMessageContainingAll("second", "\"limt\"", "[limit, other]");
        assertThatThrownBy(nobody::join).hasMessageContainingAll("\"third\"", "[first, second]");
        assertThat(status(1).settings()).containsEntry("limit", "7");
    }

    @Test
    void aClosedLoopBeginsNothing() {
        first.wants.put(1L, split(1));
        loop.close();
        seconds(3);
        assertThat(begun).isEmpty();
        assertThat(loop.list()).isCompletedExceptionally();
    }

    @Test
    void aViewThatCannotBeMadeDoesNotEndTheLoop() {
        BalanceLoop broken = new BalanceLoop(
                "inbox",
                new BalancePlan(List.of()),
                () -> {
                    views += 100;
                    throw new IllegalStateException("no view");
                },
                action -> CompletableFuture.completedFuture(ActionOutcome.DONE),
                CONFIG,
                timer);
        broken.start();
        seconds(3);
        assertThat(views).isGreaterThanOrEqualTo(300);
    }

    @Test
    void restingRangesAreShownAsPaused() {
        first.wants.put(1L, split(1));
        List<Optional<RangeChange>> seen = new ArrayList<>();
        BalanceLoop watching = new BalanceLoop(
                "inbox",
                new BalancePlan(List.of(new BalancePlan.Step(
                        new RangeBalancerFactory() {
                            @Override
                            public String name() {
                                return "watching";
                            }

                            @Override
                            public RangeBalancer create(Map<String, String> settings) {
                                return now -> {
                                    Optional<RangeChange> change =
                                            now.ranges().get(0).change();
                                    seen.add(change);
                                    return change.isPresent() ? Optional.empty() : Optional.of(split(1));
                                };
                            }
                        },
                        Map.of()))),
                () -> view,
                action -> CompletableFuture.completedFuture(ActionOutcome.REFUSED),
                CONFIG,
                timer);
        watching.start();
        seconds(2);
        assertThat(seen).containsExactly(Optional.empty(), Optional.of(RangeChange.PAUSE));
    }
}
