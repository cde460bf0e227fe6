package io.godwit.broker.api;

import io.godwit.api.port.NotServingException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Bounds how many questions of one kind a node asks of its stores at a time. A question counts until it has ended, also
 * after its caller has timed out: what it reads is still being read. Any thread.
 */
public final class BoundedQuestions {
    /**
     * Multiple of the caller's time after which a question no longer counts. A question that never ends must not use up
     * the bound.
     */
    static final int MAX_TIMES = 10;

    private final int most;
    private final String about;
    private final Function<Throwable, Throwable> reasonOf;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param most questions at a time
     * @param about what the questions are about, in the plural
     * @param reasonOf the exception that the caller gets for a failure
     */
    public BoundedQuestions(int most, String about, Function<Throwable, Throwable> reasonOf) {
        this.most = most;
        this.about = about;
        this.reasonOf = reasonOf;
    }

    /**
     * Asks {@code question}. Fails with {@link NotServingException} if too many are under way, and with what
     * {@code reasonOf} gives for a failure or a timeout.
     */
    public <T> CompletableFuture<T> ask(Duration within, Supplier<CompletableFuture<T>> question) {
        if (underWay.incrementAndGet() > most) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(new NotServingException(
                    "this node asks " + most + " questions about " + about + " already; ask again later"));
        }
        CompletableFuture<T> answer = begin(question);
        CompletableFuture<T> counted = answer.copy()
                .orTimeout(within.multipliedBy(MAX_TIMES).toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((done, failure) -> underWay.decrementAndGet());
        return counted.copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS).exceptionally(failure -> {
            throw new CompletionException(reasonOf.apply(causeOf(failure)));
        });
    }

    private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) { // a question that throws must not count as under way forever
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
