package io.godwit.kv.balance;

import io.godwit.plugin.balance.BalanceAction;
import java.util.concurrent.CompletableFuture;

/** Carries out what a balancer asked for, on a range that this node leads. */
@FunctionalInterface
public interface ActionExecutor {
    /**
     * Begins {@code action} after it has made sure that this node leads the range and that it has the epoch of the
     * action. Never blocks. The future completes on any thread; that it fails counts as {@link ActionOutcome#FAILED}.
     * The loop gives up waiting after a time, which does not end the action.
     */
    CompletableFuture<ActionOutcome> execute(BalanceAction action);
}
