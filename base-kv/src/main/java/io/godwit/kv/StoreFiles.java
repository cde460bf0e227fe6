package io.godwit.kv;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.raft.ChecksummedText;
import io.godwit.kv.raft.DamagedDataException;
import io.godwit.kv.raft.DurableFiles;
import io.godwit.kv.raft.SharedRaftLog;
import io.godwit.kv.range.RangeDb;
import io.godwit.kv.range.RocksResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a node's stores, and the order in which a store comes into being. A crash between two steps leaves what is said with the
 * step; the next start goes on from there.
 *
 * <ol>
 *   <li>{@code FORMAT} of the data directory, then the shared log: nothing of a store yet.
 *   <li>{@code <store>/range-N/db} of all its ranges, each an empty database, fsynced with its directories. Left over, they hold nothing
 *       (applied index 0), are deleted and made anew.
 *   <li>The register in the shared log: all ranges of the store in one synced batch. From here on the store exists, and whatever of it is
 *       missing is damage.
 *   <li>{@code STORES}, the names of the stores, a line each ({@link ChecksummedText}), replaced atomically. It says that the register had
 *       the store, in case the whole log goes missing. Left out, it is written by the next start.
 * </ol>
 *
 * <p>Raft groups are started only after the last step. Not thread-safe; used while a node opens its stores.
 */
final class StoreFiles {
    private static final String STORES = "STORES";

    private final Path data;
    private final Path logDirectory;
    private final SharedRaftLog log;
    private final RocksResources rocks;
    private final String storeId;

    StoreFiles(Path data, Path logDirectory, SharedRaftLog log, RocksResources rocks, String storeId) {
        this.data = data;
        this.logDirectory = logDirectory;
        this.log = log;
        this.rocks = rocks;
        this.storeId = storeId;
    }

    Path databaseOf(RangeDescriptor range) {
        return rangeDirectory(range).resolve("db");
    }

    Path snapshotsOf(RangeDescriptor range) {
        return rangeDirectory(range).resolve("snapshot");
    }

    private Path rangeDirectory(RangeDescriptor range) {
        return data.resolve(range.store()).resolve(range.directoryName());
    }

    /** Whether no store was ever made here. */
    boolean isEmpty() throws IOException {
        return readStores().isEmpty() && log.descriptors().isEmpty();
    }

    /**
     * The ranges of the store, by key; makes it when it does not exist.
     *
     * @throws DamagedDataException naming what is missing or does not fit
     */
    List<RangeDescriptor> ranges(StoreSpec spec) throws IOException {
        List<RangeDescriptor> registered = registered(spec.name());
        SortedSet<String> stores = readStores();
        if (registered.isEmpty()) {
            if (stores.contains(spec.name())) {
                throw new DamagedDataException(
                        logDirectory,
                        "its register has no range of store " + spec.name() + ", which " + STORES + " names");
            }
            registered = create(spec);
        }
        if (stores.add(spec.name())) {
            DurableFiles.replace(data.resolve(STORES), ChecksummedText.seal(String.join("\n", stores) + "\n"));
        }
        return registered;
    }

    /**
     * Opens the database of a range and holds it against the log: the only voter's log cannot end before what was applied from it.
     *
     * @throws DamagedDataException naming what is missing or does not fit
     */
    RangeDb open(RangeDescriptor range) throws IOException {
        RangeDb db = RangeDb.open(databaseOf(range), range.bounds(), rocks, false);
        long lastIndex = log.lastIndex(range.groupId());
        if (range.voters().equals(List.of(storeId)) && db.appliedIndex() > lastIndex) {
            long applied = db.appliedIndex();
            db.close();
            throw new DamagedDataException(
                    logDirectory,
                    "log of " + range.groupId() + " ends at " + lastIndex + ", its database has applied " + applied);
        }
        return db;
    }

    private List<RangeDescriptor> registered(String store) throws IOException {
        List<RangeDescriptor> ranges = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : log.descriptors()) {
            RangeDescriptor range;
            try {
                range = RangeDescriptor.decode(entry.getValue());
            } catch (IOException e) {
                throw new DamagedDataException(
                        logDirectory, "register of group " + entry.getKey() + ": " + e.getMessage(), e);
            }
            if (range.store().equals(store)) {
                ranges.add(range);
            }
        }
        ranges.sort(Comparator.comparing(range -> range.bounds().start(), Arrays::compareUnsigned));
        if (!ranges.isEmpty()) {
            checkCover(store, ranges);
        }
        return ranges;
    }

    private void checkCover(String store, List<RangeDescriptor> ranges) throws DamagedDataException {
        byte @Nullable [] expected = {};
        for (RangeDescriptor range : ranges) {
            if (expected == null || !Arrays.equals(expected, range.bounds().start())) {
                throw new DamagedDataException(
                        logDirectory, "ranges of store " + store + " have a gap or overlap at " + range.groupId());
            }
            expected = range.bounds().end();
        }
        if (expected != null) {
            throw new DamagedDataException(logDirectory, "ranges of store " + store + " end before the key space does");
        }
    }

    private List<RangeDescriptor> create(StoreSpec spec) throws IOException {
        Path directory = data.resolve(spec.name());
        deleteLeftover(directory);
        List<RangeDescriptor> ranges = new ArrayList<>();
        byte[] start = {};
        for (int i = 0; i <= spec.splitKeys().size(); i++) {
            byte @Nullable [] end =
                    i < spec.splitKeys().size() ? spec.splitKeys().get(i) : null;
            ranges.add(new RangeDescriptor(spec.name(), i + 1L, 1, new RangeBounds(start, end), List.of(storeId)));
            start = end == null ? start : end;
        }
        Map<String, byte[]> descriptors = new LinkedHashMap<>();
        for (RangeDescriptor range : ranges) {
            RangeDb.open(databaseOf(range), range.bounds(), rocks, true).close();
            DurableFiles.createDirectories(snapshotsOf(range));
            descriptors.put(range.groupId(), range.encode());
        }
        log.putDescriptors(descriptors);
        return ranges;
    }

    /** Deletes what a crash left of an unfinished creation, after a look that it is that. */
    private void deleteLeftover(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> ranges = Files.list(directory)) {
            for (Path range : (Iterable<Path>) ranges::iterator) {
                Path database = range.resolve("db");
                if (Files.exists(database.resolve("CURRENT")) && appliedIndex(database) > 0) {
                    throw new DamagedDataException(
                            range, "holds data, but the register in " + logDirectory + " does not know it");
                }
            }
        }
        List<Path> files;
        try (Stream<Path> tree = Files.walk(directory)) {
            files = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
        DurableFiles.syncDirectory(data);
    }

    private long appliedIndex(Path database) throws IOException {
        try (RangeDb db = RangeDb.open(database, new RangeBounds(new byte[0], null), rocks, false)) {
            return db.appliedIndex();
        }
    }

    private SortedSet<String> readStores() throws IOException {
        Path file = data.resolve(STORES);
        if (!Files.exists(file)) {
            return new TreeSet<>();
        }
        return new TreeSet<>(
                ChecksummedText.open(file, Files.readAllBytes(file)).lines().toList());
    }
}
