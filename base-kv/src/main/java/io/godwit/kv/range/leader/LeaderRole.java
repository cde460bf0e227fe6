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
 * again when the range's bounds have changed. Owns the {@link ReplicaState}. Confined to the range executor, except
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

    /** Written on the range executor, read by any thread. */
    private volatile ReplicaState<Leadership> state = new ReplicaState.Following<>();

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

    /** Whether this replica is the group's leader, with or without a leadership, and has not ended. */
    public boolean isLeader() {
        return state.leaderTerm() != 0;
    }

    /** The term that this replica leads; 0 when it does not lead. */
    public long term() {
        return state.leaderTerm();
    }

    /** The leadership, also a frozen one; null when there is none. */
    @Nullable
    public Leadership leadership() {
        return state.current();
    }

    /** The leadership while it takes requests; null otherwise. */
    @Nullable
    public Leadership serving() {
        return state instanceof ReplicaState.Serving<Leadership> serving ? serving.leadership() : null;
    }

    /** What others may know of the leadership while it takes requests; null otherwise. Any thread. */
    @Nullable
    public KnownLeadership leading() {
        return state instanceof ReplicaState.Serving<Leadership> serving ? serving.known() : null;
    }

    /** Why the replica has stopped for good; null while it runs. */
    @Nullable
    public RangeException ended() {
        return state instanceof ReplicaState.Ended<Leadership> end ? end.cause() : null;
    }

    /** Raft has elected this replica; {@link #lead} is next, as soon as the group has started. */
    public void elected(long term) {
        state = state.elected(term);
    }

    /** From now on the leadership accepts no new requests. */
    public void freeze(Leadership current) {
        state = state.frozen();
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
        long term = state.leaderTerm();
        RangeState served = replica.routed();
        Leadership next = maker.make(term, served.bounds(), started);
        RouteToken token = new RouteToken(db.state().id(), term, ++fence);
        state = state.serving(next, new KnownLeadership(token, served.bounds()));
        load.begin();
        next.start(coprocessor);
        LOG.info("range leads range={} term={} appliedIndex={}", replica.groupId(), term, db.appliedIndex());
        listener.ledAndServing();
    }

    /** The term is over: ends the leadership, if there is one, and what it had under way. */
    public void deposed(RangeException sealedCause, RangeException cause) {
        end(state.deposed(), sealedCause, cause);
    }

    /** The keys pass to another range: ends the leadership, while the term goes on. */
    public void silence(RangeException sealedCause, RangeException cause) {
        end(state.silenced(), sealedCause, cause);
    }

    /** The replica stops permanently; later requests are refused with {@code cause}. */
    public void end(RangeException sealedCause, RangeException cause) {
        end(state.ended(cause), sealedCause, cause);
    }

    private void end(ReplicaState<Leadership> next, RangeException sealedCause, RangeException cause) {
        Leadership current = state.current();
        state = next;
        if (current != null) {
            load.end();
            listener.isOver(current, sealedCause, cause);
        }
        listener.leadsNoMore();
        replica.roleChanged();
    }

    /** Ends one leadership and begins another in the same term, for the new state of the range. */
    public void renew(Leadership current, RangeException sealedCause, RangeException cause) {
        state = state.silenced();
        listener.isOver(current, sealedCause, cause);
        lead(current.group());
    }
}
