package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreSpec;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many fsynced mutations per second a node can do. Prints the rate; asserts only a minimum. */
@Tag("long")
class ThroughputTest {
    private static final Logger LOG = LoggerFactory.getLogger(ThroughputTest.class);

    @TempDir
    Path data;

    @ParameterizedTest
    @CsvSource({
        "1, 256, 64, false",
        "1, 256, 512, false",
        "1, 256, 4096, false",
        "4, 256, 64, false",
        "1, 256, 1, false"
    })
    void mutationsPerSecond(int ranges, int valueBytes, int outstanding, boolean readFirst) throws Exception {
        List<byte[]> splits = new ArrayList<>();
        for (int i = 1; i < ranges; i++) {
            splits.add(new byte[] {(byte) (i * 256 / ranges)});
        }
        Path directory = data.resolve(ranges + "-" + valueBytes + "-" + outstanding + "-" + readFirst);
        KvNodeConfig config =
                new KvNodeConfig(directory, true, 128L << 20, 64L << 20, RangeSettings.DEFAULT, OptionalLong.of(1));
        try (KvNode node = KvNode.open(config)) {
            KvStore store = node.open(new StoreSpec("speed", () -> new PutCoprocessor(readFirst), splits));
            store.ready().get(30, TimeUnit.SECONDS);
            int warmUp = outstanding == 1 ? 500 : 50_000;
            int count = outstanding == 1 ? 3_000 : outstanding < 1000 ? 150_000 : 600_000;
            run(store.client(), valueBytes, outstanding, warmUp, new long[warmUp]);
            long[] latencies = new long[count];
            long cpu = cpuNanos();
            long begun = System.nanoTime();
            run(store.client(), valueBytes, outstanding, count, latencies);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double cpuMicros = (cpuNanos() - cpu) / 1e3 / count;
            Arrays.sort(latencies);
            LOG.info(
                    "throughput ranges={} valueBytes={} outstanding={} readFirst={} perSecond={} "
                            + "cpuMicrosEach={} p50Micros={} p99Micros={}",
                    ranges,
                    valueBytes,
                    outstanding,
                    readFirst,
                    Math.round(count / seconds),
                    String.format("%.1f", cpuMicros),
                    latencies[count / 2] / 1_000,
                    latencies[count * 99 / 100] / 1_000);
            assertThat(count / seconds).isGreaterThan(outstanding == 1 ? 20 : 5_000);
        }
    }

    private static void run(RangeClient client, int valueBytes, int outstanding, int count, long[] latencies)
            throws InterruptedException {
        Semaphore window = new Semaphore(outstanding);
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < count; i++) {
            int number = i;
            window.acquire();
            byte[] key =
                    ByteBuffer.allocate(12).putInt(i * 0x9E3779B9).putLong(i).array();
            byte[] mutation =
                    ByteBuffer.allocate(12 + valueBytes).put(key).put(value).array();
            long sent = System.nanoTime();
            client.mutate(key, mutation, Deadline.afterMillis(30_000)).whenComplete((reply, failure) -> {
                latencies[number] = System.nanoTime() - sent;
                window.release();
            });
        }
        window.acquire(outstanding);
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** Stores each mutation; its first 12 bytes are the key. */
    private static final class PutCoprocessor implements RangeCoprocessor {
        private static final byte[] DONE = "ok".getBytes(UTF_8);
        private final boolean readFirst;

        PutCoprocessor(boolean readFirst) {
            this.readFirst = readFirst;
        }

        @Override
        public void open(RangeBounds bounds, RangeReader reader) {}

        @Override
        public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
            for (byte[] mutation : mutations) {
                byte[] key = Arrays.copyOf(mutation, 12);
                if (readFirst) {
                    writes.get(key);
                }
                writes.put(key, Arrays.copyOfRange(mutation, 12, mutation.length));
            }
            return Collections.nCopies(mutations.size(), DONE);
        }

        @Override
        public byte[] query(RangeReader snapshot, byte[] query) {
            return DONE;
        }
    }
}
