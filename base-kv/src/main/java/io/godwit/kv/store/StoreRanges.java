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
import io.godwit.kv.store.ReplicaSlots.Phase;
import io.godwit.plugin.balance.SplitHinter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a store's ranges on this node, which come and go with splits. The one owner of the list of them; its
 * lock is taken by the thread that opens and closes the node, by apply threads whose ranges are split and by range
 * executors, for moments: none is any range's own thread.
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

    /** Changed with the lock; looked at without it, since that is held while files are made. */
    private final ReplicaSlots<Range> slots = new ReplicaSlots<>();

    private boolean closed;
    private volatile Runnable onChange = () -> {};

    /**
     * A replica that was found damaged at the start.
     *
     * @param voters as far as this node knows them
     */
    public record Unopened(RangeDescriptor descriptor, List<String> voters, String fault) {}

    public StoreRanges(StoreSpec spec, StoreFiles files, RangeEnvironment environment, FaultHandler faults) {
        this.spec = spec;
        this.files = files;
        this.environment = environment;
        this.faults = faults;
        this.router = new RangeRouter(environment.nanoClock());
        this.mirror = new RangeMirror(spec.name(), slots::unordered, environment);
    }

    /**
     * Opens the databases of all registered ranges; starts none. One that is damaged is left closed where other voters
     * have what it had.
     *
     * @throws io.godwit.kv.disk.DamagedDataException naming what is missing or not what was written
     */
    public synchronized void open() throws IOException {
        List<RangeDb> databases = new ArrayList<>();
        try {
            for (RangeDescriptor descriptor : files.ranges(spec)) {
                RangeDb db = openUnlessElsewhere(descriptor);
                if (db != null) {
                    databases.add(db);
                    slots.open(descriptor, replica(descriptor, db));
                }
            }
            if (files.isAlone()) {
                files.checkCover(
                        spec.name(),
                        all().stream()
                                .map(Range::routed)
                                .filter(state -> !(state.phase() instanceof RangeState.Retired))
                                .map(RangeState::bounds)
                                .toList());
            }
        } catch (IOException | RuntimeException e) {
            databases.forEach(RangeDb::close);
            slots.clear();
            throw e;
        }
        router.route(all());
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
            slots.damaged(descriptor, voters, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private Range replica(RangeDescriptor descriptor, RangeDb db) {
        return new Range(
                descriptor.groupId(), this, router, db, spec.coprocessors().get(), environment, faults);
    }

    /**
     * Starts what is open. A range that does not start stops where other voters have what it has.
     *
     * @throws DamagedDataException naming what of the only voter's is not what was written
     */
    public void start() throws IOException {
        for (ReplicaSlots.Slot<Range> slot : slots.here()) {
            RangeDescriptor descriptor = slot.descriptor();
            Range range = slot.replica();
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

    /** What was found damaged at the start. */
    public Collection<Unopened> unopened() {
        return slots.here().stream()
                .filter(slot -> slot.phase() == Phase.DAMAGED)
                .map(slot -> new Unopened(slot.descriptor(), slot.voters(), slot.fault()))
                .toList();
    }

    /** Why replicas here do not run; a line each, mostly empty. */
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

    /** Whether files of an earlier, damaged replica of the range are kept aside. */
    public boolean hasKept(long id) {
        return files.hasKept(groupId(id));
    }

    /** Why a replica here does not run; empty while it does, or when there is none. */
    public String faultOf(long id) {
        ReplicaSlots.Slot<Range> slot = slots.here(id);
        if (slot == null) {
            return "";
        }
        Range range = slot.replica();
        return range != null ? range.stoppedBy() : slot.fault();
    }

    @Override
    public void roleChanged(Range range) {
        onChange.run();
    }

    /**
     * From now on {@code listener} is called when the list, a leadership or a state has changed, on a thread that it
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
     * The voters of a range by the last configuration in the log of its replica here, committed or not; empty when
     * there is none in it, or no replica here. What the log has no configuration of is in the replica's own state, as a
     * snapshot is of what was applied. Reads nothing.
     */
    public List<String> votersInLog(long id) {
        return files.votersInLog(groupId(id));
    }

    /** How a replica came to this node; null when there is none. */
    @Nullable
    public RangeDescriptor descriptor(long id) {
        ReplicaSlots.Slot<Range> slot = slots.here(id);
        return slot == null ? null : slot.descriptor();
    }

    public String name() {
        return spec.name();
    }

    @Override
    public String store() {
        return spec.name();
    }

    /** Those that requests may be for, in no order; does not wait for one that is being made. */
    public Collection<Range> known() {
        return slots.unordered();
    }

    /** The epoch at which the range was given up here; 0 when it never was. */
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
     * Makes a blank replica and starts it; nothing when there is one. Blocks. See {@link io.godwit.kv.peers.Replicas}.
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
            ReplicaSlots.Slot<Range> slot = slots.slot(descriptor.id());
            if (slot != null && (slot.isHere() || slot.phase() == Phase.LEAVING)) {
                return;
            }
            // who asks has not heard of the end yet; the files may be being deleted right now
            if (slot != null || files.hasEnded(descriptor.groupId())) {
                throw new IOException("range " + descriptor.groupId() + " has ended");
            }
            range = replica(descriptor, files.join(descriptor));
            slots.open(descriptor, range);
            router.route(all());
            slots.startBegins(range.id(), started);
        }
        startHere(range, started);
        onChange.run();
    }

    /**
     * Gives a replica up and deletes it, or keeps it aside if it has stopped after a fault; nothing when there is none.
     * Blocks for a moment. See {@link io.godwit.kv.peers.Replicas}.
     *
     * @return completes, on a thread that may block, when that is done; fails with {@link UncheckedIOException} when
     *     files are left, which the next start deletes
     */
    public CompletableFuture<Void> leave(long id, long epoch) {
        Range range;
        RangeDescriptor descriptor;
        synchronized (this) {
            ReplicaSlots.Slot<Range> slot = slots.here(id);
            // one that is being started is given up when it is asked for again
            if (closed || slot == null || slot.hasEnded() || slot.isStarting()) {
                return CompletableFuture.completedFuture(null);
            }
            range = slot.replica();
            descriptor = slot.descriptor();
            files.deregister(descriptor, epoch, faultOf(id));
            slots.become(id, Phase.LEAVING);
            router.route(all());
        }
        CompletableFuture<Void> stopped = range == null ? CompletableFuture.completedFuture(null) : range.retire();
        return stopped.thenRunAsync(() -> erase(range, descriptor), environment.apart())
                .whenComplete((done, failure) -> left(id)); // also when there is no thread to erase it
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
            slots.remove(id);
            notifyAll();
        }
        onChange.run();
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

    /** Of the node. */
    public LongAdder tooLarge() {
        return environment.tooLarge();
    }

    /** As they are now. */
    public List<Range> all() {
        return slots.replicas();
    }

    /** The replica of a range on this node; null when there is none. */
    @Override
    public @Nullable Range find(long id) {
        return slots.find(id);
    }

    @Override
    public @Nullable Range bear(RangeState child, RangeDb parent) throws IOException {
        RangeDescriptor descriptor = RangeDescriptor.of(spec.name(), child);
        boolean isOurs = child.members().voters().contains(files.storeId())
                || child.members().learners().contains(files.storeId());
        if (!isOurs || files.knows(descriptor) || files.hasBuried(descriptor)) {
            return null; // not ours: this replica came later, and learns of the split from the log
        }
        Range range = replica(descriptor, files.bear(descriptor, child, parent));
        range.hold(); // before anybody can route to it
        synchronized (this) {
            if (!closed) {
                slots.open(descriptor, range);
                return range;
            }
        }
        range.close();
        return null; // registered: the next start of the node opens it
    }

    @Override
    public synchronized void rebounded(Range range) {
        router.route(all());
    }

    @Override
    public SplitHinter newHinter() {
        return spec.hinters().get();
    }

    @Override
    public void start(Range child) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (this) {
            if (closed || slots.here(child.id()) == null) {
                return; // the next start of the node finds it registered, or it was given up meanwhile
            }
            slots.startBegins(child.id(), started);
        }
        environment.io().execute(() -> startHere(child, started));
    }

    private void startHere(Range range, CompletableFuture<Void> started) {
        try {
            RangeDescriptor descriptor = descriptorOf(range);
            range.start(files.snapshotsOf(descriptor), descriptor.firstVoters());
        } catch (IOException | RuntimeException | Error e) { // at the outermost frame: nobody else would learn of it
            // an error too, such as memory that is out: a replica that is registered, not started and not stopped would
            // be counted on for ever
            notStarted(range, e);
        } finally {
            synchronized (this) {
                slots.startEnds(range.id());
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
            ReplicaSlots.Slot<Range> slot = slots.here(stopped.id());
            if (closed || slot == null || !mayRecover(slot, stopped)) {
                return; // given up meanwhile, or somebody else's
            }
            descriptor = slot.descriptor();
            slots.startBegins(stopped.id(), started);
        }
        Range range = reopen(stopped, descriptor, waited);
        if (range == null) {
            synchronized (this) {
                slots.startEnds(stopped.id());
            }
            started.complete(null);
            return;
        }
        LOG.info("range opened again, there are file descriptors range={}", range.groupId());
        startHere(range, started);
        onChange.run();
    }

    @SuppressWarnings("ReferenceEquality") // another replica of the range is not the one that has stopped
    private static boolean mayRecover(ReplicaSlots.Slot<Range> slot, Range stopped) {
        return slot.phase() == Phase.OPEN && slot.replica() == stopped && !slot.isStarting();
    }

    /** Puts a new replica in the place of one that has stopped; null when that cannot be done now. */
    private @Nullable Range reopen(Range stopped, RangeDescriptor descriptor, long waited) {
        try {
            if (RangeDb.lacksFiles(files.databaseOf(descriptor))) {
                recoverLater(stopped, nextWait(waited));
                return null;
            }
            stopped.close();
            Range range = replica(descriptor, files.open(descriptor));
            synchronized (this) {
                ReplicaSlots.Slot<Range> slot = slots.slot(descriptor.id());
                if (slot != null && slot.phase() == Phase.OPEN) {
                    slots.replace(descriptor.id(), range);
                    router.route(all());
                    return range;
                }
            }
            range.close(); // the range has ended meanwhile
            return null;
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

    /** Later, so that the group's other members hear of the last entry. */
    @Override
    public void retire(Range range) {
        synchronized (this) {
            ReplicaSlots.Slot<Range> slot = slots.slot(range.id());
            if (closed || slot == null || slot.phase() != Phase.OPEN) {
                return;
            }
            slots.become(range.id(), Phase.RETIRING);
        }
        range.later(RETIRE_AFTER_MILLIS, () -> beginBurial(range));
    }

    private void beginBurial(Range range) {
        RangeDescriptor descriptor;
        synchronized (this) {
            ReplicaSlots.Slot<Range> slot = slots.slot(range.id());
            if (closed || slot == null) {
                return; // the next start of the node goes on
            }
            descriptor = slot.descriptor();
            slots.become(range.id(), Phase.BURYING);
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
            if (failure == null) {
                slots.remove(range.id());
            } else {
                slots.become(range.id(), Phase.UNDELETED);
            }
            notifyAll();
        }
    }

    /**
     * Joins two neighbours that this node leads.
     *
     * @param leftEpoch of the range that stays; {@code rightEpoch} of the one that ends
     */
    public CompletableFuture<ChangeOutcome> merge(long leftId, long leftEpoch, long rightId, long rightEpoch) {
        Range left = find(leftId);
        Range right = find(rightId);
        return left == null || right == null
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : left.merge(leftEpoch, right, rightEpoch);
    }

    /**
     * Cuts a range that this node leads.
     *
     * @param key first of the right part; null: where it halves the bytes
     */
    public CompletableFuture<ChangeOutcome> split(long id, long epoch, byte @Nullable [] key) {
        Range range = find(id);
        return range == null
                ? CompletableFuture.completedFuture(ChangeOutcome.BUSY)
                : range.split(epoch, freshId(), key);
    }

    /** One of a trillion: ids are never given twice, and need not be agreed upon. */
    private static long freshId() {
        return ThreadLocalRandom.current().nextLong(1L << 20, 1L << 40);
    }

    /** Refuses what waits and what comes, and stops the leaders. */
    public CompletableFuture<Void> stop() {
        mirror.close();
        List<Range> stopping;
        synchronized (this) {
            closed = true;
            stopping = all();
        }
        return CompletableFuture.allOf(stopping.stream().map(Range::stop).toArray(CompletableFuture[]::new));
    }

    /** Closes groups and databases; blocks. After {@link #stop}. */
    public void close() {
        List<CompletableFuture<Void>> underWay;
        synchronized (this) {
            underWay = slots.starts();
            awaitDeleted();
        }
        underWay.forEach(CompletableFuture::join);
        all().forEach(Range::close);
    }

    /** Waits for replicas that are being deleted: they use the log, which is closed next. With the lock held. */
    private void awaitDeleted() {
        boolean interrupted = false;
        while (slots.has(Phase.LEAVING) || slots.has(Phase.BURYING)) {
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
}
