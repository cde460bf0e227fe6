package io.godwit.dist.member;

import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The agreed members, for code that makes promises to clients. Thread-safe. */
public interface Members {
    /** For a node that runs alone: no other members, always fresh. */
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
     * The other members that a SUBACK must wait for: joining and serving ones, and those that have lapsed so recently
     * that they may still acknowledge something. As this node knows them now; call it after the subscription is in
     * force here. When they have confirmed, the SUBACK needs {@link #mayAcknowledge} like a publish: a node that was
     * evicted without its knowledge must promise nothing.
     */
    Set<NodeLife> others();

    /**
     * The other members of the newest view that are excluded. Their processes may still run, and serve callers by what
     * they knew before. A member that does not come back is evicted from the view, and is not among them then.
     */
    default Set<NodeLife> lapsed() {
        return Set.of();
    }

    /**
     * Excludes a member that does not confirm. Completes when nothing that it still acknowledges can rest on its
     * earlier knowledge: then nothing needs to wait for it. Fails with {@link io.godwit.kv.client.RangeException} when
     * that cannot be agreed on, for example without a majority; also when this node has just been without a proof that
     * it serves: the caller may then repeat the request.
     */
    CompletableFuture<Void> exclude(NodeLife member, String why);

    /**
     * As {@link #exclude}, for a member that does not answer. One that still returns {@link Heartbeat}s is only slow,
     * for example behind a slow link: then this fails for some time, and the caller may repeat the request.
     */
    default CompletableFuture<Void> excludeSilent(NodeLife member, String why) {
        return exclude(member, why);
    }

    /** As {@link #exclude}, for a member that the membership has lost, even if this node has heard from it. */
    default CompletableFuture<Void> excludeLost(NodeLife member, String why) {
        return exclude(member, why);
    }

    /**
     * Whether messages matched before this call may be acknowledged: this node serves, and its routes were complete at
     * a moment not too long ago. Costs two clock reads. Only for messages matched just now; otherwise use
     * {@link #mayAcknowledge(long)}.
     */
    boolean mayAcknowledge();

    /**
     * Changes when this node has lapsed and serves again: earlier matches may have missed some routes, and must be
     * repeated before they are acknowledged. Call it before matching.
     */
    default long epoch() {
        return 0;
    }

    /** As {@link #mayAcknowledge()}, for messages matched in {@code epoch}. */
    default boolean mayAcknowledge(long epoch) {
        return mayAcknowledge();
    }

    /** Revision of the newest view known here; 0 before the first, and on a node that runs alone. Never falls. */
    default long revision() {
        return 0;
    }

    /**
     * Whether, in the newest view known here, an incarnation was excluded or has left after it began to serve at
     * revision {@code since}, which is its {@link #epoch}. See {@link MembersView#isPast}.
     */
    default boolean isPast(NodeLife life, long since) {
        return false;
    }

    /**
     * A check for what a client of this node has asked for: it is true while the connections of now may stay. It turns
     * false before the others let clients of this node connect elsewhere. It stays false once this node has closed its
     * clients. After a standstill of the process it is false until the node has proved again that it serves. Any
     * thread; cheap, never blocks.
     */
    default BooleanSupplier clientsStay() {
        return () -> true;
    }

    /** A heartbeat of another member has arrived. Any thread; those of one member in order. */
    default void heard(NodeLife by, Heartbeat beat) {}

    /** As {@link #untilMayAcknowledge(long)}, for messages matched just now. */
    CompletableFuture<Boolean> untilMayAcknowledge();

    /**
     * Completes with true once {@link #mayAcknowledge(long)} is true. Completes with false when that takes longer than
     * the configured hold time, and the publish must be refused; or when it cannot become true because another
     * {@link #epoch} has begun, and the message may be matched again. On any thread, which must not be blocked.
     */
    default CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
        return untilMayAcknowledge();
    }
}
