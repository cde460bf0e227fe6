package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Decides the next change for the ranges that one store leads: a function of the view, without memory, clock or I/O.
 *
 * <p>Every store asks its own balancers with its own view. A balancer must allow for other stores deciding at the same
 * time. The threshold for a change and the one for its reversal must lie apart, or the two changes alternate for ever.
 */
@FunctionalInterface
public interface RangeBalancer {
    /**
     * Returns at once. Called repeatedly on one thread, each time after its last action has succeeded or failed; a
     * range whose action failed is left out of {@link ClusterView#actionable} for a while. An action for a range that
     * is not actionable is dropped. An exception counts as no action and is logged, and the balancer is not called for
     * some time.
     *
     * @return the next action; empty when nothing needs to change or nothing may be done
     */
    Optional<BalanceAction> next(ClusterView view);
}
