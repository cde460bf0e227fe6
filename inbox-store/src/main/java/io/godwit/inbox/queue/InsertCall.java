package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/** That part of an {@link InsertRequest} which one range takes. Answered on the executor of that range. */
final class InsertCall implements LeaderRequest {
    private final InsertRequest request;
    /** Numbers of its targets among those of the request, ascending. */
    private final int[] targets;

    private final Answer answer;
    /** Whether the message comes out of the retain store: an attachment appends it at the leader of its inbox. */
    private final boolean isReplay;

    private int open;

    InsertCall(InsertRequest request, int[] targets, Answer answer, boolean isReplay) {
        this.request = request;
        this.targets = targets;
        this.answer = answer;
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
        answer.outcomes.set(target, outcome);
        if (--open == 0) {
            answer.partDone();
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
        answer.partAdded();
        context.forward(InboxRouter.keyOf(request, target), new InsertCall(request, new int[] {target}, answer, false));
        if (--open == 0) {
            answer.partDone();
        }
    }

    @Override
    public boolean concerns(Predicate<byte[]> isOwned) {
        for (int target : targets) {
            if (isOwned.test(InboxRouter.keyOf(request, target))) {
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
        answer.future.completeExceptionally(cause);
    }

    /** The answer to the whole request. The executors of several ranges meet here, hence the atomics. */
    static final class Answer {
        final CompletableFuture<List<InsertOutcome>> future = new CompletableFuture<>();
        private final AtomicReferenceArray<InsertOutcome> outcomes;
        private final AtomicInteger openParts;

        Answer(int targets, int parts) {
            outcomes = new AtomicReferenceArray<>(targets);
            openParts = new AtomicInteger(parts);
        }

        void partAdded() {
            openParts.incrementAndGet();
        }

        void partDone() {
            if (openParts.decrementAndGet() == 0) {
                List<InsertOutcome> list = new ArrayList<>(outcomes.length());
                for (int i = 0; i < outcomes.length(); i++) {
                    list.add(outcomes.get(i));
                }
                future.complete(list);
            }
        }
    }
}
