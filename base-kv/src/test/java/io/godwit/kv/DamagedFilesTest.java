package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.DiskReserve;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One byte is flipped in the middle of each kind of file of a data directory. Either the start is refused and names the
 * file, or the damage is found when it is read, or the file is not read at all. Wrong data is never read.
 */
@Timeout(180)
class DamagedFilesTest {
    private static final int KEYS = 200;
    private static final int ROUNDS = 6;

    private enum Outcome {
        /** The start names the file. */
        REFUSED,
        /** The first read of the damaged place fails; the store then fails too, and its health names the file. */
        DETECTED,
        /** All data is served. */
        UNREAD
    }

    /** By kind, as {@link #kindsOf} names them. */
    private static final Map<String, Outcome> EXPECTED = Map.ofEntries(
            Map.entry("FORMAT", Outcome.REFUSED),
            Map.entry("STORES", Outcome.REFUSED),
            Map.entry("reserve", Outcome.UNREAD), // it only takes room on the disk
            Map.entry("raft-log.synced", Outcome.REFUSED),
            Map.entry("raft-log/CURRENT", Outcome.REFUSED),
            Map.entry("raft-log/MANIFEST-N", Outcome.REFUSED),
            Map.entry("raft-log/N.log", Outcome.REFUSED),
            Map.entry("raft-log/N.sst", Outcome.REFUSED),
            Map.entry("raft-log/OPTIONS-N", Outcome.UNREAD),
            Map.entry("range/db/CURRENT", Outcome.REFUSED),
            Map.entry("range/db/MANIFEST-N", Outcome.REFUSED),
            Map.entry("range/db/N.sst", Outcome.DETECTED),
            Map.entry("range/db/OPTIONS-N", Outcome.UNREAD),
            Map.entry("range/snapshot/__raft_snapshot_meta", Outcome.REFUSED),
            Map.entry("range/snapshot/SEAL", Outcome.REFUSED),
            // read only if the database is older than the snapshot: see the second test
            Map.entry("range/snapshot/db/CURRENT", Outcome.UNREAD),
            Map.entry("range/snapshot/db/MANIFEST-N", Outcome.UNREAD),
            Map.entry("range/snapshot/db/N.sst", Outcome.UNREAD),
            Map.entry("range/snapshot/db/OPTIONS-N", Outcome.UNREAD));

    @TempDir
    private static Path directory;

    private static Path image;
    /** The database as it was before the log behind it was truncated. */
    private static Path oldDatabase;

    private static final Map<Integer, String> VALUES = new TreeMap<>();

