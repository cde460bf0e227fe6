package io.godwit.mqtt.auth;

import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions in the order in which they were added, each when its future is complete: checks may complete in any
 * order, but packets must not overtake each other. Every action runs, even on a closed connection. A failed future is a
 * bug: the connection fails, and that action does not run. Confined to the connection's loop.
 */
public final class InOrder {
    private final Connection connection;
    private final ArrayDeque<Step<?>> waiting = new ArrayDeque<>(2);

    public InOrder(Connection connection) {
        this.connection = connection;
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Runs {@code action} at once when nothing waits and {@code future} is complete. */
    public <T> void add(CompletableFuture<T> future, Consumer<T> action) {
        if (waiting.isEmpty() && future.isDone()) {
            action.accept(future.join());
            return;
        }
        Step<T> step = new Step<>(action);
        waiting.addLast(step);
        OnEventLoop.whenComplete(connection, future, (value, failure) -> {
            step.value = value;
            step.failure = failure;
            advance();
        });
    }

    private void advance() {
        for (Step<?> head = waiting.peekFirst(); head != null && head.isDone(); head = waiting.peekFirst()) {
            waiting.removeFirst();
            try {
                head.run();
            } catch (RuntimeException | Error e) { // outermost frame: later actions must still run
                connection.fail(e);
            }
        }
    }

    private static final class Step<T> {
        private final Consumer<T> action;
        private @Nullable T value;
        private @Nullable Throwable failure;

        private Step(Consumer<T> action) {
            this.action = action;
        }

        private boolean isDone() {
            return value != null || failure != null;
        }

        private void run() {
            if (value != null) {
                action.accept(value);
            } else {
                throw new IllegalStateException("a check has failed instead of being answered", failure);
            }
        }
    }
}
