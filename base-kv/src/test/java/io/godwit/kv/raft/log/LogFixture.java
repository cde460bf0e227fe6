package io.godwit.kv.raft.log;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import io.godwit.kv.raft.GodwitRaftServiceFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** A shared log in a directory, opened and closed like by a node, with the storages of its groups. */
final class LogFixture implements AutoCloseable {
    final Path directory;
    final List<String> faults = new ArrayList<>();
    SharedRaftLog log;

    LogFixture(Path directory) throws IOException {
        this.directory = directory;
        this.log = SharedRaftLog.open(directory, (what, cause) -> faults.add(what));
    }

    void reopen() throws IOException {
        log.close();
        log = SharedRaftLog.open(directory, (what, cause) -> faults.add(what));
    }

    LogStorage storage(String group) {
        return storage(group, new ConfigurationManager());
    }

    LogStorage storage(String group, ConfigurationManager configurations) {
        LogStorage storage = new GodwitRaftServiceFactory(log, LogSync.ALL).createLogStorage(group, new RaftOptions());
        LogStorageOptions options = new LogStorageOptions();
        options.setGroupId(group);
        options.setConfigurationManager(configurations);
        options.setLogEntryCodecFactory(LogEntryV2CodecFactory.getInstance());
        if (!storage.init(options)) {
            throw new IllegalStateException("storage of " + group + " did not start");
        }
        return storage;
    }

    RaftMetaStorage meta(String group) {
        RaftMetaStorage meta =
                new GodwitRaftServiceFactory(log, LogSync.ALL).createRaftMetaStorage(group, new RaftOptions());
        meta.init(new RaftMetaStorageOptions());
        return meta;
    }

    static LogEntry entry(long index, long term, String data) {
        LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
        entry.setId(new LogId(index, term));
        entry.setData(ByteBuffer.wrap(data.getBytes(StandardCharsets.UTF_8)));
        return entry;
    }

    static LogEntry configuration(long index, long term, String peer) {
        LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_CONFIGURATION);
        entry.setId(new LogId(index, term));
        entry.setPeers(List.of(PeerId.parsePeer(peer)));
        return entry;
    }

    /** Entries {@code first} to {@code last}, each with its index as its data. */
    static List<LogEntry> entries(long first, long last, long term) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(index -> entry(index, term, "entry " + index))
                .toList();
    }

    static String dataOf(LogEntry entry) {
        return StandardCharsets.UTF_8.decode(entry.getReadOnlyData()).toString();
    }

    @Override
    public void close() {
        log.close();
    }
}