    @BeforeAll
    static void leaveDataBehind() throws Exception {
        image = directory.resolve("image");
        oldDatabase = directory.resolve("old");
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            try (KvNode node = open(image)) { // each start writes the log's WAL to a table
                KvStore store = node.open(spec());
                List<CompletableFuture<byte[]>> answers = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    byte[] noise = new byte[300];
                    random.nextBytes(noise);
                    String part = Base64.getEncoder().encodeToString(noise);
                    VALUES.merge(i, part, String::concat);
                    byte[] mutation = (key(i) + "=" + part).getBytes(UTF_8);
                    answers.add(store.client().mutate(key(i).getBytes(UTF_8), mutation, Deadline.afterMillis(30_000)));
                }
                answers.forEach(CompletableFuture::join);
            }
            if (round == 0) {
                copy(image.resolve("test/range-1/db"), oldDatabase);
            }
        }
        new DiskReserve(image).make(); // a node makes it some time after its start, perhaps after the rounds above
    }

    @Test
    void theImageHoldsEveryKindAndIsIntact() throws Exception {
        assertThat(kindsOf(image)).containsOnlyKeys(EXPECTED.keySet());
        assertThat(outcomeOf(copyOfTheImage(), image)).isEqualTo(Outcome.UNREAD);
    }

    static Stream<String> everyKind() {
        return EXPECTED.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void aFlippedByteIsNeverReadAsData(String kind) throws Exception {
        Path copy = copyOfTheImage();
        Path damaged = kindsOf(copy).get(kind);
        flipMiddle(damaged);
        assertThat(outcomeOf(copy, damaged)).isEqualTo(EXPECTED.get(kind));
    }

    static Stream<String> snapshotKinds() {
        return everyKind().filter(kind -> kind.startsWith("range/snapshot/") && !kind.endsWith("OPTIONS-N"));
    }

    @ParameterizedTest
    @MethodSource("snapshotKinds")
    void aFlippedByteOfASnapshotThatIsNeededIsRefusedAndCostsNothing(String kind) throws Exception {
        Path copy = copyWithTheOldDatabase();
        Path damaged = kindsOf(copy).get(kind);
        byte[] intact = Files.readAllBytes(damaged);
        flipMiddle(damaged);
        assertThat(outcomeOf(copy, damaged)).isEqualTo(Outcome.REFUSED);

        Files.write(damaged, intact);
        assertThat(outcomeOf(copy, damaged)).isEqualTo(Outcome.UNREAD);
    }

    /** Opens a store and reads all of it. */
    private static Outcome outcomeOf(Path data, Path damaged) throws Exception {
        try (KvNode node = open(data)) {
            CompletableFuture<String> failed = new CompletableFuture<>();
            node.onHealthChange(health -> {
                StoreHealth store = health.get("test");
                if (store != null && store.state() == StoreHealth.State.FAILED) {
                    failed.complete(store.detail());
                }
            });
            KvStore store = node.open(spec());
            store.ready().get(30, TimeUnit.SECONDS);
            for (Map.Entry<Integer, String> entry : VALUES.entrySet()) {
                byte[] key = key(entry.getKey()).getBytes(UTF_8);
                byte[] value = store.client()
                        .query(key, key, Deadline.afterMillis(30_000))
                        .handle((reply, failure) -> failure instanceof RangeException ? null : reply)
                        .get(30, TimeUnit.SECONDS);
                if (value == null) {
                    assertThat(failed.get(30, TimeUnit.SECONDS))
                            .contains(damaged.getFileName().toString());
                    return Outcome.DETECTED;
                }
                assertThat(new String(value, UTF_8)).isEqualTo(entry.getValue());
            }
            return Outcome.UNREAD;
        } catch (DamagedDataException e) {
            assertThat(e).hasMessageContaining(damaged.toString());
            return Outcome.REFUSED;
        }
    }

    /**
     * The newest file of each kind with content: by directory, and by name without its numbers. LOG files are for
     * people.
     */
    private static Map<String, Path> kindsOf(Path data) throws IOException {
        Map<String, Path> kinds = new TreeMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String kind = data.relativize(file)
                        .toString()
                        .replaceAll("test/range-[0-9]+/", "range/")
                        .replaceAll("snapshot_[0-9]+/", "")
                        .replaceAll("[0-9]{6}", "N");
                if (Files.size(file) > 0 && !kind.contains("LOG") && !kind.contains("LOCK")) {
                    kinds.put(kind, file);
                }
            }
        }
        return kinds;
    }

    private static void flipMiddle(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[content.length / 2] ^= 0x10;
        Files.write(file, content);
    }

    private static Path copyOfTheImage() throws IOException {
        Path copy = directory.resolve("copy");
        delete(copy);
        copy(image, copy);
        return copy;
    }

    private static Path copyWithTheOldDatabase() throws IOException {
        Path copy = copyOfTheImage();
        Path database = copy.resolve("test/range-1/db");
        delete(database);
        copy(oldDatabase, database);
        return copy;
    }

    private static void delete(Path tree) throws IOException {
        if (Files.exists(tree)) {
            try (Stream<Path> files = Files.walk(tree)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static String key(int number) {
        return String.format("k%06d", number);
    }

    private static StoreSpec spec() {
        return new StoreSpec("test", AppendCoprocessor::new, List.of());
    }

    private static KvNode open(Path data) throws IOException {
        RangeSettings settings = new RangeSettings(64L << 20, 50 << 10, 5_000);
        return KvNode.open(new KvNodeConfig(data, true, 32 << 20, 16 << 20, settings, OptionalLong.of(1)));
    }
}
