package io.godwit.kv;

import io.godwit.cluster.Cluster;
import io.godwit.kv.backup.RangeBackups;
import io.godwit.kv.backup.RangeCopies;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.client.StoreMeasures;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.member.ClusterEntry;
import io.godwit.kv.member.MemberSettings;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.member.NodeAddresses;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.member.StartProgress;
import io.godwit.kv.operate.FactsTeller;
import io.godwit.kv.operate.NodeControl;
import io.godwit.kv.operate.NodeOperations;
import io.godwit.kv.operate.StoreControl;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.peers.KvThreads;
import io.godwit.kv.peers.OwnReport;
import io.godwit.kv.raft.GodwitRaftServiceFactory;
import io.godwit.kv.raft.RaftHost;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeExecutor;
import io.godwit.kv.store.DiskGuard;
import io.godwit.kv.store.DiskReserve;
import io.godwit.kv.store.FigureCollector;
import io.godwit.kv.store.HealthReports;
import io.godwit.kv.store.KvFigures;
import io.godwit.kv.store.StoreFiles;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreRanges;
import io.godwit.kv.store.StoreSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stores of one node and what they share: data directory, Raft log, threads, cache and disk guard. The thread that
 * wires the broker opens and closes it, and may block.
 *
 * <pre>
 * data/FORMAT, LOCK            ids and format of the data; the lock that the process holds
 * data/INCARNATION             how often the node has started in a cluster
 * data/raft-log                the log and votes of all groups, and the register of ranges
 * data/STORES                  the stores made here
 * data/(store)/range-(N)/db, snapshot
 * </pre>
 */
