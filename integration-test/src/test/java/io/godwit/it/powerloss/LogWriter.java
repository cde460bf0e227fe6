package io.godwit.it.powerloss;

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
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.raft.GodwitRaftServiceFactory;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.raft.log.SharedRaftLog;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The process that loses its power: several groups append to one shared log, or only vote, as fast as they can, and
 * each acknowledgement goes to standard output, a line "group index" or "group term". Runs until it is killed, or until
 * the log refuses every group.
 */
final class LogWriter {
    static final int GROUPS = 4;

    /** Longer than a table holds: prefixes are cut off and tables are written while the power may go. */
    private static final int KEPT = 500;

    private LogWriter() {}

    static String group(int number) {
        return "group-" + number;
    }

    /** The content of an entry, from its index alone. */
    static byte[] content(String group, long index) {
        byte[] content = new byte[(int) (index * 31 % 3000) + 20];
        new Random(index).nextBytes(content);
        byte[] name = (group + ":" + index).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(name, 0, content, 0, name.length);
        return content;
    }

    static LogStorage storage(SharedRaftLog log, String group, LogSync sync) {
        LogStorage storage = new GodwitRaftServiceFactory(log, sync).createLogStorage(group, new RaftOptions());
        LogStorageOptions storageOptions = new LogStorageOptions();
        storageOptions.setGroupId(group);
        storageOptions.setConfigurationManager(new ConfigurationManager());
        storageOptions.setLogEntryCodecFactory(LogEntryV2CodecFactory.getInstance());
        if (!storage.init(storageOptions)) {
            throw new IllegalStateException("log storage of " + group + " does not start");
        }
        return storage;
    }

    static RaftMetaStorage meta(SharedRaftLog log, String group, LogSync sync) {
        RaftMetaStorage meta = new GodwitRaftServiceFactory(log, sync).createRaftMetaStorage(group, new RaftOptions());
        meta.init(new RaftMetaStorageOptions());
        return meta;
    }

    /** {@code data-directory append|vote syncEntries syncVotes}. */
    public static void main(String[] args) throws Exception {
        DataDirectory directory = DataDirectory.open(Path.of(args[0]));
        SharedRaftLog log = SharedRaftLog.open(
                directory.path().resolve("log"), (what, cause) -> System.err.println("fault: " + what));
        LogSync sync = new LogSync(Boolean.parseBoolean(args[2]), Boolean.parseBoolean(args[3]));
        PrintStream acknowledged = System.out;
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < GROUPS; number++) {
            String group = group(number);
            Runnable work = args[1].equals("append")
                    ? () -> append(storage(log, group, sync), group, acknowledged)
                    : () -> vote(meta(log, group, sync), group, acknowledged);
            threads.add(new Thread(work, group));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void append(LogStorage storage, String group, PrintStream acknowledged) {
        while (true) {
            long first = storage.getLastLogIndex() + 1;
            List<LogEntry> entries = new ArrayList<>();
            for (long index = first; index < first + 1 + first % 3; index++) {
                LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
                entry.setId(new LogId(index, 1));
                entry.setData(ByteBuffer.wrap(content(group, index)));
                entries.add(entry);
            }
            if (storage.appendEntries(entries) != entries.size()) {
                return;
            }
            tell(acknowledged, group, storage.getLastLogIndex());
            if (storage.getLastLogIndex() - storage.getFirstLogIndex() > 2 * KEPT) {
                storage.truncatePrefix(storage.getLastLogIndex() - KEPT);
            }
        }
    }

    private static void vote(RaftMetaStorage meta, String group, PrintStream acknowledged) {
        PeerId self = PeerId.parsePeer("127.0.0.1:8899");
        while (meta.setTermAndVotedFor(meta.getTerm() + 1, self)) {
            tell(acknowledged, group, meta.getTerm());
        }
    }

    /** One write for the line, so that a kill leaves no half of it without its end. */
    private static void tell(PrintStream acknowledged, String group, long number) {
        byte[] line = (group + " " + number + "\n").getBytes(StandardCharsets.US_ASCII);
        synchronized (acknowledged) {
            acknowledged.write(line, 0, line.length);
            acknowledged.flush();
        }
    }
}
