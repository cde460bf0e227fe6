package io.godwit.kv.range.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.range.state.RangeState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** Reads return what a sorted map would, whatever was written in the batch and before it. */
class BufferedWritesTest {
    private static Path directory;
    private static RocksResources resources;
    private static int number;

    @BeforeContainer
    static void open() throws Exception {
        directory = Files.createTempDirectory("buffered-writes");
        resources = new RocksResources(8 << 20, 4 << 20);
    }

    @AfterContainer
    static void close() throws Exception {
        resources.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Property(tries = 25)
    void readsSeeWhatASortedMapWouldShow(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        RangeBounds bounds = new RangeBounds(new byte[0], null);
        NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        try (RangeDb db = RangeDb.open(
                directory.resolve("db" + number++), RangeState.first(1, bounds, List.of("me")), resources, true)) {
            BufferedWrites writes = db.newWrites();
            for (int index = 1; index <= 8; index++) {
                for (int step = 0; step < 30; step++) {
                    change(random, writes, model);
                    if (random.nextInt(4) == 0) {
                        check(random, writes, model);
                    }
                }
                db.commit(writes, index);
                check(random, db.latest(), model);
                db.readSnapshot(reader -> {
                    check(random, reader, model);
                    return null;
                });
            }
            assertThat(db.appliedIndex()).isEqualTo(8);
        }
    }

    private static void change(Random random, BufferedWrites writes, NavigableMap<byte[], byte[]> model) {
        byte[] key = key(random);
        switch (random.nextInt(5)) {
            case 0 -> {
                writes.delete(key);
                model.remove(key);
            }
            case 1 -> {
                byte[] end = key(random);
                writes.deleteRange(key, end);
                if (Arrays.compareUnsigned(key, end) < 0) {
                    model.subMap(key, end).clear();
                }
            }
            default -> {
                byte[] value = new byte[random.nextInt(20)];
                random.nextBytes(value);
                writes.put(key, value);
                model.put(key, value);
            }
        }
    }

    private static void check(Random random, RangeReader reader, NavigableMap<byte[], byte[]> model) {
        byte[] key = key(random);
        assertThat(reader.get(key)).isEqualTo(model.get(key));

        byte[] start = key(random);
        byte @Nullable [] end = random.nextInt(3) == 0 ? null : key(random);
        NavigableMap<byte[], byte[]> part;
        if (end == null) {
            part = model.tailMap(start, true);
        } else if (Arrays.compareUnsigned(start, end) < 0) {
            part = model.subMap(start, true, end, false);
        } else {
            part = new TreeMap<>(Arrays::compareUnsigned);
        }
        try (RangeCursor cursor = reader.cursor(start, end)) {
            cursor.seekToFirst();
            assertThat(rest(cursor)).isEqualTo(rest(part));
            byte[] from = key(random);
            cursor.seek(from);
            NavigableMap<byte[], byte[]> behind = new TreeMap<>(part);
            behind.keySet().removeIf(other -> Arrays.compareUnsigned(other, from) < 0);
            assertThat(rest(cursor)).isEqualTo(rest(behind));
            cursor.seekToLast();
            assertThat(cursor.isValid()).isEqualTo(!part.isEmpty());
            if (!part.isEmpty()) {
                assertThat(cursor.key()).isEqualTo(part.lastKey());
                assertThat(cursor.value()).isEqualTo(part.lastEntry().getValue());
                cursor.next();
                assertThat(cursor.isValid()).isFalse();
            }
        }
    }

    private static List<String> rest(RangeCursor cursor) {
        List<String> entries = new ArrayList<>();
        for (; cursor.isValid(); cursor.next()) {
            entries.add(Arrays.toString(cursor.key()) + Arrays.toString(cursor.value()));
        }
        return entries;
    }

    private static List<String> rest(NavigableMap<byte[], byte[]> part) {
        List<String> entries = new ArrayList<>();
        part.forEach((key, value) -> entries.add(Arrays.toString(key) + Arrays.toString(value)));
        return entries;
    }

    /** Few keys, so that writes meet; with bytes above 127 and the empty key. */
    private static byte[] key(Random random) {
        byte[] key = new byte[random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) * 80);
        }
        return key;
    }
}
