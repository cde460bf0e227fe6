package io.godwit.kv.raft.log;

import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.codec.LogEntryDecoder;
import com.alipay.sofa.jraft.entity.codec.LogEntryEncoder;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.FaultHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * The one log of a node: entries, terms and votes of all its Raft groups, and a register of these groups, in one
 * engine, so that the groups share fsyncs.
 *
 * <p>Opened before the first group starts and closed after the last has stopped. Any number of threads; a call returns
 * when its change is on disk, and fails with {@link RaftLogFaultException} when that is not certain. After one such
 * failure every later change is refused, of every group: what the disk holds is not known any more.
 */
public final class SharedRaftLog implements AutoCloseable {
    private static final String TOMBSTONE = "tombstone/";

    private final LogEngine engine;
    private final LogEntryEncoder encoder = LogEntryV2CodecFactory.getInstance().encoder();
    private final LogEntryDecoder decoder = LogEntryV2CodecFactory.getInstance().decoder();

    // guarded by this: groups are registered by whoever starts one, rarely
    private final Map<String, GroupLog> groups;
    private final Map<String, byte[]> descriptors;
    private final Map<String, byte[]> nodeRecords;

    private SharedRaftLog(LogEngine engine, SharedLogContent content) {
        this.engine = engine;
        this.groups = content.groups();
        this.descriptors = content.descriptors();
        this.nodeRecords = content.nodeRecords();
    }

