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
        return questions.ask("a", LONG, () -> CompletableFuture.completedFuture(answer));
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
        failsWith(questions.ask("a", Duration.ofMillis(500), () -> slow), "no answer");

        failsWith(answered("refused"), "this node asks 1 questions about things already");
        slow.complete("late");
        assertThat(answered("next")).isCompletedWithValue("next");
    }

    @Test
    void aQuestionThatNeverEndsDoesNotCountForever() {
        questions.ask("a", SHORT, CompletableFuture<String>::new);

        failsWith(answered("refused"), "already");
        Await.until("the bound is free", () -> !answered("next").isCompletedExceptionally());
    }

    @Test
    void aQuestionThatThrowsHasEnded() {
        failsWith(
                questions.ask("a", LONG, () -> {
                    throw new IllegalStateException("broken");
                }),
                "broken");
        assertThat(answered("next")).isCompletedWithValue("next");
    }

    @Test
    void aTenantWhoseQuestionsHangLeavesPlacesToOthers() {
        BoundedQuestions four = new BoundedQuestions(4, "things", failure -> failure);
        CompletableFuture<String> slow = new CompletableFuture<>();
        for (int i = 0; i < 3; i++) {
            assertThat(four.ask("a", LONG, () -> slow)).isNotDone();
        }
        failsWith(
                four.ask("a", LONG, () -> CompletableFuture.completedFuture("refused")),
                "this node asks 3 questions about things of this tenant already");
        assertThat(four.ask("b", LONG, () -> CompletableFuture.completedFuture("answered")))
                .isCompletedWithValue("answered");

        assertThat(four.ask("b", LONG, () -> slow)).isNotDone();
        failsWith(
                four.ask("c", LONG, () -> CompletableFuture.completedFuture("refused")),
                "this node asks 4 questions about things already");
        slow.complete("late");
        assertThat(four.ask("a", LONG, () -> CompletableFuture.completedFuture("next")))
                .isCompletedWithValue("next");
    }

    @Test
    void questionsAboutAllTenantsLeavePlacesToTenants() {
        BoundedQuestions two = new BoundedQuestions(2, "things", failure -> failure);
        assertThat(two.ask(BoundedQuestions.ALL_TENANTS, LONG, CompletableFuture<String>::new))
                .isNotDone();
        failsWith(
                two.ask(BoundedQuestions.ALL_TENANTS, LONG, CompletableFuture<String>::new),
                "this node asks 1 questions about things of all tenants already");
        assertThat(two.ask("a", LONG, () -> CompletableFuture.completedFuture("answered")))
                .isCompletedWithValue("answered");
    }
}
