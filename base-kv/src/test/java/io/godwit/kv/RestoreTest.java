package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.backup.RangeBackups.RangeCopy;
import io.godwit.kv.backup.Restore;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;

/** Copies of ranges in use, and a new cluster made from them. */
@Timeout(120)
class RestoreTest {
    private static final int KEYS = 2_000;

    @TempDir
    private Path directory;

    private Path data;
    private Path restored;
    private UUID cluster;

    @BeforeEach
    void name() {
        data = directory.resolve("data");
        restored = directory.resolve("restored");
    }

    /** A store that was split since it was created, copied range by range while it is written to. */
    private List<Restore.Part> backup() throws Exception {
        List<Restore.Part> parts = new ArrayList<>();
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            KvStore store = open(node, List.of(key(1_000)));
            RangeClient client = store.client();
            write(client, "a");
            Range first = store.ranges().all().stream()
                    .filter(range -> range.state().bounds().contains(key(0)))
                    .findFirst()
                    .orElseThrow();
            assertThat(store.ranges().split(1, first.state().epoch(), key(400)).get(20, TimeUnit.SECONDS))
                    .isEqualTo(ChangeOutcome.DONE);
            write(client, "b");
            store.ready().get(20, TimeUnit.SECONDS);
            List<CompletableFuture<byte[]>> later = new ArrayList<>();
            for (Range range : store.ranges().all()) {
                try (RangeCopy copy = node.backups().copy("test", range.state().id())) {
                    parts.add(keep(copy));
                    assertThat(copy.epoch()).isEqualTo(range.state().epoch());
                }
                for (int i = 0; i < KEYS; i++) { // writes after a copy may be missing in it
                    later.add(client.mutate(key(i), append(i, "c"), deadline()));
                }
            }
            later.forEach(CompletableFuture::join);
            try (Stream<Path> left = Files.list(data.resolve("copies"))) {
                assertThat(left).isEmpty();
            }
        }
        try (DataDirectory opened = DataDirectory.open(data)) {
            cluster = opened.clusterId();
        }
        assertThat(parts).hasSize(3);
        return parts;
    }

    private Restore.Part keep(RangeCopy copy) throws IOException {
        Path kept = Files.createDirectories(directory.resolve("backup/range-" + copy.id()));
        try (Stream<Path> files = Files.list(copy.directory())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, kept.resolve(file.getFileName()));
            }
        }
        return new Restore.Part("test", copy.id(), new RangeBounds(copy.start(), copy.end()), kept);
    }

    @Test
    void aNewClusterHasWhatWasAcknowledgedBeforeTheCopies() throws Exception {
        List<Restore.Part> parts = backup();

        UUID made = Restore.into(restored, parts);

        assertThat(made).isNotEqualTo(cluster);
        for (int starts = 1; starts <= 2; starts++) {
            try (KvNode node = KvNode.open(KvNodeConfig.standalone(restored))) {
                KvStore store = open(node, List.of());
                assertThat(store.ranges().all()).hasSize(3);
                for (int i = 0; i < KEYS; i += 7) {
                    assertThat(read(store.client(), i)).startsWith("ab");
                }
                byte[] added = store.client()
                        .mutate(key(3), append(3, "+"), deadline())
                        .join();
                assertThat(new String(added, UTF_8)).startsWith("ab").endsWith("+".repeat(starts));
            }
        }
    }

    /** An empty replica must take a snapshot, because the log does not begin at its first entry. */
    @Test
    void theStateIsRestoredAsASnapshot() throws Exception {
        Restore.into(restored, backup());
        assertThat(restored.resolve("test/range-2/snapshot/snapshot_1")).isDirectory();
        assertThat(restored.resolve("from")).doesNotExist();
        assertThat(directory.resolve("restored.restoring")).doesNotExist();
    }

    @Test
    void existingDataIsNotOverwritten() throws Exception {
        List<Restore.Part> parts = backup();
        assertThatThrownBy(() -> Restore.into(data, parts)).isInstanceOf(FileAlreadyExistsException.class);
        Path file = Files.writeString(directory.resolve("file"), "mine");
        assertThatThrownBy(() -> Restore.into(file, parts)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("mine");
        Restore.into(Files.createDirectory(restored), parts);
        assertThat(restored.resolve("FORMAT")).isRegularFile();
    }

    @Test
    void aDatabaseThatIsDamagedOrAnothersMakesNothing() throws Exception {
        List<Restore.Part> parts = backup();
        Restore.Part cut = part(parts, 1); // it has its own state, which names its range
        Restore.Part whole = part(parts, 2);
        Restore.Part swapped = new Restore.Part("test", whole.id(), whole.bounds(), cut.database());
        assertThatThrownBy(() -> Restore.into(restored, List.of(swapped)))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining("database of range");
        assertThat(restored).doesNotExist();

        Path database = parts.get(0).database();
        try (Stream<Path> files = Files.list(database)) {
            Path table = files.filter(each -> each.toString().endsWith(".sst"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            Files.delete(table);
        }
        assertThatThrownBy(() -> Restore.into(restored, parts)).isInstanceOf(IOException.class);
        assertThat(restored).doesNotExist();
        // and a leftover does not matter
        assertThat(directory.resolve("restored.restoring")).exists();
        Restore.into(restored, parts.subList(1, 3));
        assertThat(directory.resolve("restored.restoring")).doesNotExist();
    }

    /** The data directory of a service often is a link to a larger disk. */
    @Test
    void aLinkToAnEmptyDirectoryIsFollowed() throws Exception {
        List<Restore.Part> parts = backup();
        Path disk = Files.createDirectories(directory.resolve("disk/data"));
        Files.createSymbolicLink(restored, disk);
        Restore.into(restored, parts);
        assertThat(restored).isSymbolicLink();
        assertThat(disk.resolve("FORMAT")).isRegularFile();
    }

    @Test
    void onlyWhatARestoreHasLeftIsDeleted() throws Exception {
        List<Restore.Part> parts = backup();
        Path unfinished = Files.createDirectory(directory.resolve("restored.restoring"));
        Path mine = Files.writeString(unfinished.resolve("notes"), "mine");
        assertThatThrownBy(() -> Restore.into(restored, parts))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining(unfinished + " is not what a restore left");
        assertThat(mine).hasContent("mine");

        Files.delete(mine);
        try (DataDirectory another = DataDirectory.open(unfinished)) { // another restore is running
            assertThat(another.path()).isEqualTo(unfinished);
            assertThatThrownBy(() -> Restore.into(restored, parts))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(unfinished.toString());
            assertThat(unfinished.resolve("FORMAT")).exists();
        }
        assertThat(restored).doesNotExist();
        Restore.into(restored, parts);
        assertThat(unfinished).doesNotExist();
    }

    /**
     * If a write in one range depends on a write in another, the copies never have it without the other: for example a
     * token and its message.
     */
    @Test
    void copiesOfOneMomentFitTogether() throws Exception {
        List<Restore.Part> parts = new ArrayList<>();
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            KvStore store = open(node, List.of(key(1_000)));
            RangeClient client = store.client();
            AtomicBoolean isOver = new AtomicBoolean();
            Thread writer = new Thread(() -> {
                while (!isOver.get()) { // first in this range, and only then in the other
                    client.mutate(key(1), append(1, "x"), deadline()).join();
                    client.mutate(key(1_001), append(1_001, "x"), deadline()).join();
                }
            });
            writer.start();
            try {
                for (int round = 0; round < 20; round++) {
                    long begun = read(client, 1_001).length();
                    List<RangeCopy> copies = node.backups().copyAll(List.of("test"));
                    assertThat(copies).hasSize(2);
                    for (RangeCopy copy : copies) {
                        if (round == 19) {
                            parts.add(keep(copy));
                        }
                    }
                    int first = lengthIn(copies.get(0), 1);
                    int second = lengthIn(copies.get(1), 1_001);
                    assertThat(first - second).isBetween(0, 1);
                    assertThat((long) second).as("what was acknowledged before").isGreaterThanOrEqualTo(begun);
                    copies.forEach(RangeCopy::close);
                    assertThat(read(client, 1_001).length()).isGreaterThanOrEqualTo(second);
                }
                // copies made one after the other do not fit together
                try (RangeCopy first = node.backups().copy("test", id(store, 1))) {
                    int length = read(client, 1).length();
                    while (read(client, 1).length() < length + 2) {
                        Thread.onSpinWait();
                    }
                    try (RangeCopy second = node.backups().copy("test", id(store, 1_001))) {
                        assertThat(lengthIn(second, 1_001)).isGreaterThan(lengthIn(first, 1));
                    }
                }
                assertThatThrownBy(() -> node.backups().copyAll(List.of("test", "none")))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("no store none");
            } finally {
                isOver.set(true);
                writer.join();
            }
            try (Stream<Path> left = Files.list(data.resolve("copies"))) {
                assertThat(left).isEmpty();
            }
        }
        Restore.into(restored, parts);
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(restored))) {
            KvStore store = open(node, List.of());
            assertThat(read(store.client(), 1).length()
                            - read(store.client(), 1_001).length())
                    .isBetween(0, 1);
        }
    }

    private static long id(KvStore store, int key) {
        return store.ranges().all().stream()
                .filter(range -> range.state().bounds().contains(key(key)))
                .findFirst()
                .orElseThrow()
                .state()
                .id();
    }

    /** The length of the value of a key in a copy. */
    private static int lengthIn(RangeCopy copy, int key) throws Exception {
        try (RocksDB db = RocksDB.openReadOnly(copy.directory().toString())) {
            byte[] value =
                    db.get(("\u0001" + new String(key(key), UTF_8)).getBytes(UTF_8)); // the stored form of a user key
            return value == null ? 0 : value.length;
        }
    }

    private static Restore.Part part(List<Restore.Part> parts, long id) {
        return parts.stream().filter(part -> part.id() == id).findFirst().orElseThrow();
    }

    @Test
    void leftoversOfCopiesAreDeletedAtTheStart() throws Exception {
        Path left = Files.createDirectories(data.resolve("copies/test-1-1"));
        Files.writeString(left.resolve("CURRENT"), "x");
        try (KvNode node = KvNode.open(KvNodeConfig.standalone(data))) {
            assertThat(left).doesNotExist();
            assertThatThrownBy(() -> node.backups().copy("test", 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no range 1 of store test");
        }
    }

    private static KvStore open(KvNode node, List<byte[]> splitKeys) throws Exception {
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, splitKeys));
        node.ready().get(60, TimeUnit.SECONDS);
        return store;
    }

    private static void write(RangeClient client, String text) {
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            answers.add(client.mutate(key(i), append(i, text), deadline()));
        }
        answers.forEach(CompletableFuture::join);
    }

    private static String read(RangeClient client, int key) {
        return new String(client.query(key(key), key(key), deadline()).join(), UTF_8);
    }

    private static byte[] key(int number) {
        return String.format("%06d", number).getBytes(UTF_8);
    }

    private static byte[] append(int key, String text) {
        return (new String(key(key), UTF_8) + "=" + text).getBytes(UTF_8);
    }

    private static Deadline deadline() {
        return Deadline.afterMillis(30_000);
    }
}
