package io.godwit.api.route;

import java.util.concurrent.CompletableFuture;

/** Answers the calls of one operation. */
@FunctionalInterface
public interface Handler {
    /**
     * Called on the event loop; returns at once. May throw, or fail the future with, a
     * {@link io.godwit.api.http.ProblemException} or {@link io.godwit.api.port.NotServingException}; anything else
     * counts as a fault of the broker.
     */
    CompletableFuture<Reply> answer(Call call);
}
