package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.DiskGuard;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Leaders and faults on a real node. */
@Timeout(60)
class RangeLeaderTest {
    @TempDir
    Path data;

    /** Work for the leader, as a function of its context. */
    private record Job(Consumer<LeaderContext> work, CompletableFuture<Cause> failed) implements LeaderRequest {
        Job(Consumer<LeaderContext> work) {
            this(work, new CompletableFuture<>());
        }

        @Override
        public void fail(RangeException cause) {
            failed.complete(cause.reason());
        }
    }

    /** Runs its jobs; records when it is stopped. */
    private static class LeadingCoprocessor extends AppendCoprocessor {
        final CompletableFuture<Cause> stopped = new CompletableFuture<>();

        @Override
        public RangeLeader lead(LeaderContext context) {
            return new RangeLeader() {
                @Override
                public void handle(LeaderRequest request) {
                    ((Job) request).work.accept(context);
                }

                @Override
                public void stop(RangeException cause) {
                    stopped.complete(cause.reason());
                }
            };
        }
    }

    private static final class Append extends Proposal {
        private final String mutation;
        private final boolean relieving;
        private final CompletableFuture<Void> encoded = new CompletableFuture<>();
        private final CompletableFuture<String> told = new CompletableFuture<>();

        Append(String mutation) {
            this(mutation, false);
        }

        Append(String mutation, boolean relieving) {
            this.mutation = mutation;
            this.relieving = relieving;
        }

        @Override
        public boolean isRelieving() {
            return relieving;
        }

        @Override
        public int sizeHint() {
            return mutation.length();
        }

        @Override
        public byte[] encode() {
            encoded.complete(null);
            return mutation.getBytes(UTF_8);
        }

        @Override
        public void applied(byte[] reply) {
            told.complete(new String(reply, UTF_8));
        }

        @Override
        public void failed(RangeException cause) {
            told.complete(cause.reason().name());
        }
    }

    @Test
    void aLeaderProposesReadsAndSchedulesOnItsOneThread() throws Exception {
        try (KvNode node = open()) {
            KvStore store = node.open(new StoreSpec("test", LeadingCoprocessor::new, List.of()));
            List<String> seen = new ArrayList<>();
            CompletableFuture<Void> done = new CompletableFuture<>();
            // submitted before the range leads, so it waits
            store.client().submit(key("k"), new Job(context -> {
                Append append = new Append("k=a");
                context.propose(append);
                Append cancelled = new Append("k=never");
                context.propose(cancelled);
                assertThat(cancelled.cancel()).isTrue();
                append.told.thenAccept(reply -> {
                    seen.add("applied " + reply);
                    context.<String>read(reader -> new String(reader.get(key("k")), UTF_8), (value, failure) -> {
                        seen.add("read " + value);
                        context.schedule(1, () -> {
                            seen.add("scheduled");
                            context.confirm(() -> {
                                seen.add("confirmed");
                                context.execute(() -> done.complete(null));
                            });
                        });
                    });
                });
            }));
            done.get(30, TimeUnit.SECONDS);
            assertThat(seen).containsExactly("applied a", "read a", "scheduled", "confirmed");
        }
    }

    @Test
    void theClientIsGivenOutBeforeAnythingLeads() throws Exception {
        CountDownLatch leads = new CountDownLatch(1);
        AppendCoprocessor coprocessor = new AppendCoprocessor() {
            @Override
            public RangeLeader lead(LeaderContext context) {
                leads.countDown();
                return super.lead(context);
            }
        };
        List<Boolean> hadBegun = new ArrayList<>();
        try (KvNode node = open()) {
            StoreSpec spec = new StoreSpec("test", () -> coprocessor, List.of());
            node.open(spec, client -> hadBegun.add(awaitQuietly(leads, 300)));
            assertThat(leads.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(hadBegun).containsExactly(false);
    }

    @Test
    void closingTellsThePendingProposalsThenTheLeaderThenWhoeverComesLate() throws Exception {
        List<String> order = new ArrayList<>();
        CountDownLatch holdApply = new CountDownLatch(1);
        LeadingCoprocessor coprocessor = new LeadingCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                awaitQuietly(holdApply);
                return super.apply(writes, mutations, afterCommit);
            }
        };
        KvNode node = open();
        KvStore store = node.open(new StoreSpec("test", () -> coprocessor, List.of()));
        node.ready().get(30, TimeUnit.SECONDS);
        Append sealed = new Append("k=a");
        store.client().submit(key("k"), new Job(context -> {
            sealed.told.thenAccept(told -> order.add("proposal " + told));
            coprocessor.stopped.thenAccept(cause -> order.add("leader " + cause));
            context.propose(sealed);
        }));
        sealed.encoded.get(30, TimeUnit.SECONDS);
        coprocessor.stopped.thenRun(holdApply::countDown);
        node.close();

        assertThat(order).containsExactly("proposal TIMEOUT", "leader CLOSED");
        Job late = new Job(context -> {});
        store.client().submit(key("k"), late);
        assertThat(late.failed.get(30, TimeUnit.SECONDS)).isEqualTo(Cause.CLOSED);
    }

