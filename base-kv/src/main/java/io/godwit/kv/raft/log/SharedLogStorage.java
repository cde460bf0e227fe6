package io.godwit.kv.raft.log;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One group's part of the shared log, as JRaft's log storage. Appends, truncations and resets come from the group's log
 * thread and block it until they are on disk; reads come from any of the group's threads. Closing it leaves the shared
 * log open, which belongs to the node.
 */
public final class SharedLogStorage implements LogStorage {
    private final SharedRaftLog raftLog;
    private final GroupLog group;
    private final boolean sync;

    /** @param sync whether a call returns only when its change is on disk; false only to demonstrate losses */
    public SharedLogStorage(SharedRaftLog raftLog, String groupId, boolean sync) {
        this.raftLog = raftLog;
        this.group = raftLog.group(groupId);
        this.sync = sync;
    }

    @Override
    public boolean init(LogStorageOptions options) {
        ConfigurationManager configurations = options.getConfigurationManager();
        for (long index : group.configurationIndexes()) {
            @Nullable LogEntry entry = raftLog.entry(group, index);
            if (entry == null) {
                return false;
            }
            ConfigurationEntry configuration = new ConfigurationEntry();
            configuration.setId(entry.getId().copy());
            configuration.setConf(new Configuration(entry.getPeers(), entry.getLearners()));
            if (entry.getOldPeers() != null) {
                configuration.setOldConf(new Configuration(entry.getOldPeers(), entry.getOldLearners()));
            }
            configurations.add(configuration);
        }
        return true;
    }

    @Override
    public void shutdown() {
        // the log belongs to the node
    }

    @Override
    public long getFirstLogIndex() {
        return group.firstIndex();
    }

    /**
     * The last index. If the log is empty, for example after a snapshot was installed, it is one less than the first.
     */
    @Override
    public long getLastLogIndex() {
        return group.lastIndex();
    }

    @Override
    public @Nullable LogEntry getEntry(long index) {
        return raftLog.entry(group, index);
    }

    @Override
    @SuppressWarnings("deprecation") // deprecated in name only: JRaft's log manager uses it at its start
    public long getTerm(long index) {
        return group.termOf(index);
    }

    @Override
    public boolean appendEntry(LogEntry entry) {
        return appendEntries(List.of(entry)) == 1;
    }

    /** Returns the number of durable entries: all of them or none. */
    @Override
    public int appendEntries(@Nullable List<LogEntry> entries) {
        if (entries == null || entries.isEmpty()) {
            return 0;
        }
        try {
            raftLog.append(group, entries, sync);
            return entries.size();
        } catch (RaftLogFaultException e) {
            return 0; // JRaft stops the group; the fault was reported where it happened
        }
    }

    @Override
    public boolean truncatePrefix(long firstIndexKept) {
        try {
            raftLog.truncatePrefix(group, firstIndexKept, sync);
            return true;
        } catch (RaftLogFaultException e) {
            return false;
        }
    }

    @Override
    public boolean truncateSuffix(long lastIndexKept) {
        try {
            raftLog.truncateSuffix(group, lastIndexKept, sync);
            return true;
        } catch (RaftLogFaultException e) {
            return false;
        }
    }

    /** Removes all entries: a snapshot that ends right before {@code nextLogIndex} was installed. */
    @Override
    public boolean reset(long nextLogIndex) {
        if (nextLogIndex < 1) {
            throw new IllegalArgumentException("next log index must be at least 1, was " + nextLogIndex);
        }
        try {
            raftLog.reset(group, nextLogIndex, sync);
            return true;
        } catch (RaftLogFaultException e) {
            return false;
        }
    }
}
