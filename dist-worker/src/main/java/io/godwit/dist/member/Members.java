package io.godwit.dist.member;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The agreed members, as those who keep promises to clients use it. Thread-safe. */
public interface Members {
    /** A node that runs alone: nobody to wait for, always fresh. */
    Members ALONE = new Members() {
        @Override
        public Set<NodeLife> others() {
            return Set.of();
        }

        @Override
        public CompletableFuture<Void> exclude(NodeLife member, String why) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean mayAcknowledge() {
            return true;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return CompletableFuture.completedFuture(true);
        }
    };

    /**
     * The other members that a SUBACK has to wait for: those that are joining or serving, and those that have lapsed so
     * recently that they may acknowledge something yet. By what this node knows now; asked after a subscription is in
     * force here. When they have confirmed, the SUBACK needs {@link #mayAcknowledge} as a publish does: a node that has
     * been evicted and does not know promises nothing.
     */
    Set<NodeLife> others();

    /**
     * Has the agreed members go on without one that does not confirm. Completes when nothing that it acknowledges from
     * then on can rest on what it knew before: then it need not be waited for. Fails with
     * {@link io.godwit.kv.client.RangeException} when that cannot be agreed on, as without a majority; and when this
     * node has just been without a proof that it serves: then it may be asked again.
     */
    CompletableFuture<Void> exclude(NodeLife member, String why);

    /**
     * As {@link #exclude}, of a member that does not answer something. One that has {@link #answered} lately is slow,
     * as behind a slow link: while it is, this fails for some time, and may be asked again.
     */
    default CompletableFuture<Void> excludeSilent(NodeLife member, String why) {
        return exclude(member, why);
    }

    /** As {@link #exclude}, of a member that the membership has lost: whatever this node has heard itself. */
    default CompletableFuture<Void> excludeLost(NodeLife member, String why) {
        return exclude(member, why);
    }

    /**
     * Whether what was matched before this call may be acknowledged: this node serves, and its routes were complete at
     * a moment that is not too long ago. Costs a look at two clocks. For what was matched just now; else the epoch of
     * the matching has to be told.
     */
    boolean mayAcknowledge();

    /**
     * Changes when this node has lapsed and serves again: what it had matched before then rests on routes that may have
     * lacked some, and has to be matched again before it is acknowledged. To be asked before matching.
     */
    default long epoch() {
        return 0;
    }

    /** As {@link #mayAcknowledge()}, for what was matched in {@code epoch}. */
    default boolean mayAcknowledge(long epoch) {
        return mayAcknowledge();
    }

    /** Of the newest view that is known here; 0 before the first, and of a node that runs alone. Never falls. */
    default long revision() {
        return 0;
    }

    /**
     * Whether, by the newest view that is known here, the others have gone on without a life after it had come to serve
     * by the revision {@code since}, which is its {@link #epoch}. See {@link MembersView#isPast}.
     */
    default boolean isPast(NodeLife life, long since) {
        return false;
    }

    /**
     * Another member says what it knows of this life. Any thread.
     *
     * @param since the revision by which its newest view has this life serving; 0 when it has not
     */
    default void said(NodeLife by, long since) {}

    /** Another member has answered what this node has sent it after it had answered last. Any thread. */
    default void answered(NodeLife by) {}

    /** As {@link #untilMayAcknowledge(long)}, for what was matched just now. */
    CompletableFuture<Boolean> untilMayAcknowledge();

    /**
     * The same as {@link #mayAcknowledge(long)}, asked again until it may. Completes with false when that was not so
     * within the time that an acknowledgement is held for, which is a setting, and then the publish is refused; or when
     * it cannot be so any more since another {@link #epoch} has begun, and then it may be matched again. On any thread,
     * which must not be held up.
     */
    default CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
        return untilMayAcknowledge();
    }
}
