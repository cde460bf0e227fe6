package io.godwit.common.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailuresTest {
    private final IOException reset = new IOException("reset", new IllegalStateException("deeper"));

    @Test
    void aFailureThatIsNoWrapperIsReturnedItself() {
        assertThat(Failures.cause(reset)).isSameAs(reset);
    }

    @Test
    void wrappersOfFuturesAreRemovedHoweverMany() {
        assertThat(Failures.cause(new CompletionException(reset))).isSameAs(reset);
        assertThat(Failures.cause(new ExecutionException(reset))).isSameAs(reset);
        assertThat(Failures.cause(new ExecutionException(new CompletionException(new CompletionException(reset)))))
                .isSameAs(reset);
    }

    @Test
    void theFailureOfAStepIsFound() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(reset);
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        CompletableFuture<Void> last =
                failed.thenAccept(text -> {}).whenComplete((nothing, failure) -> seen.complete(failure));

        assertThat(last).isCompletedExceptionally();
        assertThat(seen.join()).isInstanceOf(CompletionException.class);
        assertThat(Failures.cause(seen.join())).isSameAs(reset);
    }

    @Test
    void aWrapperWithoutACauseIsReturnedItself() {
        CompletionException empty = new CompletionException("no cause", null);

        assertThat(Failures.cause(empty)).isSameAs(empty);
        assertThat(Failures.cause(new ExecutionException(empty))).isSameAs(empty);
    }

    @Test
    void aCircleOfCausesEnds() {
        Circle circle = new Circle();

        assertThat(Failures.cause(circle)).isSameAs(circle);
    }

    private static final class Circle extends CompletionException {
        @Override
        public synchronized Throwable getCause() {
            return this;
        }
    }
}
