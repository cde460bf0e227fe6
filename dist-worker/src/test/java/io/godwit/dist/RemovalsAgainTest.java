package io.godwit.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The bounds of {@link RemovalsAgain}; {@link io.godwit.dist.peer.RemovedRoutesTest} tests its behaviour. */
class RemovalsAgainTest {
    private static final InboxReceiver ALICE = new InboxReceiver(TenantId.DEFAULT, new ClientId("alice"), 1);
    private static final RouteNumber NUMBER = new RouteNumber(2, 2);
    private static final Duration TIME = Duration.ofSeconds(60);

    private final Deque<Runnable> timers = new ArrayDeque<>();
    private final Set<String> back = new HashSet<>();
    private final List<String> said = new ArrayList<>();
    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private long nanos;

    private final RemovalsAgain removals = new RemovalsAgain(
            (delay, task) -> {
                assertThat(delay).isEqualTo(RemovalsAgain.LOOK);
                timers.add(task);
            },
            () -> nanos,
            TIME,
            (filter, receiver) -> back.contains(filter.text()),
            (filter, receiver, number) -> {
                assertThat(number).isEqualTo(NUMBER);
                said.add(filter.text());
                CompletableFuture<Void> answer = new CompletableFuture<>();
                answers.add(answer);
                return answer;
            });

    private void removed(String... filters) {
        removals.removed(
                List.of(filters).stream().map(RemovalsAgainTest::filter).toList(), ALICE, NUMBER);
    }

    private static TopicFilter filter(String text) {
        return new TopicFilter(null, text);
    }

    private void look() {
        assertThat(timers).as("at most one timer runs").hasSizeLessThanOrEqualTo(1);
        nanos += RemovalsAgain.LOOK.toNanos();
        Runnable due = timers.poll();
        if (due != null) {
            due.run();
        }
    }

    @Test
    void oneRemovalIsUnderWayAtATimeAndAFailedOneIsSaidAgain() {
        back.add("a");
        removed("a", "b");
        look();
        look();
        assertThat(said).containsExactly("a");
        answers.get(0).completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "for the test"));
        look();
        assertThat(said).containsExactly("a", "a");
        answers.get(1).complete(null);
        back.clear();
        look();
        assertThat(said).hasSize(2);
        assertThat(removals.counter().sum()).isOne();
    }

    @Test
    void aRouteThatStaysWhateverIsSaidIsGivenUp() {
        back.add("a");
        removed("a");
        for (int i = 0; i < 50; i++) {
            look();
            answers.forEach(answer -> answer.complete(null));
        }
        assertThat(said).hasSize(RemovalsAgain.MOST_TIMES);
        assertThat(removals.size()).isZero();
        assertThat(timers).isEmpty();
    }

    @Test
    void whereTheStoredRouteHasALargerNumberNothingIsSaidAgain() {
        back.add("a");
        removed("a");
        look();
        answers.get(0).completeExceptionally(new RangeException(RangeException.Cause.CLOSED, "a larger number"));
        assertThat(removals.size()).isZero();
    }

    /** Those that were checked the longest time ago are dropped. */
    @Test
    void soManyAreWatchedAndNoMore() {
        String[] filters = IntStream.range(0, RemovalsAgain.MOST + 5)
                .mapToObj(i -> "f" + i)
                .toArray(String[]::new);
        removed(filters);
        assertThat(removals.size()).isEqualTo(RemovalsAgain.MOST);
        back.addAll(List.of("f4", "f5"));
        look();
        assertThat(said).containsExactly("f5");
    }

    @Test
    void whatIsWatchedIsBoundedInBytesToo() {
        for (int i = 0; i < 500; i++) {
            removed(i + "/" + "x".repeat(60_000));
        }
        assertThat((long) removals.size() * 2 * 60_000)
                .isBetween(RemovalsAgain.MOST_BYTES / 2, RemovalsAgain.MOST_BYTES);
        for (int i = 0; i < 1_000; i++) {
            removed("same");
        }
        assertThat(removals.size())
                .as("repeated removals of one filter do not displace the others")
                .isGreaterThan(50);
    }

    @Test
    void aLookIsAtSomeOfThemAndAllHaveTheirTurn() {
        String[] filters = IntStream.range(0, 3 * RemovalsAgain.LOOKED_AT)
                .mapToObj(i -> "f" + i)
                .toArray(String[]::new);
        removed(filters);
        back.add("f" + (3 * RemovalsAgain.LOOKED_AT - 1));
        look();
        look();
        assertThat(said).isEmpty();
        look();
        assertThat(said).hasSize(1);
    }

    @Test
    void soManyAreUnderWayAndNoMore() {
        String[] filters = IntStream.range(0, 2 * RemovalsAgain.UNDER_WAY)
                .mapToObj(i -> "f" + i)
                .toArray(String[]::new);
        back.addAll(List.of(filters));
        removed(filters);
        look();
        look();
        assertThat(said).hasSize(RemovalsAgain.UNDER_WAY);
        back.removeAll(said);
        answers.forEach(answer -> answer.complete(null));
        look();
        assertThat(said).hasSize(2 * RemovalsAgain.UNDER_WAY).doesNotHaveDuplicates();
    }

    /** It neither keeps running nor starts twice. */
    @Test
    void theTimerEndsWithTheLastRemovalAndBeginsWithTheNext() {
        removed("a");
        for (long passed = 0; passed <= TIME.toMillis(); passed += RemovalsAgain.LOOK.toMillis()) {
            look();
        }
        assertThat(removals.size()).isZero();
        assertThat(timers).isEmpty();
        removed("a", "b");
        removed("c");
        assertThat(timers).hasSize(1);
        removals.adding(List.of(filter("a"), filter("b"), filter("c")), ALICE);
        assertThat(removals.size()).isZero();
        look();
        assertThat(timers).isEmpty();
    }
}
