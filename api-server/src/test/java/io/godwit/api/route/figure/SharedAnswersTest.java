package io.godwit.api.route.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedAnswersTest {
    private static final int MOST = 64;

    private long now = Long.MAX_VALUE; // the clock may begin anywhere
    private final List<CompletableFuture<String>> asked = new ArrayList<>();
    private final SharedAnswers<Object, String> shared = new SharedAnswers<>(() -> now, MOST);

    private CompletableFuture<String> get(Object key) {
        return shared.get(key, () -> {
            CompletableFuture<String> made = new CompletableFuture<>();
            asked.add(made);
            return made;
        });
    }

    @Test
    void callersDuringAQuestionOrSoonAfterItGetTheSameAnswer() {
        CompletableFuture<String> first = get("a");
        now += TimeUnit.SECONDS.toNanos(5); // as long as it is under way
        CompletableFuture<String> second = get("a");
        get("b");
        assertThat(asked).hasSize(2);
        asked.get(0).complete("x");
        assertThat(first).isCompletedWithValue("x");
        assertThat(second).isCompletedWithValue("x");
        get("b");
        get("a"); // begun more than a second ago
        assertThat(asked).hasSize(3);
        asked.get(2).complete("y");
        now += TimeUnit.MILLISECONDS.toNanos(999);
        assertThat(get("a")).isCompletedWithValue("y");
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(get("a")).isNotDone();
    }

    @Test
    void aFailureIsNotKept() {
        CompletableFuture<String> first = get("a");
        CompletableFuture<String> second = get("a");
        asked.get(0).completeExceptionally(new IllegalStateException("down"));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(get("a")).isNotDone();
        assertThat(asked).hasSize(2);
    }

    @Test
    void aCallerThatGivesUpDoesNotEndTheQuestionForOthers() {
        CompletableFuture<String> first = get("a");
        CompletableFuture<String> second = get("a");
        first.cancel(true);
        asked.get(0).complete("x");
        assertThat(second).isCompletedWithValue("x");
    }

    @Test
    void onlyAFewAnswersAreKept() {
        for (int i = 0; i < 1_000; i++) {
            get(i);
        }
        assertThat(shared.size()).isEqualTo(MOST);
        assertThat(asked).hasSize(1_000);
        asked.forEach(each -> each.complete(""));
        now += TimeUnit.SECONDS.toNanos(1);
        get("a");
        assertThat(shared.size()).isEqualTo(1);
    }
}
