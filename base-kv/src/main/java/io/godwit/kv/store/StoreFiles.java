package io.godwit.kv.store;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.ChecksummedText;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.GroupBirth;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.change.Split;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a node's stores, and the steps in which a store is created. Each step says what a crash after it leaves;
 * the next start continues from there.
 *
 * <ol>
 *   <li>{@code FORMAT} of the data directory, then the shared log: nothing of a store exists yet.
 *   <li>{@code <store>/range-N/db} of all its ranges, each an empty database, fsynced with its directories. If left
 *       over, they are empty (applied index 0), and are deleted and made again.
 *   <li>The register in the shared log: all ranges of the store in one synced batch. From here on the store exists, and
 *       anything missing of it is damage.
 *   <li>{@code STORES}, the names of the stores, one per line ({@link ChecksummedText}), replaced atomically. It shows
 *       that the register had the store, in case the whole log is lost. If it is missing, the next start writes it.
 * </ol>
 *
 * <p>The files of a replica that had stopped after a fault are not deleted with it but moved to
 * {@code damaged/<store>-N-at-EPOCH} ({@code Replicas}), with the fault in {@code WHY}. Nothing reads them; an operator
 * deletes them.
 *
 * <p>In a cluster only the founding node creates stores. On other nodes a store has no ranges, and no line in
 * {@code STORES}, until the node gets a replica ({@link io.godwit.kv.peers.Replicas}).
 *
 * <p>Raft groups are started only after the last step. Used while a node opens its stores, and later by threads that
 * add and remove replicas.
 */
