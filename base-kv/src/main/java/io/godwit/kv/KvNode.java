package io.godwit.kv;

import io.godwit.kv.client.RangeClient;
import io.godwit.kv.raft.DamagedDataException;
import io.godwit.kv.raft.DataDirectory;
import io.godwit.kv.raft.RaftHost;
import io.godwit.kv.raft.SharedRaftLog;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeDb;
import io.godwit.kv.range.RangeEnvironment;
import io.godwit.kv.range.RocksResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of one node and what they share: data directory, Raft log, threads, cache and the guard of the disk. Opened and closed by the
 * thread that wires the broker, which may block.
 *
 * <pre>
 * data/FORMAT, LOCK            whose data it is; the claim of the process
 * data/raft-log                the log and votes of all groups, and the register of ranges
 * data/STORES                  the stores made here
 * data/(store)/range-(N)/db, snapshot
 * </pre>
 */
public final class KvNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvNode.class);
    private static final long DISK_CHECK_MILLIS = 1_000;

    private final KvNodeConfig config;
    private final DataDirectory directory;
    private final KvThreads threads = new KvThreads();
    private final RocksResources rocks;
    private final SharedRaftLog log;
    private final StoreFiles files;
    private final RaftHost raft;
    private final DiskGuard disk;
    private final RangeEnvironment environment;
    private final List<KvStore> stores = new CopyOnWriteArrayList<>();
    private final List<Consumer<Map<String, StoreHealth>>> listeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable String logFailure;
    private boolean closed;

    /**
     * Claims the data directory and opens the shared log.
     *
     * @throws DamagedDataException naming what is not as it was written
     * @throws IOException if there is no data and {@code bootstrap} is false, or another process uses the directory
     */
    public static KvNode open(KvNodeConfig config) throws IOException {
        return open(config, DiskGuard.Disk::of);
    }

    /** Looks at a path's disk; tests put their own in. */
    interface DiskProbe {
        DiskGuard.Disk of(Path path) throws IOException;
    }

    static KvNode open(KvNodeConfig config, DiskProbe probe) throws IOException {
        if (!config.bootstrap() && DataDirectory.isEmpty(config.dataDirectory())) {
            throw noData(config);
        }
        DataDirectory directory = DataDirectory.open(config.dataDirectory());
        List<AutoCloseable> opened = new ArrayList<>(List.of(directory));
        try {
            return new KvNode(config, directory, probe, opened);
        } catch (IOException | RuntimeException e) {
            closeAll(opened);
            throw e;
        }
    }

    private KvNode(KvNodeConfig config, DataDirectory directory, DiskProbe probe, List<AutoCloseable> opened)
            throws IOException {
        this.config = config;
        this.directory = directory;
        opened.add(threads);
        this.rocks = new RocksResources(config.cacheBytes(), config.writeBufferBytes());
        opened.add(rocks);
        Path logDirectory = directory.path().resolve("raft-log");
        this.log = SharedRaftLog.open(logDirectory, this::logFailed);
        opened.add(log);
        String storeId = directory.storeId().toString();
        this.files = new StoreFiles(directory.path(), logDirectory, log, rocks, storeId);
        if (!config.bootstrap() && files.isEmpty()) {
            throw noData(config);
        }
        this.raft = new RaftHost(log.serviceFactory(config.sync()), storeId, config.sync());
        opened.add(raft);
        this.disk = new DiskGuard(probe.of(directory.path()), config.lowWaterBytes(), this::healthChanged);
        disk.check();
        this.environment = new RangeEnvironment(
                raft, threads.ranges(), threads.io(), threads.timers(), disk::room, config.range());
        threads.everyMillis(DISK_CHECK_MILLIS, disk::check);
    }

    private static IOException noData(KvNodeConfig config) {
        return new IOException("no data in " + config.dataDirectory()
                + " and bootstrap is false: a node that should have data must not start empty");
    }

    /**
     * Opens a store, or makes it; returns when its databases are open and its groups started, while {@link KvStore#ready} tells when it
     * serves.
     *
     * @throws DamagedDataException naming the directory or file that is missing or not what was written
     */
    public KvStore open(StoreSpec spec) throws IOException {
        return open(spec, client -> {});
    }

    /**
     * The same, for a store whose leaders reach, through others, the store itself: they may lead before this returns.
     *
     * @param wiring is given the store's client before any range can lead
     */
    public KvStore open(StoreSpec spec, Consumer<RangeClient> wiring) throws IOException {
        if (stores.stream().anyMatch(store -> store.name().equals(spec.name()))) {
            throw new IllegalStateException("store " + spec.name() + " is open");
        }
        List<RangeDescriptor> descriptors = files.ranges(spec);
        List<RangeDb> databases = new ArrayList<>();
        try {
            for (RangeDescriptor descriptor : descriptors) {
                databases.add(files.open(descriptor));
            }
        } catch (IOException | RuntimeException e) {
            databases.forEach(RangeDb::close);
            throw e;
        }
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < descriptors.size(); i++) {
            RangeDescriptor descriptor = descriptors.get(i);
            ranges.add(new Range(
                    descriptor.groupId(),
                    descriptor.bounds(),
                    databases.get(i),
                    spec.coprocessors().get(),
                    environment,
                    (what, cause) -> storeFailed(spec.name(), what, cause)));
        }
        KvStore store = new KvStore(spec.name(), ranges);
        stores.add(store);
        wiring.accept(store.client());
        for (int i = 0; i < ranges.size(); i++) {
            ranges.get(i).start(files.snapshotsOf(descriptors.get(i)));
        }
        store.ready().whenComplete((done, failure) -> healthChanged());
        LOG.info("store opened store={} ranges={}", spec.name(), ranges.size());
        return store;
    }

    /** What an operator must know of the data as it was found: what the disk has lost, though it had confirmed it. Mostly empty. */
    public List<String> losses() {
        @Nullable String lost = log.lost();
        return lost == null ? List.of() : List.of(lost);
    }

    /** Completes when every store opened so far serves; fails with {@link io.godwit.kv.client.RangeException}. */
    public CompletableFuture<Void> ready() {
        return CompletableFuture.allOf(stores.stream().map(KvStore::ready).toArray(CompletableFuture[]::new));
    }

    /** How each open store is, by name. */
    public Map<String, StoreHealth> health() {
        String diskDetail = disk.describe();
        Map<String, StoreHealth> health = new LinkedHashMap<>();
        stores.forEach(store -> health.put(store.name(), store.health(diskDetail)));
        return health;
    }

    /** From now on {@code listener} is given the health whenever it may have changed, on a thread that it must not block. */
    public void onHealthChange(Consumer<Map<String, StoreHealth>> listener) {
        listeners.add(listener);
    }

    /** Looks at the disk now; otherwise it is looked at every second. */
    void checkDisk() {
        disk.check();
    }

    private void healthChanged() {
        Map<String, StoreHealth> health = health();
        listeners.forEach(listener -> listener.accept(health));
    }

    private void storeFailed(String name, String what, Throwable cause) {
        stores.stream()
                .filter(store -> store.name().equals(name))
                .forEach(store -> store.failed(what + ": " + cause.getMessage()));
        healthChanged();
    }

    /** The log is every group's: nothing can be written any more. Called with locks held, so the rest is done elsewhere. */
    void logFailed(String what, Throwable cause) {
        if (logFailure != null) {
            return;
        }
        logFailure = what;
        LOG.error("raft log failed, all stores stop taking writes fault={}", what, cause);
        threads.io().execute(() -> {
            stores.forEach(store -> {
                store.failed(what);
                store.ranges().forEach(range -> range.fail(what));
            });
            healthChanged();
        });
    }

    /**
     * Refuses what waits and what comes, stops leaders and groups, flushes and closes the databases, and gives the data directory back.
     * Blocks until all that is done.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<CompletableFuture<Void>> stopped = new ArrayList<>();
        stores.forEach(store -> store.ranges().forEach(range -> stopped.add(range.stop())));
        stopped.forEach(CompletableFuture::join);
        stores.forEach(store -> store.ranges().forEach(Range::close));
        closeAll(List.of(directory, rocks, log, threads, raft));
        LOG.info("node closed data={}", config.dataDirectory());
    }

    /** Last opened, first closed; a failure does not keep the others open. */
    private static void closeAll(List<AutoCloseable> opened) {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (Exception e) { // closing goes on
                LOG.warn("not closed cleanly what={} cause={}", opened.get(i), e.toString());
            }
        }
    }
}
