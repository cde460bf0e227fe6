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
 * The log of a node: entries, terms and votes of all its Raft groups, and a register of these groups, in one engine, so
 * that the groups share fsyncs.
 *
 * <p>Opened before the first group starts and closed after the last has stopped. Any number of threads. A call returns
 * when its change is on disk, and throws {@link RaftLogFaultException} if that is not certain. After one such failure
 * every later change of any group is refused, because it is not known what is on the disk.
 */
public final class SharedRaftLog implements AutoCloseable {
    private static final String TOMBSTONE = "tombstone/";

    private final LogEngine engine;
    private final LogEntryEncoder encoder = LogEntryV2CodecFactory.getInstance().encoder();
    private final LogEntryDecoder decoder = LogEntryV2CodecFactory.getInstance().decoder();

    // guarded by this: a starting group registers itself, which is rare
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
     * Opens the log in {@code directory}, and creates it if there has never been one. Also keeps the file
     * {@code <directory>.synced} beside the directory. Reads the whole log: every entry must be decodable, and the
     * indexes of each group must be consecutive.
     *
     * @throws DamagedDataException if the log is damaged; a tail torn by a crash is cut and not an error
     * @throws IOException if the directory cannot be used
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

    /** What was synced but missing when the log was opened, for an operator; null if nothing. */
    public @Nullable String lost() {
        return engine.lost();
    }

    /** Registers a group on this node, or replaces its descriptor. */
    public void putDescriptor(String groupId, byte[] descriptor) {
        putDescriptors(Map.of(groupId, descriptor));
    }

    /** Registers several groups atomically: after a crash either all of them are there or none. */
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
     * Removes a group from the register, as if it had never been there. Its log stays; see {@link #begin}.
     *
     * @throws IllegalStateException if the group is in use, because it could then vote a second time
     */
    public synchronized void deregister(String groupId) {
        if (!isUnused(groupId)) {
            throw new IllegalStateException("group " + groupId + " has entries or a vote and stays registered");
        }
        byte[] key = SharedLogFormat.namedKey(SharedLogFormat.KIND_DESCRIPTOR, groupId);
        write(engine, "deregistering group " + groupId, true, batch -> batch.delete(key));
        descriptors.remove(groupId);
    }

    /**
     * Whether the replica of the group here has stored no entry and no snapshot and has given no vote. It may have
     * heard of a term.
     */
    public boolean isUnused(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null || group.isUnused();
    }

    /**
     * Removes a group from the register permanently and stores a tombstone in the same write: after a crash it is
     * either registered or buried. Its log stays until {@link #erase}.
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
     * The tombstone of the group's last {@link #bury}, even if the group was registered again since; null if it was
     * never buried.
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
     * Deletes log, term and vote of a group that is buried and not running, in one write. Does nothing if there is
     * nothing left: each start calls it for every group that was ever buried (ADR 40).
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
     * Makes the empty log of a group that is not running begin at {@code nextIndex}, without a vote, in {@code term} or
     * in the later one that it has heard of: a term is never taken back.
     *
     * @throws IllegalStateException if the log has entries or a vote
     */
    public void begin(String groupId, long nextIndex, long term) {
        GroupLog group = group(groupId);
        GroupLog.Vote before = group.vote();
        if (group.lastIndex() >= group.firstIndex() || !before.votedFor().isEmpty()) {
            throw new IllegalStateException("group " + groupId + " has entries or a vote and cannot begin again");
        }
        reset(group, nextIndex, true);
        writeVote(group, new GroupLog.Vote(Math.max(term, before.term()), ""), true);
    }

    /** Stores a small record about the node. */
    public synchronized void putNodeRecord(String key, byte[] value) {
        byte[] recordKey = SharedLogFormat.namedKey(SharedLogFormat.KIND_NODE_RECORD, key);
        write(engine, "storing node record " + key, true, batch -> put(batch, recordKey, value));
        nodeRecords.put(key, value.clone());
    }

    /** The record stored under {@code key}; null if there is none. */
    public synchronized byte @Nullable [] nodeRecord(String key) {
        byte @Nullable [] value = nodeRecords.get(key);
        return value == null ? null : value.clone();
    }

    /**
     * The voters, as store ids, of the last configuration in the group's log, committed or not; empty if the log has
     * none. Reads only memory, so it may be called at any time, even for a running group.
     */
    public List<String> votersIn(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? List.of() : group.lastVoters();
    }

    /**
     * Index of the group's first entry, or of the next one if it has none; 1 for a group that has written nothing yet.
     */
    public long firstIndex(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? 1 : group.firstIndex();
    }

    /** Index of the group's last durable entry; {@code firstIndex - 1} if it has none. */
    public long lastIndex(String groupId) {
        @Nullable GroupLog group = known(groupId);
        return group == null ? 0 : group.lastIndex();
    }

    /** Statistics since the log was opened. */
    public LogStats stats() {
        return engine.stats();
    }

    /** Statistics and size. Does not wait: empty while the log is closed, being closed or being opened again. */
    public Optional<LogSizes> sizes() {
        return engine.sizes();
    }

    /**
     * Sets {@code listener}, which is called by writing threads with the duration of each synced write in nanoseconds.
     */
    public void onSync(LongConsumer listener) {
        engine.onSync(listener);
    }

    /** Whether writes wait because the process has no file descriptors left. Any thread. */
    public boolean isWaitingForFiles() {
        return engine.isWaitingForFiles();
    }

    /** From now on writes without file descriptors fail instead of waiting. Call it before the groups are stopped. */
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

    /** The log of {@code groupId}; assigns a group number at the first call. */
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

    /** The entry at {@code index}; null if there is none, or if it is damaged, which is reported as a fault. */
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
            if (entry == null && group.isUntouchedSince(truncations)) { // otherwise it may have been truncated
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
        // from index 0, so that entries left by an earlier truncation whose files were dropped are deleted too
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

    /**
     * Marks the group while entries within its indexes may be deleted already, so that a reader does not take a missing
     * entry for damage.
     */
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

    /** Adds the content of a batch. */
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
