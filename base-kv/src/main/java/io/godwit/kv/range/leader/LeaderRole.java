package io.godwit.kv.range.leader;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.state.RangeState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this replica leads, and its leadership while it does: made when a term begins, ended with the term, and made
 * again when the range's bounds have changed. Owns term, leadership and token. Confined to the range executor, except
 * {@link #leading}.
 */
public final class LeaderRole {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderRole.class);

    /** Is told of changes of the role, on the range executor. */
    public interface Listener {
        /** A leadership has begun. */
        void ledAndServing();

        /** This replica leads, but its keys belong to another range, or soon will. */
        void ledWithoutServing();

        /**
         * A leadership is over: it must be ended with these causes, and accepted requests that were not sealed wait
         * again.
         */
        void isOver(Leadership ending, RangeException sealedCause, RangeException cause);

        /** This replica no longer leads. */
        void leadsNoMore();
    }

    private final Replica replica;
    private final Listener listener;
    private final Leadership.Maker maker;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final LeaderLoad load;

    /**
     * The term in which this replica leads; 0 if it does not lead. There is no leadership while the range is being
     * merged into another.
     */
    private long term;

    private @Nullable Leadership leadership;
    /** The leadership that accepts requests; written on the range executor, read by any thread. */
    private volatile @Nullable KnownLeadership leading;

    private long fence;

    public LeaderRole(
            Replica replica,
            Listener listener,
            Leadership.Maker maker,
            RangeDb db,
            RangeCoprocessor coprocessor,
            LeaderLoad load) {
        this.replica = replica;
        this.listener = listener;
        this.maker = maker;
        this.db = db;
        this.coprocessor = coprocessor;
        this.load = load;
    }

    /** Whether this replica is the group's leader, with or without a leadership. */
    public boolean isLeader() {
        return term != 0;
    }

    /** The term in which this replica leads; 0 if it does not lead. */
    public long term() {
        return term;
    }

    public void termBegan(long begun) {
        term = begun;
    }

    public void termEnded() {
        term = 0;
    }

    @Nullable
    public Leadership leadership() {
        return leadership;
    }

    /** The leadership while this replica leads and accepts requests; else null. Any thread. */
    @Nullable
    public KnownLeadership leading() {
        return leading;
    }

    /** From now on the leadership accepts no new requests. */
    public void freeze(Leadership current) {
        leading = null;
        current.freeze();
    }

    /**
     * Begins the leadership of this term, unless the range has ended or does not serve; then waiting requests go on.
     */
    public void lead(RaftGroup started) {
        if (replica.hasEnded()) {
            return;
        }
        if (replica.routed().isLeaving()) {
            listener.ledWithoutServing();
            return;
        }
        RangeState served = replica.routed();
        Leadership next = maker.make(term, served.bounds(), started);
        leadership = next;
        leading = new KnownLeadership(new RouteToken(db.state().id(), term, ++fence), served.bounds());
        load.begin();
        next.start(coprocessor);
        LOG.info("range leads range={} term={} appliedIndex={}", replica.groupId(), term, db.appliedIndex());
        listener.ledAndServing();
    }

    /** Ends the leadership, if there is one, and the changes in progress. */
    public void end(RangeException sealedCause, RangeException cause) {
        Leadership current = leadership;
        if (current != null) {
            leadership = null;
            leading = null;
            load.end();
            listener.isOver(current, sealedCause, cause);
        }
        listener.leadsNoMore();
        replica.roleChanged();
    }

    /** Ends one leadership and begins another in the same term, for the new state of the range. */
    public void renew(Leadership current, RangeException sealedCause, RangeException cause) {
        leadership = null;
        listener.isOver(current, sealedCause, cause);
        lead(current.group());
    }
}
