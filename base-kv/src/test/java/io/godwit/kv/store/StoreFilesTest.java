package io.godwit.kv.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.ChecksummedText;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.testing.AppendCoprocessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store is created step by step; each test stops after one step, as a crash would. */
class StoreFilesTest {
    private static final StoreSpec SPEC = new StoreSpec("test", AppendCoprocessor::new, List.of("m".getBytes(UTF_8)));

    @TempDir
    Path data;

    private RocksResources rocks;
    private SharedRaftLog log;
    private StoreFiles files;

    @BeforeEach
    void open() throws Exception {
        rocks = new RocksResources(8 << 20, 4 << 20);
        log = SharedRaftLog.open(data.resolve("raft-log"), (what, cause) -> {
            throw new AssertionError(what, cause);
        });
        files = new StoreFiles(data, data.resolve("raft-log"), log, rocks, "me", true);
    }

    @AfterEach
    void close() {
        log.close();
        rocks.close();
    }

    @Test
    void rangesCoverTheKeySpaceAndStayWhateverIsAskedLater() throws Exception {
        List<RangeDescriptor> made = files.ranges(SPEC);
        assertThat(made).extracting(RangeDescriptor::groupId).containsExactly("test-1", "test-2");
        assertThat(made.get(0).bounds().contains("l".getBytes(UTF_8))).isTrue();
        assertThat(made.get(1).bounds().contains("m".getBytes(UTF_8))).isTrue();

        List<RangeDescriptor> found = files.ranges(new StoreSpec("test", AppendCoprocessor::new, List.of()));
        assertThat(found).extracting(RangeDescriptor::groupId).containsExactly("test-1", "test-2");
        assertThat(Files.readString(data.resolve("STORES"))).startsWith("test\n");
    }

    /** A tombstone stays, and each start looks for the rest of its group. */
    @Test
    void aBuriedRangeCostsNoWriteAtLaterStarts() throws Exception {
        RangeDescriptor left = files.ranges(SPEC).get(0);
        files.bury(left, 2);
        assertThat(files.hasEnded(left.groupId())).isTrue();
        long before = log.stats().writes();
        for (int start = 0; start < 3; start++) {
            assertThat(files.ranges(SPEC)).hasSize(1);
        }
        assertThat(log.stats().writes()).isEqualTo(before);
        assertThat(files.hasEnded(left.groupId())).isTrue();
    }

    @Test
    void databasesWithoutARegisterAreMadeAnew() throws Exception {
        RangeState all = RangeState.first(1, new RangeBounds(new byte[0], null), List.of("me"));
        RangeDb.open(data.resolve("test/range-1/db"), all, rocks, true).close();
        Files.createDirectories(data.resolve("test/range-2"));

        assertThat(files.ranges(SPEC)).hasSize(2);
        for (RangeDescriptor range : files.ranges(SPEC)) {
            files.open(range).close();
        }
    }

    @Test
    void aRegisterWithoutTheListOfStoresIsEnough() throws Exception {
        files.ranges(SPEC);
        Files.delete(data.resolve("STORES"));
        assertThat(files.ranges(SPEC)).hasSize(2);
        assertThat(Files.readString(data.resolve("STORES"))).startsWith("test\n");
    }

    @Test
    void aListedStoreThatTheRegisterLacksIsRefused() throws Exception {
        Files.write(data.resolve("STORES"), ChecksummedText.seal("test\n"));
        assertThatThrownBy(() -> files.ranges(SPEC))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining("raft-log");
        assertThat(data.resolve("test")).doesNotExist();
    }

    @Test
    void anyFlippedBitOfTheListOfStoresIsRefused() throws Exception {
        files.ranges(SPEC);
        Path list = data.resolve("STORES");
        byte[] intact = Files.readAllBytes(list);
        for (int bit = 0; bit < 8 * intact.length; bit++) {
            byte[] flipped = intact.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(list, flipped);
            assertThatThrownBy(files::isEmpty)
                    .as("bit %d", bit)
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(list.toString());
        }
    }

