package io.godwit.kv.balance;

import io.godwit.plugin.balance.BalanceAction;
import java.util.concurrent.CompletableFuture;

/** Carries out the actions of balancers on ranges that this node leads. */
@FunctionalInterface
public interface ActionExecutor {
    /**
     * Begins {@code action} if this node leads the range and the range has the epoch of the action. Never blocks. The
     * future completes on any thread; a failed future counts as {@link ActionOutcome#FAILED}. The loop stops waiting
     * after a time, which does not end the action.
     */
    CompletableFuture<ActionOutcome> execute(BalanceAction action);
}
