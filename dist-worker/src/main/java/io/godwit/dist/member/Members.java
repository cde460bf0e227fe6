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
     * The other members that a SUBACK has to wait for: those that are joining or serving. By what this node knows now;
     * asked after a subscription is in force here.
     */
    Set<NodeLife> others();

    /**
     * Has the agreed members go on without one that does not confirm. Completes when nothing that it acknowledges from
     * then on can rest on what it knew before: then it need not be waited for. Fails with
     * {@link io.godwit.kv.client.RangeException} when that cannot be agreed on, as without a majority.
     */
    CompletableFuture<Void> exclude(NodeLife member, String why);

    /**
     * Whether what was matched before this call may be acknowledged: this node serves, and its routes were complete at
     * a moment that is not too long ago. Costs a look at a clock.
     */
    boolean mayAcknowledge();

    /**
     * The same, asked again until it may. Completes with false when that was not so within the time an acknowledgement
     * is held for; the publish is refused then.
     */
    CompletableFuture<Boolean> untilMayAcknowledge();
}
