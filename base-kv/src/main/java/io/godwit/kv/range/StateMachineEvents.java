package io.godwit.kv.range;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.apply.RangeStateMachine;
import io.godwit.kv.range.apply.SnapshotTrigger;
import io.godwit.kv.range.change.RangeChanges;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderLoad;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.request.RangeRequests;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.event.LeadershipEndCause;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the events of the state machine on the apply thread and handles them on the range executor: applied entries
 * go to the leadership, terms to the {@link LeaderRole}, and changes of the range's state to all parts concerned. Owns
 * the state that requests are routed by, which follows that of the database.
 *
 * @param <R> the type of a range
 */
final class StateMachineEvents<R extends Sibling> implements RangeStateMachine.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(StateMachineEvents.class);
    private static final long RECLAIM_AFTER_MILLIS = 10_000;

    private final R range;
    private final RangeFamily<R> family;
    private final RangeDb db;
    private final RangeEnvironment environment;
    private final LeaderLoad load;
    private final LeaderRole role;
    private final RangeChanges changes;
    private final RangeRequests requests;
    /** Used by the apply thread. */
    private final SnapshotTrigger snapshots;
    /** The right part of the split that is being applied; used by the apply thread. */
    private @Nullable R born;

    /** Written on the range executor; read by any thread for routing. */
    private volatile RangeState served;

    private volatile long epochNanos;

    StateMachineEvents(
            R range,
            RangeFamily<R> family,
            RangeDb db,
            RangeEnvironment environment,
            LeaderLoad load,
            LeaderRole role,
            RangeChanges changes,
            RangeRequests requests) {
        this.range = range;
        this.family = family;
        this.db = db;
        this.environment = environment;
        this.load = load;
        this.role = role;
        this.changes = changes;
        this.requests = requests;
        this.snapshots =
                new SnapshotTrigger(range.groupId(), environment.settings().snapshotLogBytes(), environment.io());
        this.served = db.state();
        this.epochNanos = environment.nanoTime();
    }

    /** The state that requests are routed by; the database may be ahead. Any thread. */
    RangeState routed() {
        return served;
    }

    /** Time since the epoch last changed, as far as this replica knows. Any thread. */
    long stableMillis() {
        return TimeUnit.NANOSECONDS.toMillis(environment.nanoTime() - epochNanos);
    }

    @Override
    public void applied(List<RangeStateMachine.AppliedEntry> entries) {
        range.execute(() -> {
            Leadership current = role.leadership();
            if (current != null) { // the next leadership's batcher ignores entries of an ended one
                entries.forEach(entry -> current.applied(entry.entry(), entry.replies()));
            }
        });
    }

    @Override
    public void bears(RangeState child) throws IOException {
        born = family.bear(child, db);
    }

    @Override
    public void changed(RangeStateMachine.Changed what) {
        R child = born;
        born = null;
        range.execute(() -> {
            RangeState before = served;
            if (what.isApplied()) {
                served = what.state();
                rebound(what, child);
                if (role.isLeader() || what.own() != null) { // so only one of the replicas reports it
                    report(what.command(), before);
                }
            }
            changes.applied(what);
            changes.noteMembers();
            RaftGroup started = range.group();
            if (served.isLeaving() && role.leadership() != null && !changes.isUnderWay()) {
                // a command that had been given up was applied after all
                role.silence(
                        new RangeException(Cause.TIMEOUT, "leadership ended"),
                        new RangeException(Cause.MOVED, "the range is being merged"));
                range.checkLeaving();
            }
            if (before.isLeaving()
                    && !served.isLeaving()
                    && role.isLeader()
                    && started != null
                    && role.leadership() == null) {
                role.lead(started); // the range serves again
            }
            if (!served.bounds().equals(before.bounds())) {
                requests.goOn(); // a replica that does not lead also has requests, which wait for a leader
            }
            if (child != null) {
                // after all requests that came here for the child's keys by the old routing and are forwarded
                requests.cedePart(child.requests());
            }
        });
    }

    private void report(@Nullable RangeCommand command, RangeState before) {
        RangeReports reports = environment.reports();
        if (command instanceof RangeCommand.Split split) {
            reports.split(family.store(), served.id(), split.childId(), served.epoch());
        } else if (command instanceof RangeCommand.Join join) {
            reports.merged(family.store(), served.id(), join.rightId(), served.epoch());
        } else if (command instanceof RangeCommand.Replicas && !served.members().isSameAs(before.members())) {
            RaftGroup.Membership now = served.members();
            reports.replicasChanged(family.store(), served.id(), served.epoch(), now.voters(), now.learners());
        }
    }

    private void rebound(RangeStateMachine.Changed what, @Nullable R child) {
        R right = what.command() instanceof RangeCommand.Join join ? family.find(join.rightId()) : null;
        if (right != null) {
            requests.hold();
        }
        epochNanos = environment.nanoTime();
        family.rebounded(range);
        family.roleChanged(range);
        if (child != null) {
            if (role.leadership() != null) {
                child.standFirst();
            }
            family.start(child);
            reclaimLater();
            child.reclaimLater();
        }
        if (right != null) {
            right.requests().cede(requests);
        }
        if (served.phase() instanceof RangeState.Retired) {
            family.retire(range);
        }
    }

    /**
     * Reclaims space some time after a change, one range of the node after the other, and then takes a snapshot,
     * because the previous one has links to the freed files. Any thread.
     */
    void reclaimLater() {
        range.later(
                RECLAIM_AFTER_MILLIS,
                () -> environment.housekeeping().execute(() -> {
                    db.reclaim();
                    RaftGroup started = range.group();
                    if (started != null) {
                        started.snapshot(
                                status -> LOG.info("space reclaimed range={} snapshot={}", range.groupId(), status));
                    }
                }));
    }

    /**
     * Makes the other replicas create the right part now. Until they have, it has no leader, and nobody writes to the
     * left part, which would tell them of the commit.
     */
    @Override
    public void splits() {
        RaftGroup started = range.group();
        if (started != null) {
            started.announceCommit();
        }
    }

    @Override
    public void leads(long term) {
        range.execute(() -> {
            role.elected(term);
            if (role.isLeader()) { // not if it has stopped meanwhile
                environment.reports().leads(family.store(), served.id(), served.epoch(), term);
            }
            RaftGroup started = range.group();
            if (started != null) { // otherwise start continues from here
                role.lead(started);
            }
        });
    }

    @Override
    public void leadsNoMore(boolean isUnheard) {
        RaftGroup started = range.group();
        if (isUnheard && started != null) {
            environment.raft().standAgain(started);
        }
        range.execute(() -> {
            long term = role.term();
            boolean isHandover = changes.isHandover();
            Leadership ending = role.leadership();
            if (ending != null && !isHandover) {
                ending.deposed();
            }
            role.deposed(
                    new RangeException(Cause.TIMEOUT, "leadership ended"),
                    new RangeException(isHandover ? Cause.MOVED : Cause.CLOSED, "leadership ended"));
            if (term != 0) { // else its end was reported when the replica stopped
                LeadershipEndCause otherwise =
                        isUnheard ? LeadershipEndCause.QUORUM_LOST : LeadershipEndCause.SUPERSEDED;
                environment
                        .reports()
                        .leadsNoMore(
                                family.store(),
                                served.id(),
                                term,
                                isHandover ? LeadershipEndCause.HANDED_OVER : otherwise);
            }
        });
    }

    @Override
    public void wrote(byte[] sample, int keys, long nanos) {
        load.onAccess(sample, AccessKind.WRITE, keys, nanos);
    }

    @Override
    public void logGrew(long bytes) {
        RaftGroup started = range.group();
        // without disk space a snapshot fails, and with it the flush that it begins with; after a failed flush RocksDB
        // refuses writes
        boolean hasRoom = environment.disk().get().takes(true);
        snapshots.logGrew(bytes, started == null || !hasRoom ? null : started::snapshot);
    }
}
