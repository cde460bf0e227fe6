package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;

/**
 * What became of something an operator asked for.
 *
 * @param detail why, when it is not done; for the operator
 */
public record OperationResult(ActionOutcome outcome, String detail) {
    /** It took effect. */
    public static final OperationResult DONE = new OperationResult(ActionOutcome.DONE, "");

    public boolean isDone() {
        return outcome == ActionOutcome.DONE;
    }
}
