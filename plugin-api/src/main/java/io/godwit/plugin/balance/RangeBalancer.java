package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Decides the next change for the ranges that one store leads: a function of the view, without memory, clock or I/O.
 *
 * <p>Every store asks its own balancers with its own view. A balancer must allow for other stores deciding at the same
 * time. The threshold for a change and the one for its reversal must lie apart, or the two changes alternate for ever.
 *
 * <p><b>Thread:</b> one call at a time, on a thread of the plugin; on the thread of the balance loop for built-in
 * balancers and for plugins that say they do not block ({@link io.godwit.plugin.context.Plugin#isNonBlocking}).
 *
 * <p><b>Cost:</b> a call about once a second, which should return at once. The balancers after it wait for it, at most
 * a second; no client does.
 *
 * <p><b>Failure:</b> an exception, a null or a late answer counts as no action and is logged, and the balancer is not
 * called for some time. An action for a range that is not actionable is dropped.
 */
@FunctionalInterface
public interface RangeBalancer {
    /**
     * Returns at once. Called again after its last action has succeeded or failed; a range whose action failed is left
     * out of {@link ClusterView#actionable} for a while.
     *
     * @return the next action; empty when nothing needs to change or nothing may be done
     */
    Optional<BalanceAction> next(ClusterView view);
}
