package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.SessionDirectory.Lease;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeSessionDirectoryTest {
    private static final ClientId CLIENT = new ClientId("c");
    private final NodeSessionDirectory directory = new NodeSessionDirectory();
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private final List<String> toldToGiveUp = new ArrayList<>();

    @AfterEach
    void stopLoop() {
        loop.shutdownNow();
    }

    @Test
    void freeClientIdIsGrantedAtOnce() {
        assertThat(acquire("a")).isCompleted();
        assertThat(toldToGiveUp).isEmpty();
    }

    @Test
    void secondWaitsUntilTheFirstHasReleased() {
        CompletableFuture<Lease> first = acquire("a");
        CompletableFuture<Lease> second = acquire("b");

        assertThat(toldToGiveUp).containsExactly("a");
        assertThat(second).isNotDone();
        first.join().release();
        assertThat(second).isCompleted();
    }

    @Test
    void holderIsToldOnceHoweverManyWait() {
        CompletableFuture<Lease> a = acquire("a");
        CompletableFuture<Lease> b = acquire("b");
        CompletableFuture<Lease> c = acquire("c");
        assertThat(toldToGiveUp).containsExactly("a");

        a.join().release();
        assertThat(b).isCompleted();
        assertThat(c).isNotDone();
        assertThat(toldToGiveUp).containsExactly("a", "b");
        b.join().release();
        assertThat(c).isCompleted();
        assertThat(toldToGiveUp).containsExactly("a", "b");
    }

    @Test
    void nothingIsLeftOfAReleasedClientId() {
        Lease lease = acquire("a").join();
        lease.release();
        lease.release();

        assertThat(directory.size()).isZero();
        assertThat(acquire("b")).isCompleted();
        assertThat(toldToGiveUp).isEmpty();
    }

    @Test
    void tenantsDoNotMeet() {
        acquire("a");
        assertThat(directory.acquire(new TenantId("other"), CLIENT, () -> {}, present -> false))
                .hasValueSatisfying(lease -> assertThat(lease).isCompleted());
    }

    @Test
    void whoMayNotFollowLeavesTheHolderAlone() {
        CompletableFuture<Lease> first = acquire("a");
        assertThat(directory.acquire(TenantId.DEFAULT, CLIENT, () -> {}, present -> false))
                .isEmpty();
        assertThat(toldToGiveUp).isEmpty();
        first.join().release();
        assertThat(directory.size()).isZero();
    }

    /** Nobody is driven out whom the one who drives out has not seen. */
    @Test
    void whoComesWhileTheHolderIsLookedAtIsLookedAtToo() {
        acquire("a");
        List<Integer> looks = new ArrayList<>();
        assertThat(directory.acquire(TenantId.DEFAULT, CLIENT, () -> {}, present -> {
                    looks.add(looks.size());
                    if (looks.size() == 1) {
                        acquire("b"); // as another thread might
                        return true;
                    }
                    return false;
                }))
                .isEmpty();
        assertThat(looks).hasSize(2);
        assertThat(toldToGiveUp).as("by b").containsExactly("a");
    }

    /** At no time two hold the client id, and everybody gets it in the end. */
    @Test
    void stormOfTakeoversHasOneHolderAtATime() throws InterruptedException {
        int threads = 4;
        int each = 2_000;
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger worst = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(threads * each);
        List<Thread> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Thread worker = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    claimAndYield(holders, worst, all);
                }
            });
            workers.add(worker);
            worker.start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        // the last of the chain is asked by nobody
        directory
                .acquire(TenantId.DEFAULT, CLIENT, () -> {}, present -> true)
                .orElseThrow()
                .orTimeout(10, TimeUnit.SECONDS)
                .join()
                .release();

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(worst).hasValue(1);
        assertThat(directory.size()).isZero();
    }

    private void claimAndYield(AtomicInteger holders, AtomicInteger worst, CountDownLatch all) {
        CompletableFuture<Lease> granted = new CompletableFuture<>();
        directory
                .acquire(
                        TenantId.DEFAULT,
                        CLIENT,
                        () -> granted.thenAcceptAsync(
                                lease -> {
                                    holders.decrementAndGet();
                                    lease.release();
                                },
                                loop),
                        present -> true)
                .orElseThrow()
                .thenAccept(lease -> {
                    worst.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    all.countDown();
                    granted.complete(lease);
                });
    }

    private CompletableFuture<Lease> acquire(String name) {
        return directory
                .acquire(TenantId.DEFAULT, CLIENT, () -> toldToGiveUp.add(name), present -> true)
                .orElseThrow();
    }
}
