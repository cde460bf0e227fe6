package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PasswordPoolTest {
    private static final ConnectResult ACCEPTED = new ConnectResult.Accepted(TenantId.DEFAULT, "u");

    private static final long SOURCE = 1;
    private static final long OTHER = 2;

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
        CompletableFuture<ConnectResult> result = pool.submit(SOURCE, () -> {
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
        CompletableFuture<ConnectResult> first = pool.submit(SOURCE, () -> ACCEPTED);
        CompletableFuture<ConnectResult> second = pool.submit(SOURCE, () -> ACCEPTED);
        CompletableFuture<ConnectResult> third = pool.submit(SOURCE, () -> ACCEPTED);
        assertThat(third).isDone();
        assertThat(reason(third)).isEqualTo(RefusalReason.BUSY);
        gate.countDown();
        assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
    }

    /** One source fills the queue; the logins of others take turns with it instead of waiting behind it. */
    @Test
    void oneSourceDoesNotKeepOthersOut() throws Exception {
        List<String> checked = Collections.synchronizedList(new ArrayList<>());
        occupy();
        CompletableFuture<ConnectResult> first = pool.submit(SOURCE, () -> noting(checked, "first"));
        CompletableFuture<ConnectResult> second = pool.submit(SOURCE, () -> noting(checked, "second"));
        CompletableFuture<ConnectResult> third = pool.submit(SOURCE, () -> noting(checked, "third"));
        CompletableFuture<ConnectResult> other = pool.submit(OTHER, () -> noting(checked, "other"));
        CompletableFuture<ConnectResult> otherToo = pool.submit(OTHER, () -> noting(checked, "other too"));
        assertThat(reason(third)).isEqualTo(RefusalReason.BUSY);
        assertThat(reason(second))
                .as("the newest login of the larger source gives up its place")
                .isEqualTo(RefusalReason.BUSY);
        assertThat(reason(otherToo))
                .as("the other source has its share already")
                .isEqualTo(RefusalReason.BUSY);

        gate.countDown();
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(checked).containsExactly("first", "other");
    }

    /** Otherwise logins from many addresses, one from each, would keep everybody out while they go on. */
    @Test
    void manySourcesDoNotKeepOutOneThatARightPasswordCameFrom() throws Exception {
        assertThat(pool.submit(OTHER, () -> ACCEPTED).get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        ConnectResult wrong = new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "wrong");
        assertThat(pool.submit(13, () -> wrong).get(10, TimeUnit.SECONDS)).isEqualTo(wrong);
        occupy();
        CompletableFuture<ConnectResult> first = pool.submit(11, () -> wrong);
        CompletableFuture<ConnectResult> second = pool.submit(12, () -> wrong);
        assertThat(reason(pool.submit(13, () -> wrong))).isEqualTo(RefusalReason.BUSY);

        CompletableFuture<ConnectResult> back = pool.submit(OTHER, () -> ACCEPTED);
        assertThat(reason(second))
                .as("the newest login of the larger source gives up its place")
                .isEqualTo(RefusalReason.BUSY);
        gate.countDown();
        assertThat(back.get(10, TimeUnit.SECONDS)).isEqualTo(ACCEPTED);
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(wrong);
    }

    private static ConnectResult noting(List<String> checked, String name) {
        checked.add(name);
        return ACCEPTED;
    }

    @Test
    void whoHasWaitedTooLongIsNotChecked() throws Exception {
        occupy();
        CompletableFuture<ConnectResult> late = pool.submit(SOURCE, () -> {
            throw new AssertionError("must not be checked");
        });
        nanoTime.set(Duration.ofSeconds(6).toNanos());
        gate.countDown();
        assertThat(reason(late)).isEqualTo(RefusalReason.BUSY);
    }

    @Test
    void aCheckThatThrowsFailsItsFuture() {
        CompletableFuture<ConnectResult> broken = pool.submit(SOURCE, () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> broken.get(10, TimeUnit.SECONDS)).hasMessageContaining("broken");
    }
}
