package io.godwit.kv.balance;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Controls the balancers of a key space on one node. Changes last until the node stops, except pauses of an operator's
 * store ({@code StoreOperations#balance}), which last until they are ended; balancers of other nodes are not affected.
 * Methods may be called on any thread. Futures complete on the loop's thread; they fail with
 * {@link IllegalArgumentException} where stated, and with {@link IllegalStateException} once the loop is closed.
 */
public interface BalanceControl {
    /** The status of all balancers, in the order in which they are asked. */
    CompletableFuture<List<BalancerStatus>> list();

    /** Stops asking a balancer; actions that it has begun go on. Fails if there is no balancer of that name. */
    CompletableFuture<Void> pause(String balancer);

    /**
     * Like {@link #pause}, but independent of it and at most until the node stops: for the time in which an operator
     * changes ranges by hand.
     */
    CompletableFuture<Void> rest(String balancer);

    /**
     * Ends a {@link #rest}: the balancer is asked again unless it is paused. Fails if there is no balancer of that
     * name.
     */
    CompletableFuture<Void> unrest(String balancer);

    /**
     * Ends a pause and a rest: the balancer is asked again, and its faults are forgotten. Fails if there is no balancer
     * of that name.
     */
    CompletableFuture<Void> resume(String balancer);

    /**
     * Changes some settings; the others keep their values. Fails, and changes nothing, if there is no balancer of that
     * name, or if a setting is unknown or not valid.
     */
    CompletableFuture<Void> tune(String balancer, Map<String, String> settings);
}
