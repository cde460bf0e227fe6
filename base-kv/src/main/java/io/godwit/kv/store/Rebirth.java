package io.godwit.kv.store;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.store.ReplicaSlots.Phase;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the right part of a split again, from the left part's data, if this node has only a blank replica of it. The
 * members that had applied the split earlier called this node, which then made an empty replica ({@code Replicas}). An
 * empty replica does not vote, so without this the range might never have a leader (ADR 106).
 *
 * <p>A replica is blank if it was made empty, was never removed here before, and has no entry, no snapshot, no applied
 * index and no vote. A replica that has any of these is never replaced: it may have helped to commit an entry or to
 * elect a leader.
 *
 * <p><b>Votes.</b> A blank replica does not vote, neither in an election nor before one ({@code ServedGroup}). It does
 * not count for the commit of an entry, because it stores none. It may have stored a term that it heard of; the new
 * replica keeps that term. So the new replica is like one that applied the split in time and was not reached since: it
 * gives its first vote of its life, in no term below the one that it knew.
 *
 * <p>Steps of {@link #bearAgain}, on the apply thread of the left part, and what a crash leaves:
 *
 * <ol>
 *   <li>The slot is marked as starting: nobody removes, starts or opens the replica meanwhile. Only in memory.
 *   <li>The group is stopped and the database is closed; from here on nothing can come. A crash leaves the blank
 *       replica, which the next start opens; then the left part's log is replayed and the split finds it again.
 *   <li>Whether it is blank is decided now. If it is not, it is opened again as it is, and the split only cuts.
 *   <li>The register loses the descriptor, in one synced write. From here on the node has no replica; a crash leaves
 *       files that nobody opens and a log without entries and vote. The split is replayed, because the left part's
 *       database is still the one before the split, and makes the right part as if there had never been a replica.
 *   <li>The files and the log are made as for any right part ({@code Split}, steps 2 to 4). A crash leaves the same.
 *   <li>The register gets the descriptor again: from here on the node has the replica with the data. A crash after
 *       this, and before the left part is cut, replays the split, which finds a replica that is not blank.
 * </ol>
 *
 * <p>If the crash comes after step 4 and the left part goes on from a later snapshot, so that the split is not
 * replayed, the group calls this node, which makes an empty replica again.
 */
final class Rebirth {
    private static final Logger LOG = LoggerFactory.getLogger(Rebirth.class);

    private final ReplicaSlots<Range> slots;
    private final StoreFiles files;
    private final BiFunction<RangeDescriptor, RangeDb, Range> replicas;
    private final Consumer<Range> openedAgain;

    /**
     * Replaces replicas of one store.
     *
     * @param replicas makes a replica with an open database
     * @param openedAgain told, without the lock, of a replica that was stopped and is not replaced; starts it
     */
    Rebirth(
            ReplicaSlots<Range> slots,
            StoreFiles files,
            BiFunction<RangeDescriptor, RangeDb, Range> replicas,
            Consumer<Range> openedAgain) {
        this.slots = slots;
        this.files = files;
        this.replicas = replicas;
        this.openedAgain = openedAgain;
    }

    /**
     * Replaces the replica of {@code child} if it is blank. Blocks; see above.
     *
     * @return the new replica, like {@link io.godwit.kv.range.RangeFamily#bear}; null if none was made
     */
    @Nullable
    Range bearAgain(RangeState child, RangeDb parent) throws IOException {
        CompletableFuture<Void> marked = new CompletableFuture<>();
        ReplicaSlots.Slot<Range> slot = begin(child.id(), marked);
        Range before = slot == null ? null : slot.replica();
        if (slot == null || before == null) {
            return null;
        }
        Range kept = null;
        try {
            before.close();
            if (before.hasAppliedNothing() && files.isBlank(slot.descriptor())) {
                LOG.info("blank replica is made again by a split range={}", before.groupId());
                before.retire();
                return replace(slot.descriptor(), child, parent);
            }
            kept = openAgain(slot.descriptor(), before);
            return null;
        } finally {
            synchronized (slots) {
                slots.startEnds(child.id());
            }
            marked.complete(null);
            if (kept != null) {
                openedAgain.accept(kept);
            }
        }
    }

    /** The slot of a replica that looks blank and runs or could run, marked; null if there is none. */
    private ReplicaSlots.@Nullable Slot<Range> begin(long id, CompletableFuture<Void> marked) throws IOException {
        while (true) {
            CompletableFuture<Void> starting;
            synchronized (slots) {
                ReplicaSlots.Slot<Range> slot = slots.slot(id);
                Range replica = slot == null ? null : slot.replica();
                if (slots.isClosed()
                        || slot == null
                        || replica == null
                        || slot.phase() != Phase.OPEN
                        || !replica.stoppedBy().isEmpty()
                        || replica.lastLogIndex() > 0
                        || !files.isBlank(slot.descriptor())) {
                    return null;
                }
                starting = slot.start();
                if (starting == null) {
                    slots.startBegins(id, marked);
                    return slot;
                }
            }
            starting.join(); // its start does not wait for the left part
        }
    }

    private @Nullable Range replace(RangeDescriptor descriptor, RangeState child, RangeDb parent) throws IOException {
        Range range;
        try {
            range = replicas.apply(descriptor, files.bearAgain(descriptor, child, parent));
        } catch (IOException | RuntimeException e) {
            synchronized (slots) {
                slots.remove(descriptor.id()); // it is not in the register any more
            }
            throw e;
        }
        range.hold(); // before it can be routed to
        synchronized (slots) {
            if (!slots.isClosed()) {
                slots.replace(descriptor.id(), range);
                return range;
            }
        }
        range.close();
        return null; // it is registered, so the next start of the node opens it
    }

    private @Nullable Range openAgain(RangeDescriptor descriptor, Range before) {
        try {
            Range range = replicas.apply(descriptor, files.open(descriptor));
            before.retire();
            synchronized (slots) {
                if (!slots.isClosed()) {
                    slots.replace(descriptor.id(), range);
                    return range;
                }
            }
            range.close();
        } catch (IOException | RuntimeException e) {
            LOG.error("range not opened again range={}", before.groupId(), e);
            before.fail("not opened again: " + e.getMessage());
        }
        return null;
    }
}
