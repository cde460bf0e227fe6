package io.godwit.api.route;

import io.godwit.api.http.ProblemException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** What a port refuses with {@link IllegalArgumentException} is the caller's fault. */
final class Refused {
    private Refused() {}

    /** @param problem which field is wrong, and why */
    static <T> CompletableFuture<T> as(
            CompletableFuture<T> asked, Function<IllegalArgumentException, ProblemException> problem) {
        return asked.exceptionally(failure -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof IllegalArgumentException wrong) {
                throw problem.apply(wrong);
            }
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        });
    }
}
