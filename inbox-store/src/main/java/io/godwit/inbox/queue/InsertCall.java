package io.godwit.inbox.queue;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** That part of an {@link InsertRequest} which one range takes. Answered on the executor of that range. */
final class InsertCall implements LeaderRequest {
    private final InsertRequest request;
    /** Numbers of its targets among those of the request, ascending. */
    private final int[] targets;

    private final Answer answer;
    /** Null for a retained message, which an attachment appends at the leader of its inbox. */
    private final @Nullable InboxRouter router;

    private int open;

    InsertCall(InsertRequest request, int[] targets, Answer answer, @Nullable InboxRouter router) {
        this.request = request;
        this.targets = targets;
        this.answer = answer;
        this.router = router;
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

    /** Whether the message comes out of the retain store. */
    boolean isReplay() {
        return router == null;
    }

    /** The target belongs to another range by now: it is sent there. */
    void misrouted(int target) {
        if (router == null) {
            throw new IllegalStateException("a replay of another range");
        }
        router.resend(request, target, answer);
        if (--open == 0) {
            answer.partDone();
        }
    }

    @Override
    public void fail(RangeException cause) {
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
