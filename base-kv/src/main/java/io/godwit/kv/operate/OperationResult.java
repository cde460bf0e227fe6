package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;

/**
 * The result of an operator's request.
 *
 * @param detail why it was not done, for the operator
 */
public record OperationResult(ActionOutcome outcome, String detail) {
    /** The request took effect. */
    public static final OperationResult DONE = new OperationResult(ActionOutcome.DONE, "");

    public boolean isDone() {
        return outcome == ActionOutcome.DONE;
    }
}