    /**
     * Opens the log in {@code directory}, creating it when there has never been one. Beside the directory it keeps the
     * file {@code <directory>.synced}. Reads the whole log: every entry must decode, and each group's indexes follow
     * one another.
     *
     * @throws DamagedDataException when the log is not what was written; a tail torn by a crash is cut and opened
     * @throws IOException when the directory cannot be used
     */
    public static SharedRaftLog open(Path directory, FaultHandler faults) throws IOException {
        LogEngine engine = LogEngine.open(directory, faults);
        try {
            if (engine.sequence() == 0) {
                write(
                        engine,
                        "creating the log",
                        true,
                        batch -> put(batch, SharedLogFormat.layoutKey(), new byte[] {SharedLogFormat.LAYOUT}));
            }
            return new SharedRaftLog(engine, SharedLogContent.read(engine));
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** What had been synced and was not there when the log was opened, for the operator; null when nothing. */
    public @Nullable String lost() {
        return engine.lost();
    }

    /** Registers a group that lives on this node, or replaces its descriptor. */
    public void putDescriptor(String groupId, byte[] descriptor) {
        putDescriptors(Map.of(groupId, descriptor));
    }

    /** Registers several groups at once: after a crash all of them are there, or none. */
    public synchronized void putDescriptors(Map<String, byte[]> added) {
        List<GroupLog> fresh = new ArrayList<>();
        write(engine, "registering groups " + added.keySet(), true, batch -> {
            for (Entry<String, byte[]> descriptor : added.entrySet()) {
                String groupId = descriptor.getKey();
                if (!groups.containsKey(groupId)) {
                    GroupLog group = new GroupLog(groupId, highestNumber() + 1 + fresh.size());
                    putNumber(batch, group);
                    fresh.add(group);
                }
                put(batch, SharedLogFormat.namedKey(SharedLogFormat.KIND_DESCRIPTOR, groupId), descriptor.getValue());
            }
        });
        fresh.forEach(group -> groups.put(group.id(), group));
        added.forEach((groupId, descriptor) -> descriptors.put(groupId, descriptor.clone()));
    }

    /** The registered groups with their descriptors, ordered by group id. */
    public synchronized List<Entry<String, byte[]>> descriptors() {
        List<Entry<String, byte[]>> all = new ArrayList<>();
        new TreeMap<>(descriptors).forEach((groupId, descriptor) -> all.add(Map.entry(groupId, descriptor.clone())));
        return all;
    }

    /**
     * Takes a group out of the register for good, and notes why in one step with it: after a crash it is registered or
     * buried. Its log stays until {@link #erase}.
     */
    public synchronized void bury(String groupId, byte[] tombstone) {
        String name = TOMBSTONE + groupId;
        byte[] recordKey = SharedLogFormat.namedKey(SharedLogFormat.KIND_NODE_RECORD, name);
        byte[] descriptorKey = SharedLogFormat.namedKey(SharedLogFormat.KIND_DESCRIPTOR, groupId);
        write(engine, "burying group " + groupId, true, batch -> {
            put(batch, recordKey, tombstone);
            batch.delete(descriptorKey);
        });
        descriptors.remove(groupId);
        nodeRecords.put(name, tombstone.clone());
    }

    /**
     * What was noted when the group was buried last, also when it has been registered again since; null when it never
     * was.
     */
    public byte @Nullable [] tombstone(String groupId) {
        return nodeRecord(TOMBSTONE + groupId);
    }

    /** The groups that were buried and are not registered, ordered by group id. */
    public synchronized List<String> buried() {
        return nodeRecords.keySet().stream()
                .filter(name -> name.startsWith(TOMBSTONE))
                .map(name -> name.substring(TOMBSTONE.length()))
                .filter(groupId -> !descriptors.containsKey(groupId))
                .sorted()
                .toList();
    }

    /**
     * Deletes log, term and vote of a group that is buried and not running, in one step. Nothing when there is none, or
     * nothing left of it: each start asks for it again for each group that was ever buried (ADR 40).
     */
    public void erase(String groupId) {
        @Nullable GroupLog group = known(groupId);
        if (group == null || group.isBlank()) {
            return;
        }
        truncate(
                group,
                "erasing group " + groupId,
                true,
                batch -> {
                    putFirstIndex(batch, group, 1);
                    deleteFrom(batch, group, 0);
                    putVote(batch, group, GroupLog.NO_VOTE);
                },
                () -> group.restartAt(1));
        group.voted(GroupLog.NO_VOTE);
    }

    /**
     * Has the log of a group that is not running begin at {@code nextIndex}, with nothing in it, in {@code term}, in
     * which it has voted for nobody.
     */
    public void begin(String groupId, long nextIndex, long term) {
        GroupLog group = group(groupId);
        reset(group, nextIndex, true);
        writeVote(group, new GroupLog.Vote(term, ""), true);
    }

    /** Stores a small fact about the node. */
    public synchronized void putNodeRecord(String key, byte[] value) {
        byte[] recordKey = SharedLogFormat.namedKey(SharedLogFormat.KIND_NODE_RECORD, key);
        write(engine, "storing node record " + key, true, batch -> put(batch, recordKey, value));
        nodeRecords.put(key, value.clone());
    }

    /** The fact stored under {@code key}; null when there is none. */
    public synchronized byte @Nullable [] nodeRecord(String key) {
        byte @Nullable [] value = nodeRecords.get(key);
        return value == null ? null : value.clone();
    }

    /**
     * The voters, as store ids, by the last configuration in the group's log, committed or not; empty when there is
     * none in it. Reads nothing: it may be asked at any time, of a running group too.
     */
    public List<String> votersIn(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? List.of() : group.lastVoters();
    }

    /** Index of the group's first entry, or of the one to come; 1 for a group that has written nothing yet. */
    public long firstIndex(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? 1 : group.firstIndex();
    }

    /** Index of the group's last durable entry; {@code firstIndex - 1} when it has none. */
    public long lastIndex(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? 0 : group.lastIndex();
    }

    /** What the log has done since it was opened. */
    public LogStats stats() {
        return engine.stats();
    }

    /** The same, and how large it is; waits for nobody. Empty while it is closed, being closed or opened again. */
    public Optional<LogSizes> sizes() {
        return engine.sizes();
    }

    /** From now on {@code listener} is told, by the threads that write, how many nanoseconds each synced write took. */
    public void onSync(LongConsumer listener) {
        engine.onSync(listener);
    }

    /** Whether writes wait since the process has no file descriptors left. Any thread. */
    public boolean isWaitingForFiles() {
        return engine.isWaitingForFiles();
    }

    /** From now on no write waits for file descriptors: those that do fail. To be called before groups are stopped. */
    public void endWaiting() {
        engine.endWaiting();
    }

    @Override
    public void close() {
        engine.close();
    }

    private synchronized @Nullable GroupLog known(String groupId) {
        return groups.get(groupId);
    }

    /** The log of {@code groupId}, to which a number is given the first time. */
    synchronized GroupLog group(String groupId) {
        @Nullable GroupLog known = groups.get(groupId);
        if (known != null) {
            return known;
        }
        GroupLog group = new GroupLog(groupId, highestNumber() + 1);
        write(engine, "numbering group " + groupId, true, batch -> putNumber(batch, group));
        groups.put(groupId, group);
        return group;
    }

    private int highestNumber() {
        return groups.values().stream().mapToInt(GroupLog::number).max().orElse(0);
    }

    private static void putNumber(WriteBatch batch, GroupLog group) throws RocksDBException {
        put(
                batch,
                SharedLogFormat.namedKey(SharedLogFormat.KIND_GROUP, group.id()),
                ByteBuffer.allocate(Integer.BYTES).putInt(group.number()).array());
    }

    void append(GroupLog group, List<LogEntry> entries, boolean sync) {
        long first = entries.get(0).getId().getIndex();
        if (first != group.lastIndex() + 1) {
            throw new IllegalArgumentException("group " + group.id() + ": entry " + first
                    + " does not follow the last entry " + group.lastIndex());
        }
        write(engine, "appending entry " + first + " of group " + group.id(), sync, batch -> {
            for (LogEntry entry : entries) {
                put(
                        batch,
                        SharedLogFormat.entryKey(group.number(), entry.getId().getIndex()),
                        encoder.encode(entry));
            }
        });
        for (LogEntry entry : entries) {
            group.appended(entry.getId().getIndex(), entry.getId().getTerm(), SharedLogContent.votersOf(entry));
        }
    }

    /** The entry at {@code index}; null when there is none, or when what is stored is damaged, which is a fault. */
    @Nullable
    LogEntry entry(GroupLog group, long index) {
        long truncations = group.truncations();
        if (index < group.firstIndex() || index > group.lastIndex()) {
            return null;
        }
        byte[] key = SharedLogFormat.entryKey(group.number(), index);
        try {
            byte @Nullable [] value = engine.get(key);
            byte @Nullable [] payload = value == null ? null : SharedLogFormat.open(key, value);
            @Nullable LogEntry entry = payload == null ? null : decoder.decode(payload);
            if (entry == null && group.isUntouchedSince(truncations)) { // otherwise it may have been cut off
                engine.damaged(
                        "entry " + index + " of group " + group.id() + " is damaged",
                        new IllegalStateException("checksum of entry " + index + " does not match"));
            }
            return entry;
        } catch (RocksDBException e) {
            engine.damaged("entry " + index + " of group " + group.id() + " cannot be read", e);
            return null;
        } catch (RaftLogFaultException e) {
            return null; // closed: the group is being stopped
        }
    }

    void truncatePrefix(GroupLog group, long firstIndexKept, boolean sync) {
        if (firstIndexKept <= group.firstIndex()) {
            return;
        }
        // from index 0: what an earlier truncation left behind when its files were dropped goes as well
        byte[] from = SharedLogFormat.entryKey(group.number(), 0);
        byte[] to = SharedLogFormat.entryKey(group.number(), firstIndexKept);
        truncate(
                group,
                "truncating group " + group.id() + " before " + firstIndexKept,
                sync,
                batch -> {
                    putFirstIndex(batch, group, firstIndexKept);
                    batch.deleteRange(from, to);
                },
                () -> group.startAt(firstIndexKept));
        engine.dropFiles(from, to);
    }

    void truncateSuffix(GroupLog group, long lastIndexKept, boolean sync) {
        if (lastIndexKept >= group.lastIndex()) {
            return;
        }
        truncate(
                group,
                "truncating group " + group.id() + " after " + lastIndexKept,
                sync,
                batch -> deleteFrom(batch, group, lastIndexKept + 1),
                () -> group.endAt(lastIndexKept));
    }

    /** Between the two, entries within the group's indexes are gone: who reads one then takes it for no damage. */
    private void truncate(GroupLog group, String what, boolean sync, BatchContent content, Runnable note) {
        group.truncates();
        try {
            write(engine, what, sync, content);
            note.run();
        } finally {
            group.truncated();
        }
    }

    void reset(GroupLog group, long nextIndex, boolean sync) {
        truncate(
                group,
                "restarting group " + group.id() + " at " + nextIndex,
                sync,
                batch -> {
                    putFirstIndex(batch, group, nextIndex);
                    deleteFrom(batch, group, 0);
                },
                () -> group.restartAt(nextIndex));
    }

    void writeVote(GroupLog group, GroupLog.Vote vote, boolean sync) {
        write(engine, "storing term and vote of group " + group.id(), sync, batch -> putVote(batch, group, vote));
        group.voted(vote);
    }

    private static void putVote(WriteBatch batch, GroupLog group, GroupLog.Vote vote) throws RocksDBException {
        byte[] votedFor = vote.votedFor().getBytes(StandardCharsets.UTF_8);
        byte[] payload = ByteBuffer.allocate(Long.BYTES + votedFor.length)
                .putLong(vote.term())
                .put(votedFor)
                .array();
        put(batch, SharedLogFormat.groupKey(SharedLogFormat.KIND_VOTE, group.number()), payload);
    }

    private static void putFirstIndex(WriteBatch batch, GroupLog group, long index) throws RocksDBException {
        put(
                batch,
                SharedLogFormat.groupKey(SharedLogFormat.KIND_FIRST_INDEX, group.number()),
                ByteBuffer.allocate(Long.BYTES).putLong(index).array());
    }

    private static void deleteFrom(WriteBatch batch, GroupLog group, long index) throws RocksDBException {
        batch.deleteRange(
                SharedLogFormat.entryKey(group.number(), index),
                SharedLogFormat.entryKey(group.number(), Long.MAX_VALUE));
    }

    private static void put(WriteBatch batch, byte[] key, byte[] payload) throws RocksDBException {
        batch.put(key, SharedLogFormat.seal(key, payload));
    }

    /** What goes into a batch. */
    private interface BatchContent {
        void addTo(WriteBatch batch) throws RocksDBException;
    }

    private static void write(LogEngine engine, String what, boolean sync, BatchContent content) {
        try (WriteBatch batch = new WriteBatch()) {
            content.addTo(batch);
            engine.write(what, batch, sync);
        } catch (RocksDBException e) {
            throw new IllegalStateException(what + ": a batch in memory refused its content", e);
        }
    }
}
