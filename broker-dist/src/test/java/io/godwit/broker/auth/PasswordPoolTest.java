package io.godwit.broker.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PasswordPoolTest {
    private static final ConnectResult ACCEPTED = new ConnectResult.Accepted(TenantId.DEFAULT, "u");

    private final AtomicLong nanoTime = new AtomicLong();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final PasswordPool pool = new PasswordPool(1, 2, Duration.ofSeconds(5), nanoTime::get);

    @AfterEach
    void close() {
        gate.countDown();
        pool.close();
    }

    /** Occupies the one thread until the gate opens. */
    private CompletableFuture<ConnectResult> occupy() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<ConnectResult> result = pool.submit(() -> {
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return ACCEPTED;
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        return result;
    }

    private static RefusalReason reason(CompletableFuture<ConnectResult> result) throws Exception {
        return ((ConnectResult.Refused) result.get(10, TimeUnit.SECONDS)).reason();
    }

    @Test
    void aFloodIsRefusedAtOnceAndWhoWaitsIsServed() throws Exception {
        CompletableFuture<ConnectResult> running = occupy();
        CompletableFuture<ConnectResult> first = pool.submit(() -> ACCEPTED);
        CompletableFuture<ConnectResult> second = pool.submit(() -> ACCEPTED);
        CompletableFuture<ConnectResult> third = pool.submit(() -> ACCEPTED);
        assertThat(third).isDone();
        assertThat(reason(third)).isEqualTo(RefusalReason.BUSY);
        gate.countDown();
        assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
    }

    @Test
    void whoHasWaitedTooLongIsNotChecked() throws Exception {
        occupy();
        CompletableFuture<ConnectResult> late = pool.submit(() -> {
            throw new AssertionError("must not be checked");
        });
        nanoTime.set(Duration.ofSeconds(6).toNanos());
        gate.countDown();
        assertThat(reason(late)).isEqualTo(RefusalReason.BUSY);
    }

    @Test
    void aCheckThatThrowsFailsItsFuture() {
        CompletableFuture<ConnectResult> broken = pool.submit(() -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> broken.get(10, TimeUnit.SECONDS)).hasMessageContaining("broken");
    }
}