    @Test
    void aThrowingApplyStopsItsStoreAloneAndARestartGoesOnFromTheLog() throws Exception {
        AtomicBoolean planted = new AtomicBoolean(true);
        AppendCoprocessor failing = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                if (planted.get() && new String(mutations.get(0), UTF_8).endsWith("bad")) {
                    throw new IllegalStateException("planted");
                }
                return super.apply(writes, mutations, afterCommit);
            }
        };
        try (KvNode node = open()) {
            KvStore store = node.open(new StoreSpec("test", () -> failing, List.of()));
            KvStore other = node.open(new StoreSpec("other", AppendCoprocessor::new, List.of()));
            node.ready().get(30, TimeUnit.SECONDS);
            assertThat(mutate(store, "k=a")).isEqualTo("a");
            CompletableFuture<StoreHealth> failed = new CompletableFuture<>();
            node.onHealthChange(health -> failed.complete(health.get("test")));

            assertThat(mutate(store, "k=bad")).isEqualTo("STORE_FAILED");
            assertThat(failed.get(30, TimeUnit.SECONDS).state()).isEqualTo(StoreHealth.State.FAILED);
            assertThat(node.health().get("test").detail()).contains("planted");
            assertThat(mutate(store, "k=b")).isEqualTo("STORE_FAILED");
            assertThat(mutate(other, "k=c")).isEqualTo("c");
            assertThat(node.health().get("other").state()).isEqualTo(StoreHealth.State.SERVING);
        }
        planted.set(false);
        try (KvNode node = open()) {
            KvStore store = node.open(new StoreSpec("test", () -> failing, List.of()));
            // the log refused it, but it was committed and so counts
            assertThat(mutate(store, "k=d")).isEqualTo("abadd");
        }
    }

    @Test
    void aFailedLogStopsAllStores() throws Exception {
        try (KvNode node = open()) {
            KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of(key("m"))));
            node.ready().get(30, TimeUnit.SECONDS);
            CompletableFuture<StoreHealth> failed = new CompletableFuture<>();
            node.onHealthChange(health -> failed.complete(health.get("test")));
            node.logFailed("fsync of the log", new java.io.IOException("planted"));

            assertThat(failed.get(30, TimeUnit.SECONDS).state()).isEqualTo(StoreHealth.State.FAILED);
            assertThat(mutate(store, "k=a")).isEqualTo("STORE_FAILED");
            assertThat(mutate(store, "z=a")).isEqualTo("STORE_FAILED");
        }
    }

    @Test
    void onANearlyFullDiskALeaderIsToldAndWhatIsRefusedTakesNothingRelievingWithIt() throws Exception {
        AtomicLong free = new AtomicLong(1_000);
        KvNodeConfig config =
                new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1_000));
        try (KvNode node = KvNode.open(config, path -> disk(free))) {
            KvStore store = node.open(new StoreSpec("test", LeadingCoprocessor::new, List.of()));
            node.ready().get(30, TimeUnit.SECONDS);
            assertThat(whatATurnBrings(store, "1")).containsExactly("true", "1", "12", "123");

            free.set(999);
            node.checkDisk();
            assertThat(whatATurnBrings(store, "a")).containsExactly("false", "123a", "DISK_FULL", "123a3");

            free.set(499);
            node.checkDisk();
            assertThat(whatATurnBrings(store, "b")).containsExactly("false", "DISK_FULL", "DISK_FULL", "DISK_FULL");
        }
    }

    /**
     * Three proposals in one task, all but the second relieving: whether the leader was told that there is room, and
     * their outcomes.
     */
    private static List<String> whatATurnBrings(KvStore store, String first) throws Exception {
        List<Append> turn = List.of(new Append("k=" + first, true), new Append("k=2"), new Append("k=3", true));
        CompletableFuture<Boolean> mayAdd = new CompletableFuture<>();
        store.client().submit(key("k"), new Job(context -> {
            mayAdd.complete(context.mayAdd());
            turn.forEach(context::propose);
        }));
        List<String> told = new ArrayList<>();
        told.add(mayAdd.get(30, TimeUnit.SECONDS).toString());
        for (Append append : turn) {
            told.add(append.told.get(30, TimeUnit.SECONDS));
        }
        return told;
    }

    private static DiskGuard.Disk disk(AtomicLong free) {
        return new DiskGuard.Disk() {
            @Override
            public long usableBytes() {
                return free.get();
            }

            @Override
            public long totalBytes() {
                return Long.MAX_VALUE;
            }
        };
    }

    @Test
    void aMutationNotAppliedByItsDeadlineFails() throws Exception {
        CountDownLatch holdApply = new CountDownLatch(1);
        AppendCoprocessor slow = new AppendCoprocessor() {
            @Override
            public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
                awaitQuietly(holdApply);
                return super.apply(writes, mutations, afterCommit);
            }
        };
        try (KvNode node = open()) {
            KvStore store = node.open(new StoreSpec("test", () -> slow, List.of()));
            node.ready().get(30, TimeUnit.SECONDS);
            CompletableFuture<byte[]> late = store.client().mutate(key("k"), key("k=a"), Deadline.afterMillis(50));
            assertThat(late)
                    .failsWithin(10, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(RangeException.class)
                    .withMessageContaining("TIMEOUT");
            holdApply.countDown();
            assertThat(mutate(store, "k=b")).isEqualTo("ab"); // late, not lost
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        awaitQuietly(latch, TimeUnit.MINUTES.toMillis(1));
    }

    private static boolean awaitQuietly(CountDownLatch latch, long millis) {
        try {
            return latch.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private KvNode open() throws Exception {
        return KvNode.open(new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1)));
    }

    private static String mutate(KvStore store, String mutation) throws Exception {
        return store.client()
                .mutate(key(mutation.substring(0, 1)), key(mutation), Deadline.afterMillis(30_000))
                .handle((reply, failure) -> failure == null
                        ? new String(reply, UTF_8)
                        : ((RangeException) failure).reason().name())
                .get(30, TimeUnit.SECONDS);
    }

    private static byte[] key(String text) {
        return text.getBytes(UTF_8);
    }
}
