package io.godwit.kv.range.leader;

import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * The state of a replica and its legal transitions. Immutable: each transition returns the next state, or throws
 * {@link IllegalStateException} when there is none.
 *
 * <pre>
 * Following --elected--> Elected --serving--> Serving --frozen--> Frozen
 *     ^                   |  ^                  |  |                 |
 *     |                   |  +----silenced------+--|-----------------+
 *     +-----deposed-------+------------------------+-----------------+
 *
 * any state --ended--> Ended, which nothing leaves
 * </pre>
 *
 * <p>Raft reports an election and a deposition in turn, on one thread, so a second election without a deposition in
 * between is a fault.
 *
 * @param <L> a leadership: what serves requests
 */
public sealed interface ReplicaState<L> {
    /** Another replica leads, or none. Also before the Raft group has started. */
    record Following<L>() implements ReplicaState<L> {
        @Override
        public ReplicaState<L> elected(long term) {
            return new Elected<>(term);
        }

        @Override
        public ReplicaState<L> deposed() {
            return this;
        }
    }

    /**
     * Leads the Raft group and serves no request: the group has only started, or the keys of the range have passed, or
     * are about to pass, to another range.
     */
    record Elected<L>(long term) implements ReplicaState<L> {
        @Override
        public ReplicaState<L> serving(L leadership, KnownLeadership known) {
            return new Serving<>(term, leadership, known);
        }

        @Override
        public ReplicaState<L> silenced() {
            return this;
        }
    }

    /** Leads and takes requests. */
    record Serving<L>(long term, L leadership, KnownLeadership known) implements ReplicaState<L> {
        @Override
        public ReplicaState<L> frozen() {
            return new Frozen<>(term, leadership);
        }

        @Override
        public ReplicaState<L> silenced() {
            return new Elected<>(term);
        }
    }

    /** Leads and finishes what it has accepted; new requests wait. The leadership ends in good order. */
    record Frozen<L>(long term, L leadership) implements ReplicaState<L> {
        @Override
        public ReplicaState<L> silenced() {
            return new Elected<>(term);
        }
    }

    /** Refuses all requests with {@code cause}, whatever Raft reports. */
    record Ended<L>(RangeException cause) implements ReplicaState<L> {
        @Override
        public ReplicaState<L> elected(long term) {
            return this;
        }

        @Override
        public ReplicaState<L> deposed() {
            return this;
        }

        @Override
        public ReplicaState<L> ended(RangeException later) {
            return this;
        }
    }

    /** Raft has elected this replica. */
    default ReplicaState<L> elected(long term) {
        throw illegal("elected");
    }

    /** A leadership takes requests; {@code known} is what others may know of it. */
    default ReplicaState<L> serving(L leadership, KnownLeadership known) {
        throw illegal("serving");
    }

    /** The leadership takes no more requests. */
    default ReplicaState<L> frozen() {
        throw illegal("frozen");
    }

    /** The leadership is over, and the term goes on. */
    default ReplicaState<L> silenced() {
        throw illegal("silenced");
    }

    /** The term is over. */
    default ReplicaState<L> deposed() {
        return new Following<>();
    }

    /** The replica has stopped for good. */
    default ReplicaState<L> ended(RangeException cause) {
        return new Ended<>(cause);
    }

    /** The term that this replica leads; 0 when it does not lead. */
    default long leaderTerm() {
        if (this instanceof Elected<L> elected) {
            return elected.term();
        } else if (this instanceof Serving<L> serving) {
            return serving.term();
        }
        return this instanceof Frozen<L> frozen ? frozen.term() : 0;
    }

    /** The leadership that is being served, also a frozen one; null when there is none. */
    @Nullable
    default L current() {
        if (this instanceof Serving<L> serving) {
            return serving.leadership();
        }
        return this instanceof Frozen<L> frozen ? frozen.leadership() : null;
    }

    private IllegalStateException illegal(String transition) {
        return new IllegalStateException(getClass().getSimpleName() + " has no transition \"" + transition + "\"");
    }
}
