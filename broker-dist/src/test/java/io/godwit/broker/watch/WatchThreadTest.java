package io.godwit.broker.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WatchThreadTest {
    /** Without this, each watch would leave a chain of ticks that goes on as long as there is any watch. */
    @Test
    void watchesThatBeginAndEndAtOnceHaveOneTick() throws Exception {
        try (WatchThread thread = new WatchThread()) {
            AtomicInteger ticks = new AtomicInteger();
            CompletableFuture<Integer> waiting = new CompletableFuture<>();
            thread.run(() -> {
                for (int i = 0; i < 50; i++) {
                    thread.add(this, () -> {});
                    thread.remove(this);
                }
                thread.add(this, ticks::incrementAndGet);
                waiting.complete(thread.waiting());
            });
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(1);
            Await.until("it goes on", () -> ticks.get() > 1);
        }
    }
}
