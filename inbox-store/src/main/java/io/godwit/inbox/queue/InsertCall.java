package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.function.Predicate;

/** That part of an {@link InsertRequest} which one range takes. Answered on the executor of that range. */
final class InsertCall implements LeaderRequest {
    private final InsertRequest request;
    /** Numbers of its targets among those of the request, ascending. */
    private final int[] targets;

    private final InsertParts parts;
    /** Whether the message comes out of the retain store: an attachment appends it at the leader of its inbox. */
    private final boolean isReplay;

    private int open;

    InsertCall(InsertRequest request, int[] targets, InsertParts parts, boolean isReplay) {
        this.request = request;
        this.targets = targets;
        this.parts = parts;
        this.isReplay = isReplay;
        this.open = targets.length;
    }

    InsertRequest request() {
        return request;
    }

    int[] targets() {
        return targets;
    }

    void answer(int target, InsertOutcome outcome) {
        parts.set(target, outcome);
        if (--open == 0) {
            parts.partDone();
        }
    }

    boolean isReplay() {
        return isReplay;
    }

    /** The target belongs to another range by now: it is handed on. */
    void misrouted(int target, LeaderContext context) {
        if (isReplay) {
            throw new IllegalStateException("a replay of another range");
        }
        parts.partAdded();
        context.forward(LocalCarrier.keyOf(request, target), new InsertCall(request, new int[] {target}, parts, false));
        if (--open == 0) {
            parts.partDone();
        }
    }

    @Override
    public boolean concerns(Predicate<byte[]> isOwned) {
        for (int target : targets) {
            if (isOwned.test(LocalCarrier.keyOf(request, target))) {
                return true;
            }
        }
        return false;
    }

    /** Whether an earlier message of the same publisher has failed: then this one must not be there before it. */
    boolean isHeldBack() {
        RequestOrder order = request.order();
        return order != null && order.isBrokenBefore(request.tokenNumber());
    }

    /** What a call is told that {@link #isHeldBack}. Nothing was written for it. */
    static RangeException heldBack() {
        return new RangeException(
                RangeException.Cause.OVERLOADED, "an earlier message of the same publisher could not be stored");
    }

    @Override
    public void fail(RangeException cause) {
        RequestOrder order = request.order();
        if (order != null) {
            order.failed(request.tokenNumber());
        }
        parts.fail(cause);
    }
}
