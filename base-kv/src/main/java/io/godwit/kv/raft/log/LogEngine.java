package io.godwit.kv.raft.log;

import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.disk.OpenFiles;
import io.godwit.kv.disk.RocksFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RocksDB of the shared log: one column family, synced writes, and additional checks for damage.
 *
 * <p>Synced writes of several threads share an fsync: during one fsync RocksDB queues the other writes, then writes
 * them as one record of its WAL and syncs once. So a record never enters the WAL before the one in front of it is on
 * disk; {@link WalCheck} and {@link SyncedMark} rely on this.
 *
 * <p>Steps of a start: {@link SyncedMark#open}; without a mark the directory must be empty or half created;
 * {@link WalCheck#verify} refuses damage and cuts a torn tail; RocksDB opens and replays; its last sequence number must
 * have reached the mark; {@link SyncedMark#create} for a new log, so that after a crash before it the next start finds
 * no mark and begins again.
 *
 * <p>Any number of threads. After a failed write nothing more is written, because it is not known what reached the
 * disk, and a second fsync may report success for pages that the first one dropped.
 *
 * <p>One failure is different: a write that finds no file descriptor ({@link OpenFiles}) waits until there are some.
 * RocksDB refuses further writes after that, so it is closed and opened again, with the checks of a start. In this case
 * no fsync has failed, and what was written without one was not acknowledged and is written again.
 */
public final class LogEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogEngine.class);

    /**
     * Descriptors that must be free before the database is opened again: for each table file, the WALs, the manifest
     * and some more.
     */
    private static final int DESCRIPTORS_TO_OPEN = 24;

    private static final long REOPEN_AFTER_MILLIS = 200;

    static {
        RocksDB.loadLibrary();
    }

    private final Path directory;
    private final FaultHandler faults;
    private final LogOptions options;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteOptions unsynced = new WriteOptions().setSync(false);
    private final ReadOptions scan = new ReadOptions().setFillCache(false).setReadaheadSize(2 << 20);
    private final SyncedMark mark;
    private final @Nullable String lost;
    private final LongAdder writes = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    /**
     * Close frees native memory that a late reader would still use, so only {@link #close} and {@link #reopen} take the
     * write lock.
     */
    private final ReadWriteLock openLock = new ReentrantReadWriteLock();

    // guarded by openLock
    private RocksDB db;
    private ColumnFamilyHandle entries;
    private boolean closed;
    /** Whether the database is closed and could not be opened again yet. */
    private boolean suspended;
    /** How often the database was opened again. */
    private int reopened;

    /** Held by the thread that opens the database again; other threads wait on it. */
    private final Object reopening = new Object();

    private volatile boolean isWaiting;
    private volatile boolean isEnding;

    private volatile @Nullable Throwable fault;

    private volatile LongConsumer syncTimes = nanos -> {};

    /** Set before the first write without sync: from then on RocksDB's latest sequence number may not be on disk. */
    private volatile boolean unsyncedWrites;

    private LogEngine(
            Path directory,
            FaultHandler faults,
            LogOptions options,
            Opened opened,
            SyncedMark mark,
            @Nullable String lost) {
        this.directory = directory;
        this.faults = faults;
        this.options = options;
        this.db = opened.db();
        this.entries = opened.entries();
        this.mark = mark;
        this.lost = lost;
    }

    private record Opened(RocksDB db, ColumnFamilyHandle entries) {
        void close() {
            entries.close();
            db.close();
        }
    }

    static LogEngine open(Path directory, FaultHandler faults) throws IOException {
        Path markFile = directory.resolveSibling(directory.getFileName() + ".synced");
        @Nullable SyncedMark mark = SyncedMark.open(markFile);
        boolean created = Files.exists(directory.resolve("CURRENT"));
        if (mark == null) {
            refuseLeftovers(directory, created);
        } else if (!created) {
            mark.close();
            throw new DamagedDataException(
                    directory.resolve("CURRENT"),
                    "missing, though the log has been written up to sequence " + mark.sequence());
        }
        DurableFiles.createDirectories(directory);
        try {
            @Nullable String lost = WalCheck.verify(directory, mark);
            return open(directory, faults, mark, markFile, lost);
        } catch (IOException e) {
            if (mark != null) {
                mark.close();
            }
            throw e;
        }
    }

    /**
     * Refuses a directory with data but without {@code CURRENT}. Without a mark nothing was ever acknowledged, unless
     * the mark or {@code CURRENT} was deleted.
     */
    private static void refuseLeftovers(Path directory, boolean created) throws IOException {
        if (created || !Files.isDirectory(directory)) {
            return;
        }
        try (var files = Files.newDirectoryStream(directory, "*.sst")) {
            for (Path file : files) {
                throw new DamagedDataException(
                        directory.resolve("CURRENT"), "missing, though there is data such as " + file.getFileName());
            }
        }
    }

    private static LogEngine open(
            Path directory, FaultHandler faults, @Nullable SyncedMark found, Path markFile, @Nullable String lost)
            throws IOException {
        LogOptions options = new LogOptions();
        @Nullable Opened opened = null;
        try {
            opened = openDb(directory, options, found == null ? 0 : found.sequence());
            SyncedMark mark = found == null ? SyncedMark.create(markFile) : found;
            return new LogEngine(directory, faults, options, opened, mark, lost);
        } catch (IOException e) {
            if (opened != null) {
                opened.close();
            }
            options.close();
            throw e;
        }
    }

    /** @param marked the sequence number that the log must have reached */
    private static Opened openDb(Path directory, LogOptions options, long marked) throws IOException {
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        RocksDB db;
        try {
            db = RocksDB.open(
                    options.database(),
                    directory.toString(),
                    List.of(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options.columns())),
                    handles);
        } catch (RocksDBException e) {
            throw RocksFiles.refusedBy(e, directory);
        }
        Opened opened = new Opened(db, handles.get(0));
        long sequence = db.getLatestSequenceNumber();
        if (sequence < marked) {
            opened.close();
            throw new DamagedDataException(
                    directory, "the log ends at sequence " + sequence + ", though it had been written up to " + marked);
        }
        return opened;
    }

    Path directory() {
        return directory;
    }

    /** What was synced but missing when the log was opened, for an operator; null if nothing. */
    @Nullable
    String lost() {
        return lost;
    }

    /** The last sequence number used; 0 in a log that was never written. */
    long sequence() {
        return db.getLatestSequenceNumber();
    }

    /**
     * Writes {@code batch}. With {@code sync} it returns only after the batch is on disk. Writes without sync exist to
     * demonstrate losses: they must not be acknowledged.
     *
     * @param what names the write in error messages
     */
    void write(String what, WriteBatch batch, boolean sync) {
        while (true) {
            int seen;
            Lock open = openLock.readLock();
            open.lock();
            try {
                refuseAfterFault(what);
                seen = reopened;
                if (!suspended) {
                    write(batch, sync);
                    return;
                }
            } catch (RocksDBException e) {
                if (!OpenFiles.wereShort(e)) {
                    throw failed(what, e);
                }
                seen = reopened;
            } catch (IOException e) {
                throw failed(what, e);
            } finally {
                open.unlock();
            }
            awaitFiles(what, seen);
        }
    }

    private void write(WriteBatch batch, boolean sync) throws RocksDBException, IOException {
        if (!sync) {
            unsyncedWrites = true;
        }
        long begunNanos = System.nanoTime();
        db.write(sync ? synced : unsynced, batch);
        if (sync) {
            syncTimes.accept(System.nanoTime() - begunNanos);
        }
        writes.increment();
        bytes.add(batch.getDataSize());
        if (sync && !unsyncedWrites) {
            // raised only after the WAL up to this write has been synced
            mark.raise(db.getLatestSequenceNumber());
        }
    }

    /** Sets {@code listener}, which gets the duration of each synced write in nanoseconds. */
    void onSync(LongConsumer listener) {
        syncTimes = listener;
    }

    // --- shortage of file descriptors

    /** Whether writes wait for file descriptors. Any thread. */
    boolean isWaitingForFiles() {
        return isWaiting;
    }

    /** From now on writes without file descriptors fail instead of waiting; waiting ones fail too. Any thread. */
    void endWaiting() {
        isEnding = true;
        synchronized (reopening) {
            reopening.notifyAll();
        }
    }

    /** Waits until the database has been opened again since {@code seen} times, was closed, or has a fault. */
    private void awaitFiles(String what, int seen) {
        synchronized (reopening) {
            try {
                while (!isOpenedSince(seen)) {
                    if (isEnding) {
                        throw new RaftLogFaultException(
                                what + " given up: there are no file descriptors, and the log is to be closed",
                                new IllegalStateException(directory + " is to be closed"));
                    }
                    tellWaiting(what);
                    if (OpenFiles.areShort(mark.file(), DESCRIPTORS_TO_OPEN) || !reopen()) {
                        reopening.wait(REOPEN_AFTER_MILLIS);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RaftLogFaultException(what + " given up: interrupted", e);
            }
        }
    }

    private boolean isOpenedSince(int seen) {
        Lock open = openLock.readLock();
        open.lock();
        try {
            return closed || reopened != seen || fault != null;
        } finally {
            open.unlock();
        }
    }

    private void tellWaiting(String what) {
        if (!isWaiting) {
            isWaiting = true;
            log.error(
                    "raft log waits, the process has no file descriptors left directory={} write={}", directory, what);
        }
    }

    /** Opens the database again; false if there are too few file descriptors. */
    private boolean reopen() {
        Lock exclusive = openLock.writeLock();
        exclusive.lock();
        try {
            if (closed) {
                return true;
            }
            if (!suspended) {
                suspended = true;
                entries.close();
                db.close();
            }
            @Nullable String lostNow = WalCheck.verify(directory, mark);
            if (lostNow != null) {
                throw new DamagedDataException(directory, lostNow);
            }
            Opened again = openDb(directory, options, mark.sequence());
            db = again.db();
            entries = again.entries();
            suspended = false;
            reopened++;
            isWaiting = false;
            log.info("raft log opened again, there are file descriptors directory={}", directory);
            return true;
        } catch (IOException e) {
            if (OpenFiles.wereShort(e)) {
                return false;
            }
            throw failed("opening the log again", e);
        } finally {
            exclusive.unlock();
        }
    }

    private void refuseWhenClosed(String what) {
        if (closed) {
            throw new RaftLogFaultException(
                    what + " refused: the log is closed", new IllegalStateException(directory + " is closed"));
        }
    }

    private void refuseAfterFault(String what) {
        refuseWhenClosed(what);
        @Nullable Throwable earlier = fault;
        if (earlier != null) {
            throw new RaftLogFaultException(what + " refused: an earlier write of the log failed", earlier);
        }
    }

    private RaftLogFaultException failed(String what, Exception cause) {
        boolean first;
        synchronized (this) { // writes of two groups may fail at once; only the first is reported
            first = fault == null;
            if (first) {
                fault = cause;
            }
        }
        if (first) {
            faults.onFault("raft log " + directory + ": " + what + " failed", cause);
        }
        return new RaftLogFaultException(what + " failed", cause);
    }

    /** Reports damaged stored bytes. Writing goes on, because it does not touch them. */
    void damaged(String what, Throwable cause) {
        faults.onFault("raft log " + directory + ": " + what, cause);
    }

    /** The value of {@code key}; null if there is none. Throws {@link RaftLogFaultException} after the close. */
    byte @Nullable [] get(byte[] key) throws RocksDBException {
        while (true) {
            int seen;
            Lock open = openLock.readLock();
            open.lock();
            try {
                refuseWhenClosed("reading");
                seen = reopened;
                if (!suspended) {
                    return db.get(entries, key);
                }
                refuseAfterFault("reading"); // a fault has kept the database from being opened again
            } catch (RocksDBException e) {
                if (!OpenFiles.wereShort(e)) {
                    throw e;
                }
                seen = reopened;
            } finally {
                open.unlock();
            }
            awaitFiles("reading", seen);
        }
    }

    /** An iterator over everything, for the start only: the caller must close it before the engine can be closed. */
    RocksIterator iterator() {
        return db.newIterator(entries, scan);
    }

    /** Deletes the table files that contain only keys in {@code [from, to)}, which are no longer read. */
    void dropFiles(byte[] from, byte[] to) {
        Lock open = openLock.readLock();
        open.lock();
        try {
            if (!closed && !suspended) {
                db.deleteFilesInRanges(entries, Arrays.asList(from, to), false);
            }
        } catch (RocksDBException e) {
            log.warn("log space not given back, the next merge will do it directory={}", directory, e);
        } finally {
            open.unlock();
        }
    }

    LogStats stats() {
        Lock open = openLock.readLock();
        open.lock();
        try {
            return closed
                    ? new LogStats(writes.sum(), 0, bytes.sum(), 0)
                    : new LogStats(
                            writes.sum(),
                            options.count(TickerType.WAL_FILE_SYNCED),
                            bytes.sum(),
                            options.count(TickerType.FLUSH_WRITE_BYTES)
                                    + options.count(TickerType.COMPACT_WRITE_BYTES));
        } finally {
            open.unlock();
        }
    }

    /** Does not wait: empty while the database is closed, being closed or being opened again. */
    Optional<LogSizes> sizes() {
        Lock open = openLock.readLock();
        if (!open.tryLock()) {
            return Optional.empty();
        }
        try {
            if (closed || suspended) {
                return Optional.empty();
            }
            return Optional.of(new LogSizes(
                    stats(),
                    db.getLongProperty(entries, "rocksdb.size-all-mem-tables")
                            + db.getLongProperty(entries, "rocksdb.live-sst-files-size")));
        } catch (RocksDBException e) {
            log.debug("no sizes directory={} cause={}", directory, e.getMessage());
            return Optional.empty();
        } finally {
            open.unlock();
        }
    }

    @Override
    public void close() {
        endWaiting();
        Lock exclusive = openLock.writeLock();
        exclusive.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (!suspended) {
                entries.close();
                db.close();
            }
            scan.close();
            synced.close();
            unsynced.close();
            options.close();
            mark.close();
        } catch (IOException e) {
            log.warn("mark of the log not synced file={}", mark.file(), e);
        } finally {
            exclusive.unlock();
        }
    }
}
