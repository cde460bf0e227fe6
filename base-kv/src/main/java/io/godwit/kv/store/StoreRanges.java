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
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a store's ranges on this node, which come and go. The lock of their list is taken briefly by the
 * thread that opens and closes the node, by apply threads whose ranges are split, and by range executors, because no
 * single thread owns all ranges.
 */
public final class StoreRanges implements RangeFamily<Range> {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRanges.class);
    private static final long FIRST_RECOVERY_MILLIS = 500;
    private static final long MAX_RECOVERY_MILLIS = 10_000;

    private final StoreSpec spec;
    private final StoreFiles files;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final RangeRouter router;
    private final RangeMirror mirror;

    /** Its monitor is the lock. Read without it, because it is held while files are made. */
    private final ReplicaSlots<Range> slots = new ReplicaSlots<>();

    private final ReplicaRemoval removal;
    private final Rebirth rebirth;

    /**
     * Ranges whose replicas a split is making. It makes them without holding the lock; without this note {@link #join}
     * could delete their files meanwhile.
     */
    private final Set<Long> inBirth = new HashSet<>();

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
        this.mirror = new RangeMirror(spec.name(), slots::unordered, environment);
        this.removal = new ReplicaRemoval(slots, files, environment, () -> router.route(all()), () -> onChange.run());
        this.rebirth = new Rebirth(slots, files, this::replica, this::opened);
    }

    /**
     * Opens the databases of all registered ranges; starts none. A damaged one stays closed if other voters have its
     * data.
     *
     * @throws io.godwit.kv.disk.DamagedDataException naming what is missing or damaged
     */
    public void open() throws IOException {
        synchronized (slots) {
            openLocked();
        }
    }

    /** With the lock held. */
    private void openLocked() throws IOException {
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
            LOG.error("range not opened, other voters have it range={} voters={}", descriptor.groupId(), voters, e);
            String fault = String.valueOf(e.getMessage());
            slots.damaged(descriptor, voters, fault);
            environment.reports().stopped(spec.name(), descriptor.id(), fault);
            return null;
        }
    }

    private Range replica(RangeDescriptor descriptor, RangeDb db) {
        return new Range(
                descriptor.groupId(), this, router, db, spec.coprocessors().get(), environment, faults);
    }

    /**
     * Starts the opened ranges. A range that cannot start is stopped if other voters have its data.
     *
     * @throws DamagedDataException naming what is damaged, if this node is the only voter
     */
    public void start() throws IOException {
        for (ReplicaSlots.Slot<Range> slot : slots.here()) {
            Range range = slot.replica();
            if (range != null) {
                start(range, slot.descriptor());
            }
        }
    }

    /** Does nothing if a split that is being replayed has replaced the replica meanwhile, and starts the new one. */
    private void start(Range range, RangeDescriptor descriptor) throws IOException {
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (slots) {
            ReplicaSlots.Slot<Range> slot = slots.here(range.id());
            if (slot == null || !isIdle(slot, range)) {
                return;
            }
            slots.startBegins(range.id(), started);
        }
        try {
            range.start(files.snapshotsOf(descriptor), descriptor.firstVoters());
        } catch (DamagedDataException e) {
            if (!files.isElsewhere(range.state().members().voters())) {
                throw e;
            }
            notStarted(range, e);
        } finally {
            synchronized (slots) {
                slots.startEnds(range.id());
            }
            started.complete(null);
        }
    }

    /** The replicas that were damaged at the start. */
    public Collection<Unopened> unopened() {
        return slots.here().stream()
                .filter(slot -> slot.phase() == Phase.DAMAGED)
                .map(slot -> new Unopened(slot.descriptor(), slot.voters(), slot.fault()))
                .toList();
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
        ReplicaSlots.Slot<Range> slot = slots.here(id);
        return slot == null ? "" : ReplicaRemoval.faultOf(slot);
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

    /** The ranges that requests may be for, in no order; does not wait for one that is being made. */
    public Collection<Range> known() {
        return slots.unordered();
    }

    @Override
    public @Nullable Range leftOf(byte[] key) {
        for (Range range : known()) {
            RangeState state = range.state();
            byte @Nullable [] end = state.bounds().end();
            boolean begins = Arrays.compareUnsigned(state.bounds().start(), key) < 0;
            boolean reaches = end == null || Arrays.compareUnsigned(end, key) >= 0;
            boolean runs = range.stoppedBy().isEmpty() && !(state.phase() instanceof RangeState.Retired);
            if (begins && reaches && runs) {
                return range;
            }
        }
        return null;
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
     * @throws IOException if the store is closing, the range has ended, a split is making the replica, or the files
     *     cannot be made
     */
    public void join(RangeDescriptor descriptor) throws IOException {
        Range range;
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (slots) {
            if (slots.isClosed()) {
                throw new IOException("store " + spec.name() + " is closing");
            }
            ReplicaSlots.Slot<Range> slot = slots.slot(descriptor.id());
            if (slot != null && (slot.isHere() || slot.phase() == Phase.LEAVING)) {
                return;
            }
            // the asker does not know yet that the range has ended; its files may be being deleted now
            if (slot != null || files.hasEnded(descriptor.groupId())) {
                throw new IOException("range " + descriptor.groupId() + " has ended");
            }
            if (inBirth.contains(descriptor.id())) {
                throw new IOException("range " + descriptor.groupId() + " is being made by a split here");
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
     * Removes a replica and deletes it, or keeps its files if it has stopped after a fault; does nothing if there is
     * none. Blocks briefly. See {@link io.godwit.kv.peers.Replicas}.
     *
     * @return completes when that is done, on a thread that may block; fails with {@link UncheckedIOException} if files
     *     are left, which the next start deletes
     */
    public CompletableFuture<Void> leave(long id, long epoch) {
        return removal.leave(id, epoch);
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

    /** A snapshot of the present ranges, in the order in which they were added. */
    public List<Range> all() {
        return slots.replicas();
    }

    /** The replica of a range on this node; null if there is none. */
    @Override
    public @Nullable Range find(long id) {
        return slots.find(id);
    }

    @Override
    public @Nullable Range bear(RangeState child, RangeDb parent) throws IOException {
        RangeDescriptor descriptor = RangeDescriptor.of(spec.name(), child);
        boolean isOurs = child.members().voters().contains(files.storeId())
                || child.members().learners().contains(files.storeId());
        if (!isOurs) {
            return null;
        }
        if (!birthBegins(descriptor)) { // this node has or had a replica
            return rebirth.bearAgain(child, parent);
        }
        try {
            Range range = replica(descriptor, files.bear(descriptor, child, parent));
            range.hold(); // before it can be routed to
            synchronized (slots) {
                if (!slots.isClosed()) {
                    slots.open(descriptor, range);
                    return range;
                }
            }
            range.close();
            return null; // it is registered, so the next start of the node opens it
        } finally {
            birthEnds(descriptor);
        }
    }

    /**
     * From here on no replica of the range is made by a request. A split that is applied late may meet such a request,
     * because the members that have applied it call this node. False if there is or was a replica.
     */
    private boolean birthBegins(RangeDescriptor descriptor) {
        synchronized (slots) {
            return !files.knows(descriptor) && !files.hasBuried(descriptor) && inBirth.add(descriptor.id());
        }
    }

    private void birthEnds(RangeDescriptor descriptor) {
        synchronized (slots) {
            inBirth.remove(descriptor.id());
        }
    }

    @Override
    public void rebounded(Range range) {
        synchronized (slots) {
            router.route(all());
        }
    }

    @Override
    public SplitHinter newHinter() {
        return spec.hinters().get();
    }

    @Override
    public void start(Range child) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        synchronized (slots) {
            if (slots.isClosed() || slots.here(child.id()) == null) {
                return; // the next start of the node opens it; or it was removed meanwhile
            }
            slots.startBegins(child.id(), started);
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
            synchronized (slots) {
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
        synchronized (slots) {
            ReplicaSlots.Slot<Range> slot = slots.here(stopped.id());
            if (slots.isClosed() || slot == null || !isIdle(slot, stopped)) {
                return; // removed or replaced meanwhile
            }
            descriptor = slot.descriptor();
            slots.startBegins(stopped.id(), started);
        }
        Range range = reopen(stopped, descriptor, waited);
        if (range == null) {
            synchronized (slots) {
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
    private static boolean isIdle(ReplicaSlots.Slot<Range> slot, Range stopped) {
        return slot.phase() == Phase.OPEN && slot.replica() == stopped && !slot.isStarting();
    }

    /** A blank replica that a split did not replace after all was opened again. */
    private void opened(Range range) {
        synchronized (slots) {
            router.route(all());
        }
        start(range);
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
            synchronized (slots) {
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

    @Override
    public void retire(Range range) {
        removal.retire(range);
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
        synchronized (slots) {
            slots.close();
            stopping = all();
        }
        return CompletableFuture.allOf(stopping.stream().map(Range::stop).toArray(CompletableFuture[]::new));
    }

    /** Closes groups and databases; blocks. Call it after {@link #stop}. */
    public void close() {
        List<CompletableFuture<Void>> underWay;
        synchronized (slots) {
            underWay = slots.starts();
            removal.awaitDeleted();
        }
        underWay.forEach(CompletableFuture::join);
        all().forEach(Range::close);
    }
}