    @Test
    void rangesWithAGapAreRefused() throws Exception {
        List<RangeDescriptor> ranges = new ArrayList<>(files.ranges(SPEC));
        RangeDescriptor second = ranges.get(1);
        RangeDescriptor shifted =
                new RangeDescriptor("test", 2, 2, new RangeBounds("n".getBytes(UTF_8), null), second.voters());
        log.putDescriptors(Map.of(shifted.groupId(), shifted.encode()));
        List<RangeBounds> bounds =
                files.ranges(SPEC).stream().map(RangeDescriptor::bounds).toList();
        assertThatThrownBy(() -> files.checkCover("test", bounds))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining("no range from key 6d on");
    }

    @Test
    void replicasOfManyStoresMayComeAtOnce() throws Exception {
        int stores = 12;
        CyclicBarrier together = new CyclicBarrier(stores);
        ExecutorService threads = Executors.newFixedThreadPool(stores);
        try {
            List<Future<?>> joining = new ArrayList<>();
            for (int i = 0; i < stores; i++) {
                RangeDescriptor range = new RangeDescriptor(
                                "store" + i, 1, 1, new RangeBounds(new byte[0], null), List.of("other"))
                        .joinedAt(1);
                joining.add(threads.submit(() -> {
                    together.await();
                    files.join(range).close();
                    return null;
                }));
            }
            for (Future<?> each : joining) {
                each.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(Files.readAllLines(data.resolve("STORES")))
                .filteredOn(line -> line.startsWith("store"))
                .hasSize(stores);
    }

    @Test
    void aMissingDatabaseIsRefusedByName() throws Exception {
        RangeDescriptor range = files.ranges(SPEC).get(0);
        try (var inside = Files.list(files.databaseOf(range))) {
            for (Path file : inside.toList()) {
                Files.delete(file);
            }
        }
        assertThatThrownBy(() -> files.open(range))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(files.databaseOf(range).toString());
    }

    /** As written by nodes without support for replicas that join later. */
    @Test
    void aDescriptorOfTheFirstVersionIsRead() throws Exception {
        byte[] recorded = HexFormat.of()
                .parseHex("01" + "0005" + "696e626f78" + "0000000000000007" + "0000000000000003" + "00000001" + "01"
                        + "01" + "00000002" + "02ff" + "00000002" + "0001" + "61" + "0001" + "62");
        assertThat(RangeDescriptor.decode(recorded))
                .usingRecursiveComparison()
                .isEqualTo(new RangeDescriptor(
                        "inbox", 7, 3, new RangeBounds(new byte[] {1}, new byte[] {2, -1}), List.of("a", "b")));
    }

    @Test
    void recordsOfANewerReleaseAreRefusedWithTheWayOut() {
        byte[] newer = {99, 1, 2, 3};
        String directory = data.resolve("raft-log").toString();
        log.putNodeRecord("cluster-facts", newer);
        assertThatThrownBy(() -> new NotedFacts("me", data.resolve("raft-log"), log, Runnable::run))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(directory + ": facts of the cluster of version 99 is of a newer release")
                .hasMessageContaining("reads up to 1. Start the release that wrote it, or restore a backup");

        log.putDescriptor("test-1", newer);
        assertThatThrownBy(() -> files.ranges(SPEC))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(directory + ": register of group test-1 of version 99 is of a newer release")
                .hasMessageContaining("reads up to 2. Start the release that wrote it, or restore a backup");
    }

    @Test
    void aDescriptorComesBackAsItWas() throws Exception {
        RangeDescriptor range = new RangeDescriptor(
                "inbox", 7, 3, new RangeBounds(new byte[] {1, -1}, new byte[] {2}), List.of("a", "b", "c"));
        RangeDescriptor decoded = RangeDescriptor.decode(range.encode());
        assertThat(decoded).usingRecursiveComparison().isEqualTo(range);
    }
}
