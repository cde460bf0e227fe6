package io.godwit.kv.balance;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Looks after the balancers of a key space on one node while it runs. What is changed here lasts until the node stops,
 * but for pauses of an operator's store ({@code StoreOperations#balance}), which last until they are resumed; balancers
 * of other nodes are not touched. May be called on any thread; futures complete on the loop's, and fail with
 * {@link IllegalArgumentException} where that is said, or {@link IllegalStateException} once the loop is closed.
 */
public interface BalanceControl {
    /** In the order in which they are asked. */
    CompletableFuture<List<BalancerStatus>> list();

    /** It is not asked any more; what it has begun goes on. Fails when there is no balancer of that name. */
    CompletableFuture<Void> pause(String balancer);

    /**
     * As {@link #pause}, but apart from it, and never for longer than until the node stops: while somebody does work of
     * their own.
     */
    CompletableFuture<Void> rest(String balancer);

    /** Ends a {@link #rest}: it is asked again unless it is paused. Fails when there is no balancer of that name. */
    CompletableFuture<Void> unrest(String balancer);

    /**
     * Ends a pause, and a rest that nobody has ended: it is asked again, and a fault of it forgotten. Fails when there
     * is no balancer of that name.
     */
    CompletableFuture<Void> resume(String balancer);

    /**
     * Changes some settings; the others stay as they are. Fails when there is no balancer of that name, or a setting is
     * unknown or not valid: then nothing is changed.
     */
    CompletableFuture<Void> tune(String balancer, Map<String, String> settings);
}
