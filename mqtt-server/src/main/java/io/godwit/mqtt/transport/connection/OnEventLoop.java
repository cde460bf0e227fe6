package io.godwit.mqtt.transport.connection;

import io.godwit.common.failure.Failures;
import io.godwit.mqtt.transport.loop.LoopTask;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The only bridge from a future's thread back to a connection's event loop. */
public final class OnEventLoop {
    private OnEventLoop() {}

    /**
     * Calls {@code callback} on the loop of {@code connection} with the value or the failure (unwrapped), the other
     * being null: at once when the future has succeeded already and the caller is on the loop, else by mail. An
     * exception of the callback fails the connection.
     */
    public static <T> void whenComplete(
            Connection connection, CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> callback) {
        if (connection.loop().isCurrent() && future.isDone() && !future.isCompletedExceptionally()) {
            call(connection, callback, future.getNow(null), null);
            return;
        }
        whenCompleteInOrder(connection, future, callback);
    }

    /**
     * The same, but always by mail: callbacks of futures that complete in the order of these calls run in that order. A
     * callback that is called at once may overtake one whose mail is still under way.
     */
    public static <T> void whenCompleteInOrder(
            Connection connection, CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> callback) {
        future.whenComplete((value, failure) -> {
            Throwable cause = failure == null ? null : Failures.cause(failure);
            connection.loop().post(new LoopTask() {
                @Override
                protected void run() {
                    call(connection, callback, value, cause);
                }
            });
        });
    }

    private static <T> void call(
            Connection connection, BiConsumer<T, @Nullable Throwable> callback, T value, @Nullable Throwable failure) {
        try {
            callback.accept(value, failure);
        } catch (RuntimeException | Error e) { // outermost frame of the callback
            connection.fail(e);
        }
    }
}
