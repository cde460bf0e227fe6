package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.NotServingException;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BoundedQuestionsTest {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final BoundedQuestions questions =
            new BoundedQuestions(1, "things", failure -> new NotServingException("no answer: " + failure));

    private CompletableFuture<String> answered(String answer) {
        return questions.ask(LONG, () -> CompletableFuture.completedFuture(answer));
    }

    private static void failsWith(CompletableFuture<?> asked, String message) {
        assertThat(asked)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(NotServingException.class)
                .withMessageContaining(message);
    }

    @Test
    void aQuestionCountsUntilItHasEnded() {
        CompletableFuture<String> slow = new CompletableFuture<>();
        failsWith(questions.ask(Duration.ofMillis(500), () -> slow), "no answer");

        failsWith(answered("refused"), "this node asks 1 questions about things already");
        slow.complete("late");
        assertThat(answered("next")).isCompletedWithValue("next");
    }

    @Test
    void aQuestionThatNeverEndsDoesNotCountForever() {
        questions.ask(SHORT, CompletableFuture<String>::new);

        failsWith(answered("refused"), "already");
        Await.until("the bound is free", () -> !answered("next").isCompletedExceptionally());
    }

    @Test
    void aQuestionThatThrowsHasEnded() {
        failsWith(
                questions.ask(LONG, () -> {
                    throw new IllegalStateException("broken");
                }),
                "broken");
        assertThat(answered("next")).isCompletedWithValue("next");
    }
}
