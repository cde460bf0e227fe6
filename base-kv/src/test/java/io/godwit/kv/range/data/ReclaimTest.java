package io.godwit.kv.range.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Space deleted by a split is freed slowly, and this does not delay anybody who needs the database exclusively. */
@Timeout(60)
class ReclaimTest {
    private static final RangeState ALL = RangeState.first(1, new RangeBounds(new byte[0], null), List.of("me"));
    private static final int VALUES = 20_000;
    private static final int VALUE_BYTES = 1_000;

    @TempDir
    Path directory;

    @Test
    void spaceIsGivenBackNoFasterThanAllowed() throws Exception {
        try (RocksResources resources = new RocksResources(64 << 20, 32 << 20, 3 << 20);
                RangeDb db = halved(resources)) {
            long before = tableBytes();
            long begun = System.nanoTime();
            db.reclaim();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            assertThat(before).isGreaterThan(10L << 20);
            assertThat(tableBytes()).isLessThan(before * 6 / 10);
            assertThat(millis)
                    .as("milliseconds to write 10 MB at 3 MiB/s, where the first 4 MB are free")
                    .isGreaterThan(1_000);
            long left = db.readSnapshot(reader -> {
                long count = 0;
                try (var cursor = reader.cursor(new byte[0], null)) {
                    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                        count++;
                    }
                }
                return count;
            });
            assertThat(left).isEqualTo(VALUES / 2);
        }
    }

    @Test
    void aCloseDoesNotWaitForIt() throws Exception {
        try (RocksResources resources = new RocksResources(64 << 20, 32 << 20, 256 << 10)) { // for 20 s
            RangeDb db = halved(resources);
            Thread reclaiming = new Thread(db::reclaim, "reclaim");
            reclaiming.start();
            reclaiming.join(1_000);
            assertThat(reclaiming.isAlive()).isTrue();
            long begun = System.nanoTime();
            db.close();
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
                    .isLessThan(10);
            reclaiming.join();
        }
    }

    /** Everything is in one table, whose keys are all within the original bounds. */
    private RangeDb halved(RocksResources resources) throws Exception {
        RangeDb db = RangeDb.open(directory.resolve("db"), ALL, resources, true);
        BufferedWrites writes = db.newWrites();
        Random random = new Random(1);
        for (int i = 0; i < VALUES; i++) {
            byte[] value = new byte[VALUE_BYTES];
            random.nextBytes(value);
            writes.put(key(i), value);
            if (i % 100 == 99) {
                db.commit(writes, i);
            }
        }
        db.flush();
        RangeState half =
                ALL.apply(new RangeCommand.Split(1, 2, key(VALUES / 2))).orElseThrow();
        writes.deleteOutside(half.bounds());
        db.commit(writes, VALUES, half);
        return db;
    }

    private static byte[] key(int number) {
        return String.format("%06d", number).getBytes(UTF_8);
    }

    private long tableBytes() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("db"))) {
            long bytes = 0;
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".sst")).toList()) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }
}
