package io.godwit.kv.testing;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of the client of an {@link InMemoryRangeHost} that have no answer yet. They may come from any thread. */
final class OpenRequests {
    private final Set<Request> requests = ConcurrentHashMap.newKeySet();

    /** Is open until its answer completes. */
    Request open(Deadline deadline, byte[] mutation, boolean relieving) {
        Request request = new Request(deadline, mutation, relieving);
        requests.add(request);
        request.answer.whenComplete((reply, failure) -> requests.remove(request));
        return request;
    }

    /** Cancels those whose deadline has passed. */
    void expire(long nowNanos) {
        for (Request request : List.copyOf(requests)) {
            if (!request.answer.isDone() && request.deadline.hasPassed(nowNanos)) {
                request.proposal.cancel();
                request.answer.completeExceptionally(new RangeException(Cause.TIMEOUT, "deadline passed"));
            }
        }
    }

    void fail(RangeException cause) {
        for (Request request : List.copyOf(requests)) {
            request.answer.completeExceptionally(cause);
        }
    }

    /** A call of the client. */
    static final class Request {
        private final Deadline deadline;
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        final Proposal proposal;

        private Request(Deadline deadline, byte[] mutation, boolean relieving) {
            this.deadline = deadline;
            this.proposal = new Proposal() {
                @Override
                public int sizeHint() {
                    return mutation.length;
                }

                @Override
                public boolean isRelieving() {
                    return relieving;
                }

                @Override
                public byte[] encode() {
                    return mutation;
                }

                @Override
                public void applied(byte[] reply) {
                    answer.complete(reply);
                }

                @Override
                public void failed(RangeException cause) {
                    answer.completeExceptionally(cause);
                }
            };
        }
    }
}
