package io.godwit.kv.range.data;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.disk.OpenFiles;
import io.godwit.kv.disk.RocksFiles;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of one range replica. It has no write-ahead log; the Raft log is the only one. So a crash takes the
 * database back to the last flushed memtable. Data and applied index stay consistent, because both are written in one
 * batch and there is one column family. The Raft log is replayed from there. It has everything that is missing, because
 * it is truncated only up to a checkpoint, which flushes.
 *
 * <p>Written by the apply thread alone. Read by the apply thread, and by I/O threads through {@link #readSnapshot}.
 */
public final class RangeDb implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RangeDb.class);
    private static final byte[] APPLIED_KEY = {BatchBytes.SYSTEM_PREFIX, 'a'};
    private static final byte[] STATE_KEY = {BatchBytes.SYSTEM_PREFIX, 's'};

    /** Descriptors that must be free before it is opened: those for tables by {@link RocksResources}, and some more. */
    private static final int DESCRIPTORS = RocksResources.MAX_OPEN_FILES + 8;

    private final Path directory;
    private final RocksResources resources;
    private final WriteOptions writeOptions = new WriteOptions().setDisableWAL(true);
    private final SpaceReclaim spaceReclaim = new SpaceReclaim();
    /**
     * Read side: I/O threads during a read. Write side: replacing and closing the database. Confinement is not
     * possible, because long reads run on many threads, and the use of a closed native handle crashes the process.
     */
    private final ReentrantReadWriteLock useLock = new ReentrantReadWriteLock();
    /**
     * Held by the apply thread for each batch, and by a {@code RangeMoment}, which copies several ranges at one moment
     * and must stop the writes of several apply threads. While it is held, only the read side of {@link #useLock} may
     * be taken.
     */
    private final ReentrantLock writeGate = new ReentrantLock();

    private Options options;
    private RocksDB db;
    private long appliedIndex;
    /**
     * Written by the apply thread before the database gets the corresponding data. So a reader that takes a snapshot
     * first and reads this afterwards never takes keys for the range's own that the snapshot lacks.
     */
    private volatile RangeState state;

    private boolean closed;

    /**
     * Opens or creates the database.
     *
     * @param born the state of the range when it came to this node; used for a database without a state record
     * @param create true creates a database, which must not exist; false opens an existing one
     * @throws DamagedDataException naming the directory or file that is missing or damaged
     */
    public static RangeDb open(Path directory, RangeState born, RocksResources resources, boolean create)
            throws IOException {
        if (create) {
            DurableFiles.createDirectories(directory);
        } else if (!Files.isRegularFile(directory.resolve("CURRENT"))) {
            throw new DamagedDataException(directory, "the database of a range is missing");
        }
        RangeDb db = new RangeDb(directory, born, resources);
        if (create) {
            db.close();
            DurableFiles.syncDirectory(directory);
            return new RangeDb(directory, born, resources);
        }
        return db;
    }

    private RangeDb(Path directory, RangeState born, RocksResources resources) throws IOException {
        this.directory = directory;
        this.state = born;
        this.resources = resources;
        RocksFiles.verifyManifest(directory);
        this.options = resources
                .options(!Files.exists(directory.resolve("CURRENT")))
                .setRateLimiter(spaceReclaim.backgroundWrites());
        try {
            this.db = openDatabase();
        } catch (IOException e) {
            writeOptions.close();
            spaceReclaim.close();
            throw e;
        }
        try {
            this.appliedIndex = readAppliedIndex();
            this.state = readState(born);
        } catch (IOException | RuntimeException e) {
            db.close();
            options.close();
            spaceReclaim.close();
            throw e;
        }
    }

    private RocksDB openDatabase() throws IOException {
        try {
            return RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            options.close();
            throw RocksFiles.refusedBy(e, directory);
        }
    }

    private long readAppliedIndex() throws IOException {
        try {
            byte[] value = db.get(APPLIED_KEY);
            if (value != null && value.length != Long.BYTES) {
                throw new DamagedDataException(directory, "applied index of " + value.length + " bytes");
            }
            return value == null ? 0 : ByteBuffer.wrap(value).getLong();
        } catch (RocksDBException e) {
            throw RocksFiles.refusedBy(e, directory);
        }
    }

    private RangeState readState(RangeState born) throws IOException {
        byte[] value;
        try {
            value = db.get(STATE_KEY);
        } catch (RocksDBException e) {
            throw RocksFiles.refusedBy(e, directory);
        }
        if (value == null) {
            return born;
        }
        RangeState found;
        try {
            found = RangeState.decode(value);
        } catch (IOException e) {
            throw DamagedDataException.unreadable(directory, "state of the range", value, RangeState.VERSION, e);
        }
        if (found.id() != born.id()) {
            throw new DamagedDataException(directory, "database of range " + found.id() + ", not " + born.id());
        }
        return found;
    }

    public Path directory() {
        return directory;
    }

    /** Whether {@code failure} was probably caused by a lack of file descriptors. Any thread. */
    public boolean wasShortOfFiles(Throwable failure) {
        return OpenFiles.wereShort(failure, directory.resolve("CURRENT"), DESCRIPTORS);
    }

    /** Whether there are too few file descriptors to open the database now. Any thread. */
    public static boolean lacksFiles(Path directory) {
        return OpenFiles.areShort(directory.resolve("CURRENT"), DESCRIPTORS);
    }

    /** The state of the range after the last applied entry. Any thread. */
    public RangeState state() {
        return state;
    }

    /** Index of the last log entry in the database; for the apply thread, and before that has started. */
    public long appliedIndex() {
        return appliedIndex;
    }

    /** Reads the newest state; for the apply thread. */
    public RangeReader latest() {
        return new DbReader(null);
    }

    /** The write batch of the apply thread. */
    public BufferedWrites newWrites() {
        return new BufferedWrites(new DbReader(null), () -> state.bounds());
    }

    /** Writes the batch and the index atomically, and empties the batch. For the apply thread. */
    public void commit(BufferedWrites writes, long index) throws RocksDBException {
        write(writes, index);
    }

    /** Like {@link #commit(BufferedWrites, long)}, with a new state of the range in the same batch. */
    public void commit(BufferedWrites writes, long index, RangeState next) throws RocksDBException {
        writes.bytes().putSystem(STATE_KEY, next.encode());
        state = next;
        write(writes, index);
    }

    private void write(BufferedWrites writes, long index) throws RocksDBException {
        BatchBytes bytes = writes.bytes();
        bytes.putSystem(
                APPLIED_KEY, ByteBuffer.allocate(Long.BYTES).putLong(index).array());
        writeGate.lock();
        try (WriteBatch batch = new WriteBatch(bytes.toByteArray())) {
            db.write(writeOptions, batch);
        } finally {
            writeGate.unlock();
        }
        appliedIndex = index;
        writes.clear();
    }

    /**
     * Stops all writes until the same thread calls {@link #resumeWrites}.
     *
     * @return false if the writes could not be stopped in time
     */
    public boolean pauseWrites(long waitMillis) throws InterruptedException {
        return writeGate.tryLock(waitMillis, TimeUnit.MILLISECONDS);
    }

    public void resumeWrites() {
        writeGate.unlock();
    }

    /** Flushes memory to disk, so that a copy made right after it has little to flush. For an I/O thread. */
    public void flushAhead() throws IOException {
        useLock.readLock().lock();
        try {
            if (closed) {
                throw new IOException("database is closed: " + directory);
            }
            flush();
        } catch (RocksDBException e) {
            throw new IOException("flush of " + directory + ": " + e.getMessage(), e);
        } finally {
            useLock.readLock().unlock();
        }
    }

    /**
     * Runs {@code work} on a consistent state that is at least as new as this call. For any thread except the apply
     * thread.
     */
    public <T extends @Nullable Object> T readSnapshot(Function<RangeReader, T> work) {
        useLock.readLock().lock();
        try {
            if (closed) {
                throw new ClosedException(directory);
            }
            Snapshot snapshot = db.getSnapshot();
            try (ReadOptions readOptions = new ReadOptions().setSnapshot(snapshot)) {
                return work.apply(new DbReader(readOptions));
            } finally {
                db.releaseSnapshot(snapshot);
            }
        } finally {
            useLock.readLock().unlock();
        }
    }

    /**
     * Makes a durable copy, by hard links if the file system has them, in {@code target}, which must not exist while
     * its parent must. It has everything written before the call, and may have later writes. For an I/O thread.
     */
    public void checkpoint(Path target) throws IOException {
        useLock.readLock().lock();
        try {
            if (closed) {
                throw new IOException("database is closed: " + directory);
            }
            try (Checkpoint checkpoint = Checkpoint.create(db)) {
                checkpoint.createCheckpoint(target.toString());
            } catch (RocksDBException e) {
                throw new IOException("checkpoint of " + directory + ": " + e.getMessage(), e);
            }
        } finally {
            useLock.readLock().unlock();
        }
        DurableFiles.syncDirectory(target);
        @Nullable Path parent = target.getParent();
        if (parent != null) {
            DurableFiles.syncDirectory(parent);
        }
    }

    /**
     * Approximate size, on disk and in memtables, of the keys in {@code [start, end)}; {@code end} null means no end.
     */
    public long bytesBetween(byte[] start, byte @Nullable [] end) {
        useLock.readLock().lock();
        try (Slice from = new Slice(DbKeys.stored(start));
                Slice to = new Slice(DbKeys.storedEnd(end))) {
            if (closed) {
                return 0;
            }
            long[] sizes = db.getApproximateSizes(
                    List.of(new Range(from, to)),
                    SizeApproximationFlag.INCLUDE_FILES,
                    SizeApproximationFlag.INCLUDE_MEMTABLES);
            return sizes[0];
        } finally {
            useLock.readLock().unlock();
        }
    }

    /** Any thread except the apply thread; does not wait. */
    public DbFigures figures() {
        if (!useLock.readLock().tryLock()) {
            return DbFigures.NONE; // being closed or replaced
        }
        try {
            return closed ? DbFigures.NONE : DbFigures.of(db);
        } catch (RocksDBException e) {
            LOG.debug("no figures directory={} cause={}", directory, e.getMessage());
            return DbFigures.NONE;
        } finally {
            useLock.readLock().unlock();
        }
    }

    /** The size of all keys of the range, measured like {@link #bytesBetween}. */
    public long sizeBytes() {
        RangeBounds bounds = state.bounds();
        return bytesBetween(bounds.start(), bounds.end());
    }

    /**
     * Frees the space of keys outside the bounds, which a split has deleted but files still contain. It rewrites the
     * files at the border, at a limited rate so that it disturbs nothing else; {@link #close} ends it. For an I/O
     * thread.
     */
    public void reclaim() {
        useLock.readLock().lock();
        try {
            if (closed) {
                return;
            }
            flush(); // so that no entry from before the split is replayed, which would need the deleted keys
            spaceReclaim.run(db, state.bounds(), resources.reclaimBytesPerSecond());
        } catch (RocksDBException e) {
            // later compactions will free the space
            LOG.warn("space not reclaimed directory={} cause={}", directory, e.getMessage());
        } finally {
            useLock.readLock().unlock();
        }
    }

    /**
     * Makes a database for a part of the range from a checkpoint of this one, flushed and durable. Its applied index is
     * {@code index}, in the log of the part's own group. For the apply thread.
     *
     * @param target must not exist, but its parent must
     */
    public RangeDb branch(Path target, RangeState part, long index) throws IOException {
        checkpoint(target);
        RangeDb branch = new RangeDb(target, state, resources);
        try {
            BufferedWrites writes = branch.newWrites();
            writes.deleteOutside(part.bounds());
            branch.commit(writes, index, part);
            branch.flush();
            return branch;
        } catch (RocksDBException e) {
            branch.close();
            throw new IOException("database of range " + part.id() + " in " + target + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            branch.close();
            throw e;
        }
    }

    /** Must be called by the apply thread while nothing is applied, or with {@link #useLock} held. */
    public void flush() throws RocksDBException {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            db.flush(flush);
        }
    }

    /**
     * Makes a {@link #checkpoint} and returns the range's state in it; {@link #state} may be ahead of the written data.
     */
    public RangeState copyTo(Path target) throws IOException {
        checkpoint(target);
        return stateIn(target);
    }

    /** The state of this range in a checkpoint. */
    public RangeState stateIn(Path checkpoint) throws IOException {
        try (RangeDb copy = new RangeDb(checkpoint, state, resources)) {
            return copy.state();
        }
    }

    /**
     * Replaces the content of this database by that of a checkpoint. For the apply thread. A crash during this leaves a
     * database without CURRENT, which the next start refuses.
     *
     * @throws DamagedDataException naming a damaged file of the checkpoint; then this database is unchanged
     */
    public void replaceWith(Path checkpoint) throws IOException {
        verify(checkpoint);
        spaceReclaim.end();
        useLock.writeLock().lock();
        boolean isDone = false;
        try {
            db.close();
            deleteFiles(directory);
            copyFiles(checkpoint, directory);
            options.close();
            options = resources.options(false).setRateLimiter(spaceReclaim.backgroundWrites());
            db = openDatabase();
            state = readState(state);
            appliedIndex = readAppliedIndex();
            isDone = true;
        } finally {
            if (!isDone) { // for example on a full disk; the closed database must not be used any more
                closed = true;
                db.close();
                options.close();
                writeOptions.close();
            }
            spaceReclaim.allow();
            useLock.writeLock().unlock();
        }
    }

    /** Reads the whole checkpoint before anything is given up for it. */
    private void verify(Path checkpoint) throws IOException {
        RocksFiles.verifyManifest(checkpoint);
        try (Options readOptions = resources.options(false);
                RocksDB copy = RocksDB.openReadOnly(readOptions, checkpoint.toString())) {
            copy.verifyChecksum();
        } catch (RocksDBException e) {
            throw RocksFiles.refusedBy(e, checkpoint);
        }
    }

    /** Flushes, so that the next start has nothing to replay, and closes when no read is running. */
    @Override
    public void close() {
        spaceReclaim.end();
        useLock.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            try {
                flush();
            } catch (RocksDBException e) {
                // the Raft log has everything
                LOG.warn("range database not flushed directory={} cause={}", directory, e.getMessage());
            }
            db.close();
            options.close();
            writeOptions.close();
            spaceReclaim.close();
        } finally {
            useLock.writeLock().unlock();
        }
    }

    /** The database was closed before the read began. */
    public static final class ClosedException extends IllegalStateException {
        ClosedException(Path directory) {
            super("database is closed: " + directory);
        }
    }

    private static void deleteFiles(Path directory) throws IOException {
        // CURRENT first: without it the rest is not taken for a database
        Files.deleteIfExists(directory.resolve("CURRENT"));
        DurableFiles.syncDirectory(directory);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
    }

    /** Both are in the range's directory, and so on one file system. */
    private static void copyFiles(Path from, Path to) throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.list(from)) {
            // CURRENT last, for the same reason
            sources = files.sorted(Comparator.comparing((Path file) -> file.endsWith("CURRENT"))
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
        for (Path source : sources) {
            Path target = to.resolve(source.getFileName());
            if (source.getFileName().toString().endsWith(".sst")) {
                Files.createLink(target, source); // never changes after it was written, and synced with the checkpoint
            } else {
                DurableFiles.replace(target, Files.readAllBytes(source));
            }
        }
        DurableFiles.syncDirectory(to);
    }

    /** Reads the database, at a snapshot or, without options, the latest state. */
    private final class DbReader implements RangeReader {
        private final @Nullable ReadOptions readOptions;

        DbReader(@Nullable ReadOptions readOptions) {
            this.readOptions = readOptions;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            byte[] stored = DbKeys.stored(key);
            try {
                return readOptions == null ? db.get(stored) : db.get(readOptions, stored);
            } catch (RocksDBException e) {
                throw new RangeDbException("read in " + directory, e);
            }
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            byte @Nullable [] last = end == null ? state.bounds().end() : end;
            return new DbCursor(db, readOptions == null ? null : readOptions.snapshot(), start, last);
        }
    }
}