public final class StoreFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFiles.class);
    private static final String STORES = "STORES";
    private static final String FOUNDER = "founder";
    /** Follows the epoch in a tombstone: the range has ended in a merge. */
    private static final byte RANGE_ENDED = 1;
    /** Follows the epoch in a tombstone: the replica had stopped after a fault, so its files are kept. */
    private static final byte FILES_KEPT = 2;

    private static final String KEPT = "damaged";
    private static final String WHY = "WHY";

    private final Path data;
    private final Path logDirectory;
    private final SharedRaftLog log;
    private final RocksResources rocks;
    private final String storeId;
    private final boolean isAlone;

    /** @param isAlone whether this node is not in a cluster and so must have all ranges of its stores */
    public StoreFiles(
            Path data, Path logDirectory, SharedRaftLog log, RocksResources rocks, String storeId, boolean isAlone) {
        this.data = data;
        this.logDirectory = logDirectory;
        this.log = log;
        this.rocks = rocks;
        this.storeId = storeId;
        this.isAlone = isAlone;
    }

    boolean isAlone() {
        return isAlone;
    }

    public String storeId() {
        return storeId;
    }

    public Path databaseOf(RangeDescriptor range) {
        return rangeDirectory(range).resolve("db");
    }

    /** Names of the stores that have ranges on this node. */
    public Set<String> storesHere() {
        Set<String> names = new TreeSet<>();
        log.descriptors().forEach(entry -> {
            String groupId = entry.getKey();
            names.add(groupId.substring(0, Math.max(0, groupId.lastIndexOf('-'))));
        });
        return names;
    }

    /** Whether this node has a replica of the range. */
    boolean knows(RangeDescriptor range) {
        return log.descriptors().stream().anyMatch(entry -> entry.getKey().equals(range.groupId()));
    }

    /** The epoch at which the replica was last removed here; 0 if it never was. */
    public long tombstoneOf(String groupId) {
        byte @Nullable [] tombstone = log.tombstone(groupId);
        return tombstone == null ? 0 : ByteBuffer.wrap(tombstone).getLong();
    }

    /** Whether this node knows that the range itself has ended, and not only its replica here. */
    public boolean hasEnded(String groupId) {
        return tombstoneSays(groupId, RANGE_ENDED);
    }

    /** Makes an empty replica, see {@link io.godwit.kv.peers.Replicas}. */
    public RangeDb join(RangeDescriptor range) throws IOException {
        erase(range);
        if (tombstoneSays(range.groupId(), FILES_KEPT)) {
            buryPlainly(range.groupId(), tombstoneOf(range.groupId())); // files left by a crash after this are not kept
        }
        RangeDb.open(databaseOf(range), range.born(), rocks, true).close();
        DurableFiles.createDirectories(snapshotsOf(range));
        log.putDescriptor(range.groupId(), range.encode());
        nameStore(range.store());
        return RangeDb.open(databaseOf(range), range.born(), rocks, false);
    }

    /**
     * Removes a replica, which may still be running, from the register permanently.
     *
     * @param fault why it has stopped, in which case its files are kept; empty if it has not
     */
    void deregister(RangeDescriptor range, long epoch, String fault) {
        if (fault.isEmpty()) {
            buryPlainly(range.groupId(), epoch);
        } else {
            writeWhy(range, fault);
            log.bury(
                    range.groupId(),
                    ByteBuffer.allocate(Long.BYTES + 1)
                            .putLong(epoch)
                            .put(FILES_KEPT)
                            .array());
        }
    }

    private void buryPlainly(String groupId, long epoch) {
        log.bury(groupId, ByteBuffer.allocate(Long.BYTES).putLong(epoch).array());
    }

    /**
     * Writes the fault for the person who finds the files. The disk may be full or damaged; then only the node's log
     * has the fault.
     */
    private void writeWhy(RangeDescriptor range, String fault) {
        try {
            Path directory = rangeDirectory(range);
            if (Files.isDirectory(directory)) {
                Files.writeString(directory.resolve(WHY), "range " + range.groupId() + " stopped: " + fault + "\n");
            }
        } catch (IOException e) {
            LOG.warn("fault not noted beside the files range={} cause={}", range.groupId(), e.toString());
        }
    }

    /** Deletes the rest of a replica that was removed and has stopped, or keeps its files if the tombstone says so. */
    public void erase(RangeDescriptor range) throws IOException {
        erase(range.groupId(), rangeDirectory(range));
    }

    private void erase(String groupId, Path directory) throws IOException {
        if (Files.exists(directory)) {
            if (tombstoneSays(groupId, FILES_KEPT)) {
                keep(groupId, directory);
            } else {
                DurableFiles.deleteTree(directory);
            }
            Path parent = directory.getParent();
            if (parent != null) {
                DurableFiles.syncDirectory(parent);
            }
        }
        log.erase(groupId);
    }

    private void keep(String groupId, Path directory) throws IOException {
        Path kept = data.resolve(KEPT);
        DurableFiles.createDirectories(kept);
        String name = groupId + "-at-" + tombstoneOf(groupId);
        Path target = kept.resolve(name);
        for (int more = 2; Files.exists(target); more++) { // from an earlier attempt at the same epoch
            target = kept.resolve(name + "-" + more);
        }
        Files.move(directory, target, StandardCopyOption.ATOMIC_MOVE);
        DurableFiles.syncDirectory(kept);
        LOG.warn("files of a damaged replica are kept range={} directory={}", groupId, target);
    }

    /** Whether files of an earlier replica of the range, which had stopped after a fault, are still kept. */
    public boolean hasKept(String groupId) {
        Path kept = data.resolve(KEPT);
        if (!Files.isDirectory(kept)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(kept)) {
            return entries.anyMatch(entry -> entry.getFileName().toString().startsWith(groupId + "-at-"));
        } catch (IOException e) {
            return true; // no new replica should be made on this disk
        }
    }

    private boolean tombstoneSays(String groupId, byte what) {
        byte @Nullable [] tombstone = log.tombstone(groupId);
        return tombstone != null && tombstone.length > Long.BYTES && tombstone[Long.BYTES] == what;
    }

    private static boolean isGroupOf(String store, String groupId) {
        return groupId.startsWith(store + "-")
                && groupId.substring(store.length() + 1).matches("[0-9]{1,18}");
    }

    /** Whether this node had a replica of the range and has removed it. */
    boolean hasBuried(RangeDescriptor range) {
        return log.tombstone(range.groupId()) != null;
    }

    /** Makes the right part of a split, see {@link Split}. On the apply thread of the parent. */
    public RangeDb bear(RangeDescriptor child, RangeState state, RangeDb parent) throws IOException {
        RangeDb db = Split.makeChild(
                parent, state, child.groupId(), rangeDirectory(child), databaseOf(child), snapshotsOf(child), log);
        log.putDescriptor(child.groupId(), child.encode());
        return db;
    }

    /**
     * Whether the stopped replica has got nothing since it was made empty: no entry, no snapshot, no vote, and none
     * before it, because none was ever removed here.
     *
     * @throws IOException if its snapshots cannot be listed
     */
    boolean isBlank(RangeDescriptor range) throws IOException {
        if (range.joinedEpoch() == 0 || hasBuried(range) || !log.isUnused(range.groupId())) {
            return false;
        }
        Path snapshots = snapshotsOf(range);
        if (!Files.isDirectory(snapshots)) {
            return true;
        }
        try (Stream<Path> entries = Files.list(snapshots)) {
            return entries.noneMatch(entry -> entry.getFileName().toString().startsWith("snapshot_"));
        }
    }

    /** Makes the right part of a split in place of a blank replica, see {@link Rebirth}. */
    RangeDb bearAgain(RangeDescriptor blank, RangeState state, RangeDb parent) throws IOException {
        log.deregister(blank.groupId());
        return bear(blank, state, parent);
    }

    /**
     * Removes a range that has ended and whose group is not running. After that it is not opened any more; what a crash
     * then leaves of its log and files is deleted when the store is opened.
     */
    public void bury(RangeDescriptor range, long epoch) throws IOException {
        log.bury(
                range.groupId(),
                ByteBuffer.allocate(Long.BYTES + 1)
                        .putLong(epoch)
                        .put(RANGE_ENDED)
                        .array());
        log.erase(range.groupId());
        DurableFiles.deleteTree(rangeDirectory(range));
    }

    public Path snapshotsOf(RangeDescriptor range) {
        return rangeDirectory(range).resolve("snapshot");
    }

    private Path rangeDirectory(RangeDescriptor range) {
        return data.resolve(range.store()).resolve(range.directoryName());
    }

    /** Whether no store was ever made here. */
    public boolean isEmpty() throws IOException {
        return readStores().isEmpty() && log.descriptors().isEmpty();
    }

    private void deleteBuried(String store) throws IOException {
        for (String groupId : log.buried()) {
            String prefix = store + "-";
            if (groupId.startsWith(prefix) && groupId.substring(prefix.length()).matches("\\d+")) {
                erase(groupId, data.resolve(store).resolve("range-" + groupId.substring(prefix.length())));
            }
        }
    }

    /**
     * The ranges of the store in key order; creates the store if it does not exist and this node may create it.
     *
     * @throws DamagedDataException naming what is missing or inconsistent
     */
    public List<RangeDescriptor> ranges(StoreSpec spec) throws IOException {
        deleteBuried(spec.name());
        List<RangeDescriptor> registered = registered(spec.name());
        SortedSet<String> stores = readStores();
        if (registered.isEmpty()) {
            boolean hadSome = log.buried().stream().anyMatch(groupId -> isGroupOf(spec.name(), groupId));
            if (stores.contains(spec.name()) && !hadSome) {
                throw new DamagedDataException(
                        logDirectory,
                        "its register has no range of store " + spec.name() + ", which " + STORES + " names");
            }
            if (hadSome || !isFounder()) {
                return registered;
            }
            registered = create(spec);
        }
        nameStore(spec.name());
        return registered;
    }

    /** Synchronized, because replicas of several stores may be added at once. */
    private synchronized void nameStore(String name) throws IOException {
        SortedSet<String> stores = readStores();
        if (stores.add(name)) {
            DurableFiles.replace(data.resolve(STORES), ChecksummedText.seal(String.join("\n", stores) + "\n"));
        }
    }

    /**
     * Notes that this node began the cluster and so creates missing stores. No other node may, or two nodes would
     * create the same store.
     */
    public void found() {
        if (log.nodeRecord(FOUNDER) == null) {
            log.putNodeRecord(FOUNDER, new byte[] {1});
        }
    }

    private boolean isFounder() {
        return isAlone || log.nodeRecord(FOUNDER) != null;
    }

    /**
     * Opens the database of a range and compares it with the log: the log of an only voter cannot end before the
     * database's applied index.
     *
     * @throws DamagedDataException naming what is missing or inconsistent
     */
    public RangeDb open(RangeDescriptor range) throws IOException {
        RangeDb db = RangeDb.open(databaseOf(range), range.born(), rocks, false);
        long lastIndex = log.lastIndex(range.groupId());
        if (db.state().members().voters().equals(List.of(storeId)) && db.appliedIndex() > lastIndex) {
            long applied = db.appliedIndex();
            db.close();
            throw new DamagedDataException(
                    logDirectory,
                    "log of " + range.groupId() + " ends at " + lastIndex + ", its database has applied " + applied);
        }
        return db;
    }

    /**
     * The voters of a range whose database cannot be opened, from its log or snapshot.
     *
     * @return the voters of the last configuration known here; if there is none, those that the group began with
     */
    public List<String> votersOf(RangeDescriptor range) {
        List<String> voters = GroupBirth.votersOf(log, range.groupId(), snapshotsOf(range));
        return voters.isEmpty() ? range.firstVoters() : voters;
    }

    /** See {@link SharedRaftLog#votersIn}; may be called at any time, even while the range runs. */
    public List<String> votersInLog(String groupId) {
        return log.votersIn(groupId);
    }

    /**
     * Whether other nodes have the data that this node has lost of a range: there are other voters, or the replica was
     * waiting for its data. Always false for a node that is not in a cluster.
     */
    boolean isElsewhere(List<String> voters) {
        return !isAlone && !voters.equals(List.of(storeId));
    }

    private List<RangeDescriptor> registered(String store) throws IOException {
        List<RangeDescriptor> ranges = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : log.descriptors()) {
            RangeDescriptor range;
            try {
                range = RangeDescriptor.decode(entry.getValue());
            } catch (IOException e) {
                throw DamagedDataException.unreadable(
                        logDirectory,
                        "register of group " + entry.getKey(),
                        entry.getValue(),
                        RangeDescriptor.VERSION,
                        e);
            }
            if (range.store().equals(store)) {
                ranges.add(range);
            }
        }
        ranges.sort(Comparator.comparing(range -> range.bounds().start(), Arrays::compareUnsigned));
        return ranges;
    }

    /**
     * For a node that is not in a cluster: checks that its ranges cover every key. They may overlap, because a database
     * may be from before a split until the log has been replayed.
     *
     * @param bounds the bounds of all ranges of the store, from their databases
     * @throws DamagedDataException naming the first key without a range
     */
    void checkCover(String store, List<RangeBounds> bounds) throws DamagedDataException {
        List<RangeBounds> ascending = bounds.stream()
                .sorted(Comparator.comparing(RangeBounds::start, Arrays::compareUnsigned))
                .toList();
        byte @Nullable [] covered = {};
        for (RangeBounds each : ascending) {
            if (covered != null && Arrays.compareUnsigned(covered, each.start()) < 0) {
                break;
            }
            byte @Nullable [] end = each.end();
            if (covered != null && (end == null || Arrays.compareUnsigned(covered, end) < 0)) {
                covered = end;
            }
        }
        if (covered != null) {
            throw new DamagedDataException(
                    logDirectory,
                    "store " + store + " has no range from key "
                            + HexFormat.of().formatHex(covered) + " on");
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
            RangeDb.open(databaseOf(range), range.born(), rocks, true).close();
            DurableFiles.createDirectories(snapshotsOf(range));
            descriptors.put(range.groupId(), range.encode());
        }
        log.putDescriptors(descriptors);
        return ranges;
    }

    /** Deletes the rest of an unfinished creation, after checking that it is empty. */
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
        RangeState anything = RangeState.first(0, new RangeBounds(new byte[0], null), List.of(storeId));
        try (RangeDb db = RangeDb.open(database, anything, rocks, false)) {
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
