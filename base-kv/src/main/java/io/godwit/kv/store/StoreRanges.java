package io.godwit.kv.store;

import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.disk.OpenFiles;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.RangeFamily;
import io.godwit.kv.range.RangeMirror;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.request.RangeRouter;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.SplitHinter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a store's ranges on this node, which come and go. Owns the list of them. Its lock is taken briefly by
 * the thread that opens and closes the node, by apply threads whose ranges are split, and by range executors, because
 * no single thread owns all ranges.
 */
public final class StoreRanges implements RangeFamily<Range> {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRanges.class);
    private static final long RETIRE_AFTER_MILLIS = 5_000;
    private static final long FIRST_RECOVERY_MILLIS = 500;
    private static final long MAX_RECOVERY_MILLIS = 10_000;

    private final StoreSpec spec;
    private final StoreFiles files;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final RangeRouter router;
    private final RangeMirror mirror;

    /** By id, for every request from another node: read without the lock, which is held while files are made. */
    private final Map<Long, Range> byId = new ConcurrentHashMap<>();

    // guarded by this; in the order in which they were added
    private final Map<Long, Range> ranges = new LinkedHashMap<>();
    private final Map<Long, RangeDescriptor> descriptors = new ConcurrentHashMap<>();
    /**
     * Replicas that are registered here but were not opened because their files are damaged; other nodes have the data.
     * Besides this they are only in {@code descriptors}.
     */
    private final Map<Long, Unopened> unopened = new ConcurrentHashMap<>();
    /** Starts of replicas in progress, by group. */
    private final Map<String, CompletableFuture<Void>> starts = new LinkedHashMap<>();

    /** Replicas that were removed from the register but not deleted yet. */
    private final Set<Long> leaving = new HashSet<>();

    private final Set<Long> retiring = new HashSet<>();
    private int burials;
    private boolean closed;
    private volatile Runnable onChange = () -> {};

    /**
     * A replica that was damaged at the start.
     *
     * @param voters the voters, as far as this node knows them
     */
    public record Unopened(RangeDescriptor descriptor, List<String> voters, String fault) {}

    public StoreRanges(StoreSpec spec, StoreFiles files, RangeEnvironment environment, FaultHandler faults) {
        this.spec = spec;
        this.files = files;
        this.environment = environment;
        this.faults = faults;
        this.router = new RangeRouter(environment.nanoClock());
        this.mirror = new RangeMirror(spec.name(), () -> List.copyOf(byId.values()), environment);
    }

    /**
     * Opens the databases of all registered ranges; starts none. A damaged one stays closed if other voters have its
     * data.
     *
     * @throws io.godwit.kv.disk.DamagedDataException naming what is missing or damaged
     */
    public synchronized void open() throws IOException {
        List<RangeDb> databases = new ArrayList<>();
        try {
            for (RangeDescriptor descriptor : files.ranges(spec)) {
                RangeDb db = openUnlessElsewhere(descriptor);
                if (db != null) {
                    databases.add(db);
                    add(descriptor, replica(descriptor, db));
                }
            }
            if (files.isAlone()) {
                files.checkCover(
                        spec.name(),
                        ranges.values().stream()
                                .map(Range::routed)
                                .filter(state -> !(state.phase() instanceof RangeState.Retired))
                                .map(RangeState::bounds)
                                .toList());
            }
        } catch (IOException | RuntimeException e) {
            databases.forEach(RangeDb::close);
            ranges.clear();
            throw e;
        }
        router.route(ranges.values());
    }

    private @Nullable RangeDb openUnlessElsewhere(RangeDescriptor descriptor) throws IOException {
        try {
            return files.open(descriptor);
        } catch (DamagedDataException e) {
            List<String> voters = files.votersOf(descriptor);
            if (!files.isElsewhere(voters)) {
                throw e;
            }
            LOG.error("range not opened, others have it range={} voters={}", descriptor.groupId(), voters, e);
            descriptors.put(descriptor.id(), descriptor);
            unopened.put(descriptor.id(), new Unopened(descriptor, voters, String.valueOf(e.getMessage())));
            return null;
        }
    }

    private Range replica(RangeDescriptor descriptor, RangeDb db) {
        return new Range(
                descriptor.groupId(), this, router, db, spec.coprocessors().get(), environment, faults);
    }

    private void add(RangeDescriptor descriptor, Range range) {
        ranges.put(descriptor.id(), range);
        byId.put(descriptor.id(), range);
        descriptors.put(descriptor.id(), descriptor);
    }

    /**
     * Starts the opened ranges. A range that cannot start is stopped if other voters have its data.
     *
     * @throws DamagedDataException naming what is damaged, if this node is the only voter
     */
    public void start() throws IOException {
        for (RangeDescriptor descriptor : descriptors()) {
            Range range = find(descriptor.id());
            if (range != null) {
                try {
                    range.start(files.snapshotsOf(descriptor), descriptor.firstVoters());
                } catch (DamagedDataException e) {
                    if (!files.isElsewhere(range.state().members().voters())) {
                        throw e;
                    }
                    notStarted(range, e);
                }
            }
        }
    }

    /** The replicas that were damaged at the start. */
    public Collection<Unopened> unopened() {
        return List.copyOf(unopened.values());
    }

    /** Why replicas here do not run, one line each; usually empty. */
    public List<String> faults() {
        List<String> told = new ArrayList<>();
        unopened().forEach(each -> told.add("range " + each.descriptor().groupId() + ": " + each.fault()));
        for (Range range : all()) {
            if (!range.stoppedBy().isEmpty()) {
                told.add("range " + range.groupId() + ": " + range.stoppedBy());
            }
        }
        return told;
    }

    /** Whether files of an earlier, damaged replica of the range are kept. */
    public boolean hasKept(long id) {
        return files.hasKept(groupId(id));
    }

    /** Why a replica here does not run; empty if it runs or there is none. */
    public String faultOf(long id) {
        Range range = find(id);
        Unopened closed = unopened.get(id);
        return range != null ? range.stoppedBy() : closed != null ? closed.fault() : "";
    }

    @Override
    public void roleChanged(Range range) {
        onChange.run();
    }

    /**
     * Sets {@code listener}, which is called when the list, a leadership or a state has changed, on a thread that it
     * must not block.
     */
    public void onChange(Runnable listener) {
        onChange = listener;
    }

    private RangeDescriptor descriptorOf(Range range) {
        RangeDescriptor known = descriptor(range.state().id());
        if (known == null) {
            throw new IllegalStateException("no descriptor of " + range.groupId());
        }
        return known;
    }

    /**
     * The voters of a range by the last configuration in the log of its replica here, committed or not; empty if the
     * log has none or there is no replica here. Earlier configurations are in the replica's state, because a snapshot
     * has what was applied. Reads only memory.
     */
    public List<String> votersInLog(long id) {
        return files.votersInLog(groupId(id));
    }

    /** The descriptor of a replica on this node; null if there is none. */
    @Nullable
    public RangeDescriptor descriptor(long id) {
        return descriptors.get(id);
    }

    public String name() {
        return spec.name();
    }

    @Override
    public String store() {
        return spec.name();
    }

    /** The ranges that requests may be for, in no order; does not wait for one that is being made. */
    public Collection<Range> known() {
        return byId.values();
    }

    /** The epoch at which the replica was last removed here; 0 if it never was. */
    public long tombstoneOf(long id) {
        return files.tombstoneOf(groupId(id));
    }

    /** Whether this node knows that the range has ended. */
    public boolean hasEnded(long id) {
        return files.hasEnded(groupId(id));
    }

    private String groupId(long id) {
        return spec.name() + "-" + id;
    }

    /**
     * Makes an empty replica and starts it; does nothing if there is one. Blocks. See
     * {@link io.godwit.kv.peers.Replicas}.
     *
     * @throws IOException if the store is closing, the range has ended, or the files cannot be made
     */
    public void join(RangeDescriptor descriptor) throws IOException {
        Range range;
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                throw new IOException("store " + spec.name() + " is closing");
            }
            if (descriptors.containsKey(descriptor.id()) || leaving.contains(descriptor.id())) {
                return;
            }
            // the asker does not know yet that the range has ended; its files may be being deleted now
            if (retiring.contains(descriptor.id()) || files.hasEnded(descriptor.groupId())) {
                throw new IOException("range " + descriptor.groupId() + " has ended");
            }
            range = replica(descriptor, files.join(descriptor));
            add(descriptor, range);
            router.route(ranges.values());
            starts.put(range.groupId(), started);
        }
        startHere(range, started);
        onChange.run();
    }

    /**
     * Removes a replica and deletes it, or keeps its files if it has stopped after a fault; does nothing if there is
     * none. Blocks briefly. See {@link io.godwit.kv.peers.Replicas}.
     *
     * @return completes when that is done, on a thread that may block; fails with {@link UncheckedIOException} if files
     *     are left, which the next start deletes
     */
    public CompletableFuture<Void> leave(long id, long epoch) {
        Range range;
        RangeDescriptor descriptor;
        synchronized (this) {
            range = ranges.get(id);
            descriptor = descriptors.get(id);
            // one that is being started is removed at the next request
            if (closed || descriptor == null || retiring.contains(id) || starts.containsKey(descriptor.groupId())) {
                return CompletableFuture.completedFuture(null);
            }
            files.deregister(descriptor, epoch, faultOf(id));
            leaving.add(id);
            ranges.remove(id);
            byId.remove(id);
            unopened.remove(id);
            descriptors.remove(id);
            router.route(ranges.values());
        }
        CompletableFuture<Void> stopped = range == null ? CompletableFuture.completedFuture(null) : range.retire();
        return stopped.thenRunAsync(() -> erase(range, descriptor), environment.apart())
                .whenComplete((done, failure) -> left(id)); // also if there is no thread to erase it
    }

    private void erase(@Nullable Range range, RangeDescriptor descriptor) {
        try {
            if (range != null) {
                range.close();
            }
            files.erase(descriptor);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void left(long id) {
        synchronized (this) {
            leaving.remove(id);
            notifyAll();
        }
        onChange.run();
    }

    private synchronized List<RangeDescriptor> descriptors() {
        return List.copyOf(descriptors.values());
    }

    public RangeClient client() {
        return router;
    }

    public Mirror mirror() {
        return mirror;
    }

    /** See {@link io.godwit.kv.range.replica.RangeSettings}. */
    public int maxMutationBytes() {
        return environment.settings().maxMutationBytes();
    }

    /** The counter of the node for refused mutations. */
    public LongAdder tooLarge() {
        return environment.tooLarge();
    }

    /** A snapshot of the present ranges. */
    public synchronized List<Range> all() {
        return List.copyOf(ranges.values());
    }

    /** The replica of a range on this node; null if there is none. */
    @Override
    public @Nullable Range find(long id) {
        return byId.get(id);
    }

    @Override
    public @Nullable Range bear(RangeState child, RangeDb parent) throws IOException {
        RangeDescriptor descriptor = RangeDescriptor.of(spec.name(), child);
        boolean isOurs = child.members().voters().contains(files.storeId())
                || child.members().learners().contains(files.storeId());
        if (!isOurs || files.knows(descriptor) || files.hasBuried(descriptor)) {
            return null; // no replica is made: this node is not a member, or has or had one
        }
        Range range = replica(descriptor, files.bear(descriptor, child, parent));
        range.hold(); // before it can be routed to
        synchronized (this) {
            if (!closed) {
                add(descriptor, range);
                return range;
            }
        }
        range.close();
        return null; // it is registered, so the next start of the node opens it
    }

    @Override
    public synchronized void rebounded(Range range) {
        router.route(ranges.values());
    }

    @Override
    public SplitHinter newHinter() {
        return spec.hinters().get();
    }

    @Override
    public void start(Range child) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                return; // it is registered, so the next start of the node opens it
            }
            starts.put(child.groupId(), started);
        }
        environment.io().execute(() -> startHere(child, started));
    }

    private void startHere(Range range, CompletableFuture<Void> started) {
        try {
            RangeDescriptor descriptor = descriptorOf(range);
            range.start(files.snapshotsOf(descriptor), descriptor.firstVoters());
        } catch (IOException | RuntimeException | Error e) { // outermost frame
            // errors too, such as a lack of memory: a replica that is registered but neither started nor stopped would
            // be relied on forever
            notStarted(range, e);
        } finally {
            synchronized (this) {
                starts.remove(range.groupId());
            }
            started.complete(null);
        }
    }

    private void notStarted(Range range, Throwable cause) {
        LOG.error("range not started range={}", range.groupId(), cause);
        range.fail("not started: " + cause.getMessage());
        range.later(0, () -> faults.onFault("start of range " + range.groupId(), cause)); // once it has stopped
        if (OpenFiles.wereShort(cause)) {
            recover(range);
        }
    }

    @Override
    public void recover(Range range) {
        recoverLater(range, FIRST_RECOVERY_MILLIS);
    }

    private void recoverLater(Range stopped, long millis) {
        stopped.later(millis, () -> environment.apart().execute(() -> recover(stopped, millis)));
    }

    private void recover(Range stopped, long waited) {
        RangeDescriptor descriptor;
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (this) {
            descriptor = descriptors.get(stopped.id());
            if (descriptor == null || !mayRecover(stopped)) {
                return; // removed or replaced meanwhile
            }
            starts.put(stopped.groupId(), started);
        }
        Range range = reopen(stopped, descriptor, waited);
        if (range == null) {
            synchronized (this) {
                starts.remove(stopped.groupId());
            }
            started.complete(null);
            return;
        }
        LOG.info("range opened again, there are file descriptors range={}", range.groupId());
        startHere(range, started);
        onChange.run();
    }

    /** Call it with the lock held. */
    @SuppressWarnings("ReferenceEquality") // another replica of the range may have taken its place
    private boolean mayRecover(Range stopped) {
        return !closed
                && ranges.get(stopped.id()) == stopped
                && !retiring.contains(stopped.id())
                && !starts.containsKey(stopped.groupId());
    }

    /** Replaces a stopped replica by a new one; null if that is not possible now. */
    private @Nullable Range reopen(Range stopped, RangeDescriptor descriptor, long waited) {
        try {
            if (RangeDb.lacksFiles(files.databaseOf(descriptor))) {
                recoverLater(stopped, nextWait(waited));
                return null;
            }
            stopped.close();
            Range range = replica(descriptor, files.open(descriptor));
            synchronized (this) {
                add(descriptor, range);
                router.route(ranges.values());
            }
            return range;
        } catch (IOException | RuntimeException e) {
            if (OpenFiles.wereShort(e)) {
                recoverLater(stopped, nextWait(waited));
            } else {
                LOG.error("range not opened again range={}", stopped.groupId(), e);
            }
            return null;
        }
    }

    private static long nextWait(long millis) {
        return Math.min(MAX_RECOVERY_MILLIS, 2 * millis);
    }

    /** Delayed, so that the group's other members learn of the last entry. */
    @Override
    public void retire(Range range) {
        synchronized (this) {
            if (closed || !retiring.add(range.state().id())) {
                return;
            }
        }
        range.later(RETIRE_AFTER_MILLIS, () -> beginBurial(range));
    }

    private void beginBurial(Range range) {
        RangeDescriptor descriptor;
        synchronized (this) {
            descriptor = descriptors.get(range.id());
            if (closed || descriptor == null) {
                return; // the next start of the node completes it
            }
            ranges.remove(range.id());
            byId.remove(range.id());
            descriptors.remove(range.id());
            burials++;
        }
        range.stop()
                .thenRunAsync(() -> bury(range, descriptor), environment.apart())
                .whenComplete((done, failure) -> buried(range, failure));
    }

    private void bury(Range range, RangeDescriptor descriptor) {
        try {
            range.close();
            files.bury(descriptor, range.state().epoch());
            LOG.info("range retired range={}", range.groupId());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void buried(Range range, @Nullable Throwable failure) {
        if (failure != null) { // the next start deletes what is left
            LOG.warn("files of a retired range not deleted range={} cause={}", range.groupId(), failure.toString());
        }
        synchronized (this) {
            burials--;
            notifyAll();
        }
    }

    /**
     * Merges two neighbours that this node leads.
     *
     * @param leftEpoch epoch of the range that stays; {@code rightEpoch} is that of the one that ends
     */
    public CompletableFuture<ChangeOutcome> merge(long leftId, long leftEpoch, long rightId, long rightEpoch) {
        Range left = find(leftId);
        Range right = find(rightId);
        return left == null || right == null
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : left.merge(leftEpoch, right, rightEpoch);
    }

    /**
     * Splits a range that this node leads.
     *
     * @param key first key of the right part; null for the key that halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long id, long epoch, byte @Nullable [] key) {
        Range range = find(id);
        return range == null
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : range.split(epoch, freshId(), key);
    }

    /** A random id out of a trillion, so that ids are not reused and need no coordination. */
    private static long freshId() {
        return ThreadLocalRandom.current().nextLong(1L << 20, 1L << 40);
    }

    /** Refuses waiting and new requests, and stops the leaders. */
    public CompletableFuture<Void> stop() {
        mirror.close();
        List<Range> stopping;
        synchronized (this) {
            closed = true;
            stopping = List.copyOf(ranges.values());
        }
        return CompletableFuture.allOf(stopping.stream().map(Range::stop).toArray(CompletableFuture[]::new));
    }

    /** Waits for replicas that are being deleted, because they use the log, which is closed next. */
    private synchronized void awaitLeaving() {
        try {
            while (!leaving.isEmpty()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes groups and databases; blocks. Call it after {@link #stop}. */
    public void close() {
        List<CompletableFuture<Void>> underWay;
        synchronized (this) {
            underWay = List.copyOf(starts.values());
            awaitLeaving();
            boolean interrupted = false;
            while (burials > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        underWay.forEach(CompletableFuture::join);
        all().forEach(Range::close);
    }
}
