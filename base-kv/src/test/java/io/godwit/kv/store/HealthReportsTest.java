package io.godwit.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HealthReportsTest {
    private static final Map<String, StoreHealth> STARTING =
            Map.of("dist", new StoreHealth(StoreHealth.State.STARTING, "ranges are being opened"));
    private static final Map<String, StoreHealth> SERVING =
            Map.of("dist", new StoreHealth(StoreHealth.State.SERVING, ""));

    /**
     * Stores become ready on their own threads: one may have read the health, and report it after another one has
     * reported a later state.
     */
    @Test
    void whatWasSeenEarlierIsNotToldLater() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        CountDownLatch overtaken = new CountDownLatch(1);
        Thread slow = Thread.currentThread();
        HealthReports reports = new HealthReports(() -> {
            if (Thread.currentThread() == slow) {
                return SERVING;
            }
            looked.countDown();
            try {
                assertThat(overtaken.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return STARTING;
        });
        List<Map<String, StoreHealth>> told = new ArrayList<>();
        reports.addListener(told::add);

        CompletableFuture<Void> late = CompletableFuture.runAsync(reports::tell);
        assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
        reports.tell();
        overtaken.countDown();
        late.get(10, TimeUnit.SECONDS);

        assertThat(told).containsExactly(SERVING);
    }

    @Test
    void everyListenerIsToldEachTime() {
        HealthReports reports = new HealthReports(() -> SERVING);
        List<Map<String, StoreHealth>> first = new ArrayList<>();
        List<Map<String, StoreHealth>> second = new ArrayList<>();
        reports.addListener(first::add);
        reports.tell();
        reports.addListener(second::add);
        reports.tell();
        assertThat(first).containsExactly(SERVING, SERVING);
        assertThat(second).containsExactly(SERVING);
    }
}
