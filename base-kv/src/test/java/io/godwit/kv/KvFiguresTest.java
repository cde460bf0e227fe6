package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.KvFigures;
import io.godwit.kv.store.StoreFigures;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KvFiguresTest {
    private static final int WRITES = 20;

    @TempDir
    Path data;

    private final Queue<Long> syncNanos = new ConcurrentLinkedQueue<>();
    private final Queue<Long> commitNanos = new ConcurrentLinkedQueue<>();

    private final StoreMeasures measures = new StoreMeasures() {
        @Override
        public void synced(long nanos) {
            syncNanos.add(nanos);
        }

        @Override
        public void committed(String store, long nanos) {
            assertThat(store).isEqualTo("test");
            commitNanos.add(nanos);
        }
    };

    private KvNode open() throws Exception {
        KvNodeConfig config =
                new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1));
        return KvNode.open(config, StartProgress.NONE, measures, RangeReports.none());
    }

    private static KvStore openStore(KvNode node) throws Exception {
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of("m".getBytes(UTF_8))));
        node.ready().get(30, TimeUnit.SECONDS);
        return store;
    }

    private static void write(KvStore store) throws Exception {
        for (int i = 0; i < WRITES; i++) {
            byte[] key = ("k" + i).getBytes(UTF_8);
            store.client()
                    .mutate(key, ("k" + i + "=" + "x".repeat(10_000)).getBytes(UTF_8), Deadline.afterMillis(30_000))
                    .get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void aStoreIsTheSumOfItsReplicas() throws Exception {
        try (KvNode node = open()) {
            write(openStore(node));
            Await.until(
                    () -> "applied",
                    Duration.ofSeconds(10),
                    () -> node.figures().store("test").applyLag() == 0);
            KvFigures figures = node.figures();
            StoreFigures store = figures.store("test");
            assertThat(store.replicas()).isEqualTo(2);
            assertThat(store.leaders()).isEqualTo(2);
            assertThat(store.stopped()).isZero();
            assertThat(store.heldBack()).isZero();
            assertThat(store.memtableBytes()).isGreaterThan(WRITES * 10_000L);
            assertThat(figures.cacheCapacityBytes()).isEqualTo(32 << 20);
            assertThat(figures.cacheBytes()).isPositive();
            assertThat(figures.logBytes()).isGreaterThan(WRITES * 10_000L);
            assertThat(figures.log().bytes()).isGreaterThan(WRITES * 10_000L);
            assertThat(figures.store("other")).isEqualTo(StoreFigures.NONE);
        }
        try (KvNode node = open()) {
            openStore(node);
            assertThat(node.figures().store("test").tableBytes())
                    .as("the close flushed the data into tables")
                    .isPositive();
        }
    }

    @Test
    void writesAreTimed() throws Exception {
        long begunNanos = System.nanoTime();
        try (KvNode node = open()) {
            write(openStore(node));
        }
        long allNanos = System.nanoTime() - begunNanos;
        assertThat(commitNanos).hasSizeGreaterThanOrEqualTo(WRITES).allMatch(nanos -> nanos > 0 && nanos < allNanos);
        assertThat(syncNanos).hasSizeGreaterThanOrEqualTo(WRITES).allMatch(nanos -> nanos > 0 && nanos < allNanos);
    }

    @Test
    void aClosedNodeTellsOnlyWhatItHasCounted() throws Exception {
        KvNode node = open();
        write(openStore(node));
        KvFigures before = node.figures();
        node.close();
        KvFigures figures = node.figures();
        assertThat(before.log().syncs()).isPositive();
        assertThat(figures.log().writes()).isGreaterThanOrEqualTo(before.log().writes());
        assertThat(figures.log().syncs()).isGreaterThanOrEqualTo(before.log().syncs());
        assertThat(figures.log().bytes()).isGreaterThanOrEqualTo(before.log().bytes());
        assertThat(figures.log().tableBytes())
                .isGreaterThanOrEqualTo(before.log().tableBytes());
        assertThat(figures.store("test").memtableBytes()).isZero();
        assertThat(figures.cacheBytes()).isZero();
        assertThat(figures.logBytes()).isZero();
    }
}
