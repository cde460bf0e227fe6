package io.godwit.kv.range.apply;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.raft.snapshot.SnapshotSeal;
import io.godwit.kv.range.data.BufferedWrites;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.SnapshotFiles;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeEntry;
import io.godwit.kv.range.state.RangeState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies committed entries. Everything committed at the time of a call goes into the database in one batch, or in a
 * few if it is much. Effects run and replies are sent only after that, so nobody learns of a write that is not in the
 * database.
 *
 * <p>After a crash, entries since the last snapshot are applied again: those up to the applied index are skipped. For
 * the same reason a snapshot may be newer than the index in its name, and is taken on an I/O thread while entries are
 * being applied.
 *
 * <p>If an entry cannot be applied, its batch is dropped, the fault handler is told and nothing more is applied.
 */
public final class RangeStateMachine extends StateMachineAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(RangeStateMachine.class);
    private static final int MAX_BATCH_BYTES = 4 << 20;

    /** Receives the events of the state machine, on the apply thread. */
    public interface Listener {
        void applied(List<AppliedEntry> entries);

        /** The state of the range has changed, or a command did not fit the state. */
        void changed(Changed change);

        /** {@code keys} keys were written, {@code sample} is one of them. */
        void wrote(byte[] sample, int keys, long nanos);

        void leads(long term);

        /** @param isUnheard whether the leadership ended because no majority was heard for an election timeout */
        void leadsNoMore(boolean isUnheard);

        /**
         * A split that this replica's leader proposed is committed and is about to be applied, which takes some time.
         */
        void splits();

        /** Creates the replica of a split's right part, before the split is applied; {@link #changed} follows. */
        void bears(RangeState child) throws IOException;

        /** The log grew by this number of bytes. */
        void logGrew(long bytes);
    }

    /**
     * The outcome of a command.
     *
     * @param command null if the state came with a snapshot
     * @param state the present state
     * @param own the closure of the command, if this replica's leader proposed it
     * @param isApplied false if the command did not fit the state
     */
    public record Changed(
            @Nullable RangeCommand command,
            RangeState state,
            @Nullable CommandClosure own,
            boolean isApplied) {}

    /** An entry of this node's leader, with its replies. */
    public record AppliedEntry(SealedEntry entry, List<byte[]> replies) {}

    /** The closure that the leader passes to the log with an entry. */
    public interface EntryClosure extends Closure {
        SealedEntry entry();
    }

    /** The closure that the leader passes to the log with a command. */
    public interface CommandClosure extends Closure {}

    private final String groupId;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final Listener listener;
    private final FaultHandler faults;
    private final Executor io;

    private final BufferedWrites writes;
    private final List<Runnable> effects = new ArrayList<>();
    private List<AppliedEntry> applied = new ArrayList<>();
    private long batchIndex;
    private boolean stopped;
    /** Read by the thread that starts the group, which waits for the apply thread to load. */
    private volatile @Nullable IOException loadFailure;

    public RangeStateMachine(
            String groupId,
            RangeDb db,
            RangeCoprocessor coprocessor,
            Listener listener,
            FaultHandler faults,
            Executor io) {
        this.groupId = groupId;
        this.db = db;
        this.coprocessor = coprocessor;
        this.listener = listener;
        this.faults = faults;
        this.io = io;
        this.writes = db.newWrites();
        this.batchIndex = db.appliedIndex();
    }

    @Override
    public void onApply(Iterator entries) {
        long bytes = 0;
        try {
            if (stopped) {
                throw new IllegalStateException("stopped by an earlier fault");
            }
            while (entries.hasNext()) {
                long index = entries.getIndex();
                bytes += entries.getData().remaining();
                if (index > batchIndex) {
                    if (RangeEntry.isMutations(entries.getData())) {
                        apply(index, entries);
                    } else {
                        applyCommand(index, entries);
                    }
                    if (writes.sizeBytes() >= MAX_BATCH_BYTES) {
                        commit();
                    }
                }
                entries.next();
            }
            commit();
        } catch (Exception
                | Error e) { // outermost frame of an apply: errors of coprocessors and the database, no memory
            // JRaft would ignore an error and repeat the same entries, half of which count as applied
            stop("apply entry", e);
            entries.setErrorAndRollback(1, new Status(RaftError.ESTATEMACHINE, "apply failed: %s", e));
            return;
        }
        listener.logGrew(bytes);
    }

    private void apply(long index, Iterator entries) {
        // the leader still has the mutations; other replicas decode them
        EntryClosure own = entries.done() instanceof EntryClosure closure ? closure : null;
        List<byte[]> mutations = own != null ? own.entry().mutations() : RangeEntry.decode(entries.getData());
        List<byte[]> replies = coprocessor.apply(writes, mutations, effects::add);
        if (replies.size() != mutations.size()) {
            throw new IllegalStateException(mutations.size() + " mutations got " + replies.size() + " replies");
        }
        batchIndex = index;
        if (own != null) {
            applied.add(new AppliedEntry(own.entry(), replies));
        }
    }

    /** Commits earlier entries first, because they belong to the state before the command. */
    private void applyCommand(long index, Iterator entries) throws RocksDBException, IOException {
        commit();
        CommandClosure own = entries.done() instanceof CommandClosure closure ? closure : null;
        RangeCommand command = RangeCommand.decode(entries.getData());
        RangeState before = db.state();
        Step step = command.accept(new Applier(before));
        RangeState next = step.next();
        batchIndex = index;
        if (next == null) {
            db.commit(writes, index);
            LOG.info("range command for another state group={} state={} kind={}", groupId, before, command.getClass());
            listener.changed(new Changed(command, before, own, false));
            return;
        }
        if (step.child() != null) {
            if (own != null) {
                listener.splits();
            }
            listener.bears(step.child());
        }
        step.copied().forEach(entry -> writes.put(entry.key(), entry.value()));
        if (step.isTrimmed()) {
            writes.deleteOutside(next.bounds());
        }
        db.commit(writes, index, next);
        if (command instanceof RangeCommand.Join) {
            db.flush(); // otherwise the next start would find the keys in no range until it has replayed this
        }
        if (!next.bounds().equals(before.bounds())) {
            coprocessor.epochIs(next.epoch());
            coprocessor.boundsChanged(before.bounds(), next.bounds(), db.latest());
        }
        if (!(command instanceof RangeCommand.Copy)) {
            LOG.info("range changed group={} from={} to={}", groupId, before, next);
        }
        listener.changed(new Changed(command, next, own, true));
    }

    /**
     * The effect of a command on a state.
     *
     * @param next the next state; null if the command does not fit
     * @param child the state of a split's right part
     * @param copied entries to write
     * @param isTrimmed whether keys outside the bounds are deleted
     */
    private record Step(
            @Nullable RangeState next, @Nullable RangeState child, List<RangeCommand.Entry> copied, boolean isTrimmed) {
        static Step to(Optional<RangeState> next) {
            return new Step(next.orElse(null), null, List.of(), false);
        }

        static Step trimmed(Optional<RangeState> next) {
            return new Step(next.orElse(null), null, List.of(), true);
        }
    }

    /** Computes the effect of each command on the state. */
    private record Applier(RangeState state) implements RangeCommand.Visitor<Step> {
        @Override
        public Step split(RangeCommand.Split command) {
            RangeState next = state.apply(command).orElse(null);
            return new Step(next, next == null ? null : state.child(command), List.of(), true);
        }

        @Override
        public Step replicas(RangeCommand.Replicas command) {
            return Step.to(state.apply(command));
        }

        @Override
        public Step absorb(RangeCommand.Absorb command) {
            return Step.trimmed(state.apply(command));
        }

        @Override
        public Step copy(RangeCommand.Copy command) {
            return new Step(state.apply(command).orElse(null), null, command.entries(), false);
        }

        @Override
        public Step join(RangeCommand.Join command) {
            return Step.to(state.apply(command));
        }

        @Override
        public Step refrain(RangeCommand.Refrain command) {
            return Step.trimmed(state.apply(command));
        }

        @Override
        public Step yieldTo(RangeCommand.Yield command) {
            return Step.to(state.apply(command));
        }

        @Override
        public Step resume(RangeCommand.Resume command) {
            return Step.to(state.apply(command));
        }

        @Override
        public Step forget(RangeCommand.Forget command) {
            return Step.to(state.apply(command));
        }

        @Override
        public Step retire(RangeCommand.Retire command) {
            return Step.to(state.apply(command));
        }
    }

    private void commit() throws RocksDBException {
        if (batchIndex == db.appliedIndex()) {
            return;
        }
        byte @Nullable [] sample = writes.sample();
        int keys = writes.count();
        long begun = System.nanoTime();
        db.commit(writes, batchIndex);
        if (sample != null) {
            listener.wrote(sample, keys, System.nanoTime() - begun);
        }
        for (Runnable effect : effects) {
            effect.run();
        }
        effects.clear();
        if (!applied.isEmpty()) {
            List<AppliedEntry> done = applied;
            applied = new ArrayList<>();
            listener.applied(done);
        }
    }

    private void stop(String what, Throwable cause) {
        if (!stopped) {
            stopped = true;
            writes.clear();
            effects.clear();
            applied.clear();
            faults.onFault(what + " group=" + groupId + " appliedIndex=" + db.appliedIndex(), cause);
        }
    }

    @Override
    public void onSnapshotSave(SnapshotWriter writer, Closure done) {
        SnapshotMeta meta = writer.getCurrentMeta();
        try {
            // configuration entries count in the log but are not applied here
            if (!stopped && meta.getLastIncludedIndex() > db.appliedIndex()) {
                db.commit(writes, meta.getLastIncludedIndex());
                batchIndex = meta.getLastIncludedIndex();
            }
        } catch (RocksDBException e) {
            stop("write applied index", e);
        }
        if (stopped) {
            done.run(new Status(RaftError.ESTATEMACHINE, "stopped by an earlier fault"));
            return;
        }
        io.execute(() -> done.run(save(writer, meta)));
    }

    private Status save(SnapshotWriter writer, SnapshotMeta meta) {
        Path target = Path.of(writer.getPath(), SnapshotFiles.DATABASE);
        if (!writer.isOk()) {
            LOG.warn("snapshot not begun group={} cause={}", groupId, writer.getErrorMsg());
            return new Status(RaftError.EINTERNAL, "snapshot not begun: %s", writer.getErrorMsg());
        }
        try {
            db.checkpoint(target);
            SnapshotFiles.in(target).forEach(writer::addFile);
            SnapshotSeal.complete(writer, meta);
            return Status.OK();
        } catch (IOException e) {
            LOG.warn("snapshot failed group={} cause={}", groupId, e.toString());
            // not EIO, which would stop the group: the log is complete, and the next snapshot may succeed
            return new Status(RaftError.EINTERNAL, "snapshot failed: %s", e);
        }
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        SnapshotMeta meta = reader.load();
        if (db.appliedIndex() >= meta.getLastIncludedIndex()) {
            return true; // the database is as new; the snapshot was taken from it
        }
        try {
            LOG.info(
                    "state taken from snapshot group={} appliedIndex={} snapshotIndex={}",
                    groupId,
                    db.appliedIndex(),
                    meta.getLastIncludedIndex());
            db.replaceWith(Path.of(reader.getPath(), SnapshotFiles.DATABASE));
            writes.clear();
            batchIndex = db.appliedIndex();
            coprocessor.epochIs(db.state().epoch());
            coprocessor.open(db.state().bounds(), db.latest());
            listener.changed(new Changed(null, db.state(), null, true));
            return true;
        } catch (IOException e) {
            loadFailure = e;
            stop("load snapshot", e);
            return false;
        } catch (RuntimeException | Error e) { // errors of coprocessors, no memory
            stop("load snapshot", e);
            return false;
        }
    }

    /**
     * Why a snapshot could not be loaded; null if none failed. JRaft tells the thread that starts the group only that
     * one failed.
     */
    @Nullable
    public IOException loadFailure() {
        return loadFailure;
    }

    @Override
    public void onLeaderStart(long term) {
        if (!stopped) {
            listener.leads(term);
        }
    }

    @Override
    public void onLeaderStop(Status status) {
        listener.leadsNoMore(status.getRaftError() == RaftError.ERAFTTIMEDOUT);
    }

    @Override
    public void onError(RaftException error) {
        stop("raft group", error);
    }
}
