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
 * Whether this replica leads, and its leadership while it does: made when a term begins, ended with it, and made anew
 * when the range's bounds have changed. The one owner of term, leadership and token. Confined to the range executor,
 * but for {@link #leading}.
 */
public final class LeaderRole {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderRole.class);

    /** Told, on the range executor, what becomes of the role. */
    public interface Listener {
        /** A leadership has begun. */
        void ledAndServing();

        /** It leads, and its keys are another range's, or are about to be. */
        void ledWithoutServing();

        /** A leadership is over: is to be ended with these, and what it had accepted and not sealed waits again. */
        void isOver(Leadership ending, RangeException sealedCause, RangeException cause);

        /** This replica leads no more. */
        void leadsNoMore();
    }

    private final Replica replica;
    private final Listener listener;
    private final Leadership.Maker maker;
    private final RangeDb db;
    private final RangeCoprocessor coprocessor;
    private final LeaderLoad load;

    /**
     * Of which this replica is leader; 0 when it is not. Without a leadership while the range is being merged into
     * another.
     */
    private long term;

    private @Nullable Leadership leadership;
    /** Of the leadership that takes requests; written on the range executor, read by any thread. */
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

    /** Whether Raft has it lead, with a leadership or without. */
    public boolean isLeader() {
        return term != 0;
    }

    /** Of which this replica is leader; 0 when it is not. */
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

    /** While it leads and takes requests; null otherwise. Any thread. */
    @Nullable
    public KnownLeadership leading() {
        return leading;
    }

    /** Nothing new is taken by the leadership from here on. */
    public void freeze(Leadership current) {
        leading = null;
        current.freeze();
    }

    /** Begins the leadership of this term, unless the range has ended or serves nothing; then what waits goes on. */
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

    /** Ends the leadership, if there is one, and what it had under way. */
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

    /** In the same term: ends one leadership and begins another, for what the range has become. */
    public void renew(Leadership current, RangeException sealedCause, RangeException cause) {
        leadership = null;
        listener.isOver(current, sealedCause, cause);
        lead(current.group());
    }
}
