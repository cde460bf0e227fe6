package io.godwit.kv.range;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.disk.FaultHandler;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.Range.Leading;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this replica leads, and its leadership while it does: made when a term begins, ended with it, and made anew
 * when the range's bounds have changed. The one owner of term, leadership and token. Confined to the range executor,
 * but for {@link #leading}.
 */
final class LeaderRole {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderRole.class);

    private final Range range;
    private final RangeFamily family;
    private final RangeRouter routes;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final RangeExecutor executor;
    private final RangeEnvironment environment;
    private final FaultHandler faults;
    private final LeaderLoad load;

    /**
     * Of which this replica is leader; 0 when it is not. Without a leadership while the range is being merged into
     * another.
     */
    private long term;

    private @Nullable Leadership leadership;
    /** Of the leadership that takes requests; written on the range executor, read by any thread. */
    private volatile @Nullable Leading leading;

    private long fence;

    LeaderRole(
            Range range,
            RangeFamily family,
            RangeRouter routes,
            RangeDb db,
            RangeCoprocessor coprocessor,
            RangeExecutor executor,
            RangeEnvironment environment,
            FaultHandler faults,
            LeaderLoad load) {
        this.range = range;
        this.family = family;
        this.routes = routes;
        this.db = db;
        this.coprocessor = coprocessor;
        this.executor = executor;
        this.environment = environment;
        this.faults = faults;
        this.load = load;
    }

    /** Whether Raft has it lead, with a leadership or without. */
    boolean isLeader() {
        return term != 0;
    }

    /** Of which this replica is leader; 0 when it is not. */
    long term() {
        return term;
    }

    void termBegan(long begun) {
        term = begun;
        environment.measures().led(family.store());
    }

    void termEnded() {
        term = 0;
    }

    @Nullable
    Leadership leadership() {
        return leadership;
    }

    /** While it leads and takes requests; null otherwise. Any thread. */
    @Nullable
    Leading leading() {
        return leading;
    }

    /** Nothing new is taken by the leadership from here on. */
    void freeze(Leadership current) {
        leading = null;
        current.freeze();
    }

    /** Begins the leadership of this term, unless the range has ended or serves nothing; then what waits goes on. */
    void lead(RaftGroup started) {
        if (range.hasEnded()) {
            return;
        }
        if (range.routed().isLeaving()) {
            range.ledWithoutServing();
            return;
        }
        RangeState served = range.routed();
        Leadership next = new Leadership(
                family.store(), term, served.bounds(), routes, db, started, executor, environment, faults);
        leadership = next;
        leading = new Leading(new RouteToken(db.state().id(), term, ++fence), served.bounds());
        load.begin();
        next.start(coprocessor);
        LOG.info("range leads range={} term={} appliedIndex={}", range.groupId(), term, db.appliedIndex());
        range.ledAndServing();
    }

    /** Ends the leadership, if there is one, and what it had under way. */
    void end(RangeException sealedCause, RangeException cause) {
        Leadership current = leadership;
        if (current != null) {
            leadership = null;
            leading = null;
            load.end();
            range.requests().outlive(current, sealedCause, cause);
        }
        range.changes().leadershipEnded();
        family.roleChanged(range);
    }

    /** In the same term: ends one leadership and begins another, for what the range has become. */
    void renew(Leadership current, RangeException sealedCause, RangeException cause) {
        leadership = null;
        range.requests().outlive(current, sealedCause, cause);
        lead(current.group());
    }
}
