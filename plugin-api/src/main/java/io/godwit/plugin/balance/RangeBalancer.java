package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Decides the next change for the ranges that one store leads: a function of the view, without memory, clock or I/O.
 *
 * <p>Every store asks its own, with its own view; that other stores decide at the same time is the balancer's to
 * consider. Let thresholds for doing and for undoing lie apart, or two changes will follow each other for ever.
 */
@FunctionalInterface
public interface RangeBalancer {
    /**
     * Returns at once. Called again and again, on one thread, whenever its last action has ended, well or not; a range
     * whose action failed is left out of {@link ClusterView#actionable} for a while. An action for any other range is
     * dropped. An exception counts as no action, is logged, and the balancer is not asked for some time.
     *
     * @return what to do now; empty when all is well or nothing may be done
     */
    Optional<BalanceAction> next(ClusterView view);
}
