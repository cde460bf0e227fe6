package io.godwit.kv.store;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.store.ReplicaSlots.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes replicas from the list and deletes their files: those that the node gives up, and those whose range has ended.
 * Owns the phases after {@code OPEN}; the files are deleted on threads that may block, without the lock of the list.
 */
final class ReplicaRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaRemoval.class);
    private static final long RETIRE_AFTER_MILLIS = 5_000;

    private final ReplicaSlots<Range> slots;
    private final StoreFiles files;
    private final RangeEnvironment environment;
    private final Runnable reroute;
    private final Runnable changed;

    /**
     * Removes replicas of one store.
     *
     * @param reroute routes requests to the replicas in the list; called with its lock held
     * @param changed told, without the lock, when a replica has left
     */
    ReplicaRemoval(
            ReplicaSlots<Range> slots,
            StoreFiles files,
            RangeEnvironment environment,
            Runnable reroute,
            Runnable changed) {
        this.slots = slots;
        this.files = files;
        this.environment = environment;
        this.reroute = reroute;
        this.changed = changed;
    }

    /** See {@link StoreRanges#leave}. */
    CompletableFuture<Void> leave(long id, long epoch) {
        Range range;
        RangeDescriptor descriptor;
        synchronized (slots) {
            ReplicaSlots.Slot<Range> slot = slots.here(id);
            // one that is being started is removed at the next request
            if (slots.isClosed() || slot == null || slot.hasEnded() || slot.isStarting()) {
                return CompletableFuture.completedFuture(null);
            }
            range = slot.replica();
            descriptor = slot.descriptor();
            files.deregister(descriptor, epoch, faultOf(slot));
            slots.become(id, Phase.LEAVING);
            reroute.run();
        }
        CompletableFuture<Void> stopped = range == null ? CompletableFuture.completedFuture(null) : range.retire();
        return stopped.thenRunAsync(() -> erase(range, descriptor), environment.apart())
                .whenComplete((done, failure) -> left(id)); // also if there is no thread to erase it
    }

    /** Why a replica does not run; empty if it runs. */
    static String faultOf(ReplicaSlots.Slot<Range> slot) {
        Range range = slot.replica();
        return range != null ? range.stoppedBy() : slot.fault();
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
        synchronized (slots) {
            slots.remove(id);
            slots.notifyAll();
        }
        changed.run();
    }

    /** See {@link StoreRanges#retire}. Delayed, so that the group's other members learn of the last entry. */
    void retire(Range range) {
        synchronized (slots) {
            ReplicaSlots.Slot<Range> slot = slots.slot(range.id());
            if (slots.isClosed() || slot == null || slot.phase() != Phase.OPEN) {
                return;
            }
            slots.become(range.id(), Phase.RETIRING);
        }
        range.later(RETIRE_AFTER_MILLIS, () -> beginBurial(range));
    }

    private void beginBurial(Range range) {
        RangeDescriptor descriptor;
        synchronized (slots) {
            ReplicaSlots.Slot<Range> slot = slots.slot(range.id());
            if (slots.isClosed() || slot == null) {
                return; // the next start of the node completes it
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
        synchronized (slots) {
            if (failure == null) {
                slots.remove(range.id());
            } else {
                slots.become(range.id(), Phase.UNDELETED);
            }
            slots.notifyAll();
        }
    }

    /** Waits for replicas that are being deleted: they use the log, which is closed next. With the lock held. */
    void awaitDeleted() {
        boolean interrupted = false;
        while (slots.has(Phase.LEAVING) || slots.has(Phase.BURYING)) {
            try {
                slots.wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
