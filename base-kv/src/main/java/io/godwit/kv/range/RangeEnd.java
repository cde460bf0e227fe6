package io.godwit.kv.range;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.RangeReports;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.leader.LeaderRole;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.request.RangeRequests;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.event.LeadershipEndCause;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a replica: after a fault, when something it depends on has failed, or in order. The first end counts, and is
 * carried out on the range executor. Owns the fault after which the replica has stopped. Any thread may call it.
 *
 * @param <R> the type of a range
 */
final class RangeEnd<R extends Sibling> {
    private static final Logger LOG = LoggerFactory.getLogger(RangeEnd.class);

    private final R range;
    private final RangeFamily<R> family;
    private final RangeDb db;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final LeaderRole role;
    private final RangeRequests requests;
    private final CompletableFuture<Void> ready;

    /** Written on the range executor. */
    private volatile String stoppedBy = "";

    /**
     * Connects the parts that end with the replica.
     *
     * @param faults told once, on any thread, when the range has stopped after a fault
     * @param ready fails if the replica ends before it serves
     */
    RangeEnd(
            R range,
            RangeFamily<R> family,
            RangeDb db,
            RangeEnvironment environment,
            FaultHandler faults,
            LeaderRole role,
            RangeRequests requests,
            CompletableFuture<Void> ready) {
        this.range = range;
        this.family = family;
        this.db = db;
        this.environment = environment;
        this.faults = faults;
        this.role = role;
        this.requests = requests;
        this.ready = ready;
    }

    /** See {@link Range#stoppedBy}. */
    String stoppedBy() {
        return stoppedBy;
    }

    /** See {@link Range#fault}. */
    void fault(String what, Throwable cause) {
        boolean isPassing = db.wasShortOfFiles(cause);
        range.execute(() -> {
            if (!range.hasEnded()) {
                String then = isPassing ? ", opened again when there are file descriptors" : "";
                LOG.error("range stopped{} range={} fault={}", then, range.groupId(), what, cause);
                end(new RangeException(Cause.STORE_FAILED, what + ": " + cause.getMessage() + then));
                leaveToOthers();
                faults.onFault("range " + range.groupId() + ": " + what, cause);
                if (isPassing) {
                    family.recover(range);
                }
            }
        });
    }

    /** See {@link Range#fail}. */
    void fail(String why) {
        range.execute(() -> {
            end(new RangeException(Cause.STORE_FAILED, why));
            leaveToOthers();
        });
    }

    /** Refuses waiting and new requests with {@code cause}. Completes when the leader has been stopped. */
    CompletableFuture<Void> stop(RangeException cause) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        range.execute(() -> {
            try {
                end(cause);
            } finally {
                stopped.complete(null);
            }
        });
        return stopped;
    }

    /** Ends everything permanently; later requests are refused with the same cause. */
    private void end(RangeException cause) {
        if (range.hasEnded()) {
            return;
        }
        boolean failed = cause.reason() == Cause.STORE_FAILED;
        stoppedBy = failed ? String.valueOf(cause.getMessage()) : "";
        long term = role.term();
        // sealed mutations may still be applied, which CLOSED would deny
        role.end(failed ? cause : new RangeException(Cause.TIMEOUT, "closed before the entry was applied"), cause);
        requests.refuseAll(cause);
        ready.completeExceptionally(cause);
        RangeReports reports = environment.reports();
        if (term != 0) {
            reports.leadsNoMore(family.store(), db.state().id(), term, endOfLeadership(cause));
        }
        if (failed) {
            reports.stopped(family.store(), db.state().id(), cause.detail());
        }
    }

    private LeadershipEndCause endOfLeadership(RangeException cause) {
        if (cause.reason() == Cause.STORE_FAILED) {
            return LeadershipEndCause.FAILED;
        } else if (range.routed().phase() instanceof RangeState.Retired) {
            return LeadershipEndCause.MERGED;
        }
        return cause.reason() == Cause.MOVED ? LeadershipEndCause.REPLICA_REMOVED : LeadershipEndCause.STOPPED;
    }

    /**
     * If there are other voters, stops the group so that one of them leads: a replica that does not serve must not stay
     * leader.
     */
    private void leaveToOthers() {
        RaftGroup started = range.group();
        if (started != null && db.state().hasOtherVoters()) {
            environment.io().execute(started::close);
        }
    }
}
