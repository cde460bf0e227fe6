package io.godwit.mqtt.transport.limit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts connections and sessions that must end before the server is closed. Atomic: every event loop counts. */
public final class OpenCount {
    /** One for the server itself. */
    private final AtomicInteger open = new AtomicInteger(1);

    private final CompletableFuture<Void> none = new CompletableFuture<>();

    public void enter() {
        open.incrementAndGet();
    }

    public void leave() {
        if (open.decrementAndGet() == 0) {
            none.complete(null);
        }
    }

    /** Complete once {@link #leave} was called as often as {@link #enter}, and once more by the server. */
    public CompletableFuture<Void> none() {
        return none;
    }
}
