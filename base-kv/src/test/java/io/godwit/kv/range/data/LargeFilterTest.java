package io.godwit.kv.range.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A range of many small keys, such as those of a million sessions, in few files: filters and indexes are then larger
 * than a shard of the cache.
 */
class LargeFilterTest {
    private static final Path IO = Path.of("/proc/self/io");
    private static final int KEYS = 1_000_000;
    private static final int BATCH = 10_000;
    private static final int READS = 1_000;

    @TempDir
    Path directory;

    @Test
    void aReadDoesNotReadWholeFilters() throws Exception {
        assumeTrue(Files.isReadable(IO), "the kernel does not tell what a process reads: " + IO);
        try (RocksResources resources = new RocksResources(8 << 20, 4 << 20);
                Options options = resources.options(true);
                RocksDB db = RocksDB.open(options, directory.resolve("db").toString())) {
            fill(db);

            Random random = new Random(1);
            long before = bytesRead();
            for (int i = 0; i < READS; i++) {
                assertThat(db.get(key(random.nextInt(KEYS)))).containsExactly(1);
            }
            assertThat((bytesRead() - before) / READS)
                    .as("bytes read from files for each key; a block has 16 KiB")
                    .isLessThan(100 << 10);
        }
    }

    private static void fill(RocksDB db) throws Exception {
        try (WriteOptions write = new WriteOptions().setDisableWAL(true);
                WriteBatch batch = new WriteBatch();
                FlushOptions flush = new FlushOptions()) {
            for (int from = 0; from < KEYS; from += BATCH) {
                for (int key = from; key < from + BATCH; key++) {
                    // not in key order, because otherwise files would go to the last level as they are, small
                    batch.put(key((int) (key * 7_919L % KEYS)), new byte[] {1});
                }
                db.write(write, batch);
                batch.clear();
            }
            db.flush(flush);
            db.compactRange();
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(12)
                .putInt(number)
                .putLong(number * 0x9E3779B97F4A7C15L)
                .array();
    }

    private static long bytesRead() throws Exception {
        return Files.readAllLines(IO).stream()
                .filter(line -> line.startsWith("rchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
                .findFirst()
                .orElseThrow();
    }
}
