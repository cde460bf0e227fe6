package io.godwit.mqtt.session;

import io.godwit.mqtt.packet.field.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of operators who subscribe or unsubscribe a connected client. Each gets an answer, or fails when the
 * connection ends first. Exists from the first request on. Confined to the loop of its session.
 */
final class OperatorRequests {
    /** Answers owed to operators; null for none. */
    private @Nullable List<CompletableFuture<?>> unanswered;

    /** @param asking begins the request, and gets the receiver of its answer */
    CompletableFuture<List<ReasonCode>> ask(Consumer<Consumer<List<ReasonCode>>> asking) {
        CompletableFuture<List<ReasonCode>> answer = new CompletableFuture<>();
        if (unanswered == null) {
            unanswered = new ArrayList<>(1);
        }
        unanswered.add(answer);
        asking.accept(codes -> {
            answer.complete(codes);
            if (unanswered != null) {
                unanswered.removeIf(CompletableFuture::isDone);
                unanswered = unanswered.isEmpty() ? null : unanswered;
            }
        });
        return answer;
    }

    /** The connection has ended: fails what is not answered. */
    void close() {
        if (unanswered != null) {
            unanswered.forEach(each ->
                    each.completeExceptionally(new CancellationException("the connection ended before the answer")));
            unanswered = null;
        }
    }
}
