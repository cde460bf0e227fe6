package io.godwit.api.route;

import io.godwit.api.http.ProblemException;
import io.godwit.common.failure.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Turns a port's exceptions that the caller caused into problems. */
public final class Refused {
    private Refused() {}

    /** Maps {@link IllegalArgumentException} to the problem that names the wrong field. */
    public static <T> CompletableFuture<T> as(
            CompletableFuture<T> asked, Function<IllegalArgumentException, ProblemException> problem) {
        return as(asked, IllegalArgumentException.class, problem);
    }

    public static <T, E extends RuntimeException> CompletableFuture<T> as(
            CompletableFuture<T> asked, Class<E> kind, Function<E, ProblemException> problem) {
        return asked.exceptionally(failure -> {
            Throwable cause = Failures.cause(failure);
            if (kind.isInstance(cause)) {
                throw problem.apply(kind.cast(cause));
            }
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        });
    }
}