public final class KvNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvNode.class);
    private static final long DISK_CHECK_MILLIS = 1_000;
    private static final String DRAINING = "draining";
    private static final String ADDRESSES = "addresses";
    private static final long HEARTBEATS_TO_HEAR_OF_A_LEADER = 2;

    private final KvNodeConfig config;
    private final DataDirectory directory;
    private final KvThreads threads = new KvThreads();
    private final RocksResources rocks;
    private final SharedRaftLog log;
    private final StoreFiles files;
    private final RaftHost raft;
    private final DiskGuard disk;
    private final RangeEnvironment environment;
    /** Null if this node is not in a cluster. */
    private final @Nullable ClusterLinks links;

    private final NodeAddresses addresses;

    /**
     * The ranges of the stores by name. A store is here before it is in {@code stores}, because other nodes may ask for
     * its ranges while they start.
     */
    private final Map<String, StoreRanges> ranges = new ConcurrentHashMap<>();

    private final Map<String, StoreControl> controls = new ConcurrentHashMap<>();
    private final OwnReport own;
    private final NotedFacts facts;
    private final FactsTeller factsTeller;
    private final NodeControl operations;
    private final OpenStores stores = new OpenStores();
    private final HealthReports reports = new HealthReports(this::health);
    private final WriteStop writes = new WriteStop(stores, reports, threads.io());
    private final PausedBalancers pauses;
    private final RangeBackups backups;
    private final FigureCollector figures;
    private final LongAdder mutationsTooLarge = new LongAdder();
    private boolean closed;

    /**
     * Claims the data directory and opens the shared log.
     *
     * @throws DamagedDataException naming the file or directory that is damaged or missing
     * @throws IOException if there is no data and {@code bootstrap} is false, if another process uses the directory, or
     *     if the node may not be a member of the configured cluster ({@link ClusterEntry})
     */
    public static KvNode open(KvNodeConfig config) throws IOException {
        return open(config, StartProgress.NONE);
    }

    /**
     * Like {@link #open(KvNodeConfig)}.
     *
     * @param progress is told what the start waits for
     */
    public static KvNode open(KvNodeConfig config, StartProgress progress) throws IOException {
        return open(config, progress, StoreMeasures.NONE, RangeReports.none());
    }

    /**
     * Like {@link #open(KvNodeConfig)}.
     *
     * @param measures is told how long operations take
     * @param reports is told what happens to ranges
     */
    public static KvNode open(KvNodeConfig config, StartProgress progress, StoreMeasures measures, RangeReports reports)
            throws IOException {
        return open(config, DiskGuard.Disk::of, progress, new Told(measures, reports));
    }

    /** What is told of the operations of a node, and of its ranges. */
    private record Told(StoreMeasures measures, RangeReports reports) {
        static Told nobody() {
            return new Told(StoreMeasures.NONE, RangeReports.none());
        }
    }

    /** Reads the free and total space of a path's disk; tests replace it. */
    interface DiskProbe {
        DiskGuard.Disk of(Path path) throws IOException;
    }

    static KvNode open(KvNodeConfig config, DiskProbe probe) throws IOException {
        return open(config, probe, StartProgress.NONE, Told.nobody());
    }

    private static KvNode open(KvNodeConfig config, DiskProbe probe, StartProgress progress, Told told)
            throws IOException {
        MemberSettings cluster = config.cluster();
        if (cluster == null && !config.bootstrap() && DataDirectory.isEmpty(config.dataDirectory())) {
            throw noData(config);
        }
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            return cluster == null
                    ? new KvNode(config, own(config, probe, progress, opened), null, probe, told, opened)
                    : enter(config, cluster, probe, progress, told, opened);
        } catch (IOException | RuntimeException e) {
            closeAll(opened);
            throw e;
        }
    }

    private static DataDirectory own(
            KvNodeConfig config, DiskProbe probe, StartProgress progress, List<AutoCloseable> opened)
            throws IOException {
        DataDirectory directory = DataDirectory.open(config.dataDirectory());
        opened.add(directory);
        makeRoom(config, probe);
        progress.claimed();
        return directory;
    }

    /** Frees the disk reserve if the disk is full, so that the start can write. The data directory is locked by now. */
    private static void makeRoom(KvNodeConfig config, DiskProbe probe) throws IOException {
        new DiskReserve(config.dataDirectory()).giveUpIfFull(probe.of(config.dataDirectory()));
    }

    private static KvNode enter(
            KvNodeConfig config,
            MemberSettings cluster,
            DiskProbe probe,
            StartProgress progress,
            Told told,
            List<AutoCloseable> opened)
            throws IOException {
        DataDirectory.Claim claim = DataDirectory.claim(config.dataDirectory());
        opened.add(claim);
        makeRoom(config, probe);
        progress.claimed();
        ClusterEntry entry = new ClusterEntry(config.dataDirectory(), config.bootstrap(), cluster, claim, progress);
        ClusterEntry.Entered entered = entry.enter();
        opened.set(0, entered.directory());
        opened.add(entered.cluster());
        return new KvNode(config, entered.directory(), entered, probe, told, opened);
    }

    private KvNode(
            KvNodeConfig config,
            DataDirectory directory,
            ClusterEntry.@Nullable Entered entered,
            DiskProbe probe,
            Told told,
            List<AutoCloseable> opened)
            throws IOException {
        this.config = config;
        this.directory = directory;
        opened.add(threads);
        this.rocks = new RocksResources(config.cacheBytes(), config.writeBufferBytes(), config.reclaimBytesPerSecond());
        opened.add(rocks);
        Path logDirectory = directory.path().resolve("raft-log");
        this.log = SharedRaftLog.open(logDirectory, writes::logFailed);
        opened.add(log);
        log.onSync(told.measures()::synced);
        this.pauses = new PausedBalancers(controls, log, threads.io());
        this.figures = new FigureCollector(log, rocks, ranges::values);
        String storeId = directory.storeId().toString();
        this.facts = new NotedFacts(storeId, logDirectory, log, threads.io());
        if (entered != null && facts.whyNot().isPresent()) {
            throw new IOException(facts.whyNot().get());
        }
        facts.onForgotten(this::onForgotten);
        this.files = new StoreFiles(directory.path(), logDirectory, log, rocks, storeId, entered == null);
        if (entered == null && !config.bootstrap() && files.isEmpty()) {
            throw noData(config);
        }
        if (entered == null ? config.bootstrap() : directory.isFounding()) {
            files.found();
            directory.founded();
        }
        this.raft = raft(config, storeId, entered);
        opened.add(raft);
        this.disk = new DiskGuard(probe.of(directory.path()), config.lowWaterBytes(), reports::tell);
        disk.check();
        RangeExecutor housekeeping =
                new RangeExecutor(threads.io(), thrown -> LOG.error("housekeeping failed", thrown));
        this.environment = new RangeEnvironment(
                raft,
                threads.ranges(),
                threads.io(),
                housekeeping,
                task -> new Thread(task, "kv-apart").start(),
                threads.timers(),
                System::nanoTime,
                disk::room,
                mutationsTooLarge,
                config.range(),
                told.measures(),
                told.reports());
        DiskReserve reserve = new DiskReserve(directory.path());
        threads.everyMillis(DISK_CHECK_MILLIS, () -> {
            disk.check();
            if (disk.hasRoomFor(DiskReserve.BYTES)) {
                reserve.make();
            }
            reports.tellChange(); // a range that waited for file descriptors may serve again
        });
        this.backups = new RangeCopies(directory.path(), stores::rangesOf);
        this.own = new OwnReport(
                storeId,
                entered == null ? 1 : entered.incarnation(),
                ranges::values,
                this::isDraining,
                writes::isTakingWrites,
                disk,
                facts::now);
        MemberWatch members = new MemberWatch(
                directory.clusterId().toString(),
                facts::isForgotten,
                by -> writes.logFailed(
                        "this node's data is in use by a later process " + by,
                        new IllegalStateException("superseded by " + by)));
        this.addresses = new NodeAddresses(
                log.nodeRecord(ADDRESSES),
                members::isOurs,
                record -> log.putNodeRecord(ADDRESSES, record),
                threads.io());
        facts.onForgotten(addresses::forget);
        facts.now().forgotten().forEach(addresses::forget); // a crash may have come between these two records
        this.links = entered == null ? null : links(entered, members);
        this.factsTeller = new FactsTeller(facts, storeId, links);
        this.operations =
                new NodeControl(clusterId(), own, controls, files.storesHere(), this::drain, factsTeller, links);
        if (links != null) {
            operations.start(links);
            links.start();
        }
    }

    private RaftHost raft(KvNodeConfig config, String storeId, ClusterEntry.@Nullable Entered entered) {
        MemberSettings cluster = config.cluster();
        if (entered == null || cluster == null) {
            return new RaftHost(new GodwitRaftServiceFactory(log, config.sync()), storeId, config.sync());
        }
        return RaftHost.connected(
                new GodwitRaftServiceFactory(log, config.sync()),
                storeId,
                config.sync(),
                cluster.raft(),
                entered.cluster().server(),
                entered.cluster().channels(),
                entered.protocol());
    }

    private ClusterLinks links(ClusterEntry.Entered entered, MemberWatch members) {
        ClusterLinks made = new ClusterLinks(entered, own, members, facts, ranges, raft::takeOver, threads);
        raft.onMissing(made.replicas()::called);
        entered.cluster().membership().addListener(members);
        entered.cluster().membership().addListener(addresses);
        entered.cluster().membership().addListener(raft.following());
        members.onConflict(() -> threads.io().execute(reports::tell));
        return made;
    }

    private boolean isDraining() {
        byte[] record = log.nodeRecord(DRAINING);
        return record != null && record[0] != 0;
    }

    private void drain(boolean isToGo) {
        log.putNodeRecord(DRAINING, new byte[] {(byte) (isToGo ? 1 : 0)});
    }

    /** What operators may ask of this node, and through it of other nodes. */
    public NodeOperations operations() {
        return operations;
    }

    private static IOException noData(KvNodeConfig config) {
        return new IOException("no data in " + config.dataDirectory()
                + " and bootstrap is false: a node that should have data must not start empty");
    }

    /**
     * Opens a store, or creates it. Returns when its databases are open and its groups started; {@link KvStore#ready}
     * tells when it serves.
     *
     * @throws DamagedDataException naming the directory or file that is missing or damaged
     */
    public KvStore open(StoreSpec spec) throws IOException {
        return open(spec, client -> {});
    }

    /**
     * Like {@link #open(StoreSpec)}, for a store whose leaders use the store itself through other components: ranges
     * may get leaders before this returns.
     *
     * @param wiring is given the store before any range can have a leader
     */
    public KvStore open(StoreSpec spec, Consumer<KvStore> wiring) throws IOException {
        if (stores.has(spec.name())) {
            throw new IllegalStateException("store " + spec.name() + " is open");
        }
        if (links != null && facts.whyNot().isPresent()) {
            throw new IOException(facts.whyNot().get());
        }
        StoreRanges opened = new StoreRanges(spec, files, environment, (what, cause) -> reports.tell());
        opened.open();
        if (links != null && spec.balance().isBalanced()) {
            boolean hasRanges = !opened.all().isEmpty() || !opened.unopened().isEmpty();
            facts.opened(
                    spec.name(), spec.balance().goal().voters(), spec.balance().isGoalGiven(), hasRanges);
        }
        KvStore store = store(spec.name(), opened);
        stores.add(store);
        wiring.accept(store);
        opened.start();
        ranges.put(spec.name(), opened);
        StoreControl control = new StoreControl(
                opened, spec.balance(), own, factsTeller, links, new NodeTimer(threads), pauses.noting(spec.name()));
        controls.put(spec.name(), control);
        control.start();
        pauses.tell();
        ClusterLinks cluster = links;
        if (cluster != null) {
            cluster.exchange().changed();
            electLater();
        }
        store.ready().whenComplete((done, failure) -> reports.tell());
        LOG.info("store opened store={} ranges={}", spec.name(), opened.all().size());
        return store;
    }

    /**
     * Adds {@code listener}, which gets the balancers that operators have paused on this node, each as store and name,
     * whenever they may have changed. It is called by the opening thread and by I/O threads, one at a time.
     */
    public void onPauses(Consumer<List<String>> listener) {
        pauses.addListener(listener);
    }

    /**
     * This node's part in the cluster, to which further services can be added; empty if this node is not in a cluster.
     * Closed with the node.
     */
    public Optional<Cluster> cluster() {
        return Optional.ofNullable(links).map(ClusterLinks::cluster);
    }

    /** Makes copies of ranges that this node leads. */
    public RangeBackups backups() {
        return backups;
    }

    /** Starts elections in groups without a leader, after a delay in which this node would have heard from a leader. */
    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timers
    private void electLater() {
        MemberSettings settings = config.cluster();
        if (settings != null) {
            threads.timers()
                    .schedule(
                            raft::standWhereNobodyLeads,
                            HEARTBEATS_TO_HEAR_OF_A_LEADER * settings.raft().heartbeatMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private KvStore store(String name, StoreRanges opened) {
        ClusterLinks cluster = links;
        return cluster == null
                ? new KvStore(name, opened)
                : KvStore.inCluster(name, opened, cluster, own.storeId(), addresses::nameOf, threads.io());
    }

    /** What the disk has lost although it had confirmed it, for an operator. Usually empty. */
    public List<String> losses() {
        @Nullable String lost = log.lost();
        return lost == null ? List.of() : List.of(lost);
    }

    /**
     * Nodes of other clusters in this cluster's environment, which is a configuration error; one line each, for an
     * operator. Usually empty.
     */
    public List<String> conflicts() {
        return links == null ? List.of() : links.members().conflicts();
    }

    /** The id of the cluster that the data belongs to. */
    public String clusterId() {
        return directory.clusterId().toString();
    }

    /** The id of this node. */
    public String storeId() {
        return directory.storeId().toString();
    }

    /** Completes when every store opened so far serves; fails with {@link io.godwit.kv.client.RangeException}. */
    public CompletableFuture<Void> ready() {
        return CompletableFuture.anyOf(writes.givenUp(), stores.ready()).thenApply(any -> null);
    }

    /** The number of voters per range that the cluster wants, as far as known, by the name of the store. */
    public Map<String, Integer> wantedVoters() {
        Map<String, Integer> wanted = new TreeMap<>();
        facts.now().voters().forEach((store, voters) -> wanted.put(store, voters.count()));
        return wanted;
    }

    /** A node was given up. If it is this one, it stops all stores before it does harm. */
    private void onForgotten(String storeId) {
        facts.whyNot().filter(why -> storeId.equals(storeId())).ifPresent(writes::forgotten);
    }

    /** Number of mutations refused so far because the log takes none of their size. Any thread. */
    public long mutationsTooLarge() {
        return mutationsTooLarge.sum();
    }

    /** Current sizes and counts. Takes some milliseconds if there are many ranges; does not wait. */
    public KvFigures figures() {
        return figures.collect();
    }

    /** The health of each open store, by name. */
    public Map<String, StoreHealth> health() {
        String diskDetail = log.isWaitingForFiles() ? "the raft log waits for file descriptors" : disk.describe();
        return stores.health(diskDetail);
    }

    /**
     * Adds {@code listener}, which is given the health whenever it may have changed, the newest last, on a thread that
     * it must not block.
     */
    public void onHealthChange(Consumer<Map<String, StoreHealth>> listener) {
        reports.addListener(listener);
    }

    /** Checks the disk now, in addition to the check every second. */
    void checkDisk() {
        disk.check();
    }

    /** For tests, which cut this node off; null if it is not in a cluster. */
    @Nullable
    ClusterLinks links() {
        return links;
    }

    /**
     * Reports the health to its listeners before this returns: a store is {@link KvStore#ready} a moment before they
     * are told.
     */
    public void tellHealth() {
        reports.tell();
    }

    /** For tests, which let the log fail. */
    void logFailed(String what, Throwable cause) {
        writes.logFailed(what, cause);
    }

    /**
     * Refuses waiting and new requests, stops leaders and groups, flushes and closes the databases, and unlocks the
     * data directory. Blocks until all that is done.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        log.endWaiting();
        controls.values().forEach(StoreControl::close);
        if (links != null) {
            links.closeClients();
        }
        stores.close();
        List<AutoCloseable> parts = new ArrayList<>(List.of(directory, rocks, log, threads));
        if (links != null) {
            parts.add(links);
        }
        parts.add(raft);
        closeAll(parts);
        LOG.info("node closed data={}", config.dataDirectory());
    }

    /** Closes in the reverse order of opening. A failure does not keep the others open. */
    private static void closeAll(List<AutoCloseable> opened) {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (Exception e) { // the others must still be closed
                LOG.warn("not closed cleanly what={} cause={}", opened.get(i), e.toString());
            }
        }
    }
}
