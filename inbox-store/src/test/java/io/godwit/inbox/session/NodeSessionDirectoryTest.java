package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.SessionDirectory.Answer;
import io.godwit.inbox.client.SessionDirectory.Holder;
import io.godwit.inbox.client.SessionDirectory.Lease;
import io.godwit.inbox.client.SessionDirectory.Refusal;
import io.godwit.inbox.client.SessionDirectory.Takeover;
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
import org.jspecify.annotations.Nullable;
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
        CompletableFuture<Answer> first = acquire("a");
        CompletableFuture<Answer> second = acquire("b");

        assertThat(toldToGiveUp).containsExactly("a");
        assertThat(second).isNotDone();
        leaseOf(first).release();
        assertThat(second).isCompleted();
    }

    @Test
    void holderIsToldOnceHoweverManyWait() {
        CompletableFuture<Answer> a = acquire("a");
        CompletableFuture<Answer> b = acquire("b");
        CompletableFuture<Answer> c = acquire("c");
        assertThat(toldToGiveUp).containsExactly("a");

        leaseOf(a).release();
        assertThat(b).isCompleted();
        assertThat(c).isNotDone();
        assertThat(toldToGiveUp).containsExactly("a", "b");
        leaseOf(b).release();
        assertThat(c).isCompleted();
        assertThat(toldToGiveUp).containsExactly("a", "b");
    }

    @Test
    void nothingIsLeftOfAReleasedClientId() {
        Lease lease = leaseOf(acquire("a"));
        lease.release();
        lease.release();

        assertThat(directory.size()).isZero();
        assertThat(acquire("b")).isCompleted();
        assertThat(toldToGiveUp).isEmpty();
    }

    @Test
    void tenantsDoNotMeet() {
        acquire("a");
        assertThat(directory.acquire(new TenantId("other"), CLIENT, user("x"), Takeover.OF_SAME_USER))
                .isCompletedWithValueMatching(answer -> answer instanceof Lease);
    }

    @Test
    void aClientThatMayNotTakeOverDoesNotAffectTheHolder() {
        CompletableFuture<Answer> first = directory.acquire(TenantId.DEFAULT, CLIENT, user("x"), Takeover.OF_SAME_USER);
        assertThat(directory.acquire(TenantId.DEFAULT, CLIENT, user("y"), Takeover.OF_SAME_USER))
                .isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(directory.acquire(TenantId.DEFAULT, CLIENT, user(null), Takeover.OF_SAME_USER))
                .isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(toldToGiveUp).isEmpty();
        leaseOf(first).release();
        assertThat(directory.size()).isZero();
    }

    @Test
    void sameUserMayTakeOverAndAnyUserMayReplaceOneWithoutName() {
        acquire("nobody");
        directory.acquire(TenantId.DEFAULT, CLIENT, user("x"), Takeover.OF_SAME_USER);
        CompletableFuture<Answer> third = directory.acquire(TenantId.DEFAULT, CLIENT, user("x"), Takeover.OF_SAME_USER);
        assertThat(toldToGiveUp).containsExactly("nobody");
        assertThat(third).isNotDone();
    }

    /** No connection is ended unless its user was checked. */
    @Test
    void whoComesWhileTheHolderIsLookedAtIsLookedAtToo() {
        List<Integer> looks = new ArrayList<>();
        directory.acquire(
                TenantId.DEFAULT,
                CLIENT,
                new Holder() {
                    @Override
                    public @Nullable String userName() {
                        looks.add(looks.size());
                        // as another thread might
                        directory.acquire(TenantId.DEFAULT, CLIENT, user("other"), Takeover.OF_ANYBODY);
                        return "x";
                    }

                    @Override
                    public void giveUp() {
                        toldToGiveUp.add("first");
                    }
                },
                Takeover.OF_SAME_USER);
        assertThat(directory.acquire(TenantId.DEFAULT, CLIENT, user("x"), Takeover.OF_SAME_USER))
                .isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(looks).hasSize(1);
        assertThat(toldToGiveUp)
                .as("only the other request asks the holder to give up")
                .containsExactly("first");
    }

    /** At no time two hold the client id, and each gets it in the end. */
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
        // no other asks the last of the chain to give up
        leaseOf(acquire("last").orTimeout(10, TimeUnit.SECONDS)).release();

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
                        Takeover.OF_ANYBODY)
                .thenAccept(answer -> {
                    worst.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    all.countDown();
                    granted.complete((Lease) answer);
                });
    }

    private CompletableFuture<Answer> acquire(String name) {
        return directory.acquire(TenantId.DEFAULT, CLIENT, () -> toldToGiveUp.add(name), Takeover.OF_ANYBODY);
    }

    private static Lease leaseOf(CompletableFuture<Answer> answer) {
        return (Lease) answer.join();
    }

    private Holder user(@Nullable String name) {
        return new Holder() {
            @Override
            public @Nullable String userName() {
                return name;
            }

            @Override
            public void giveUp() {
                toldToGiveUp.add(String.valueOf(name));
            }
        };
    }
}
