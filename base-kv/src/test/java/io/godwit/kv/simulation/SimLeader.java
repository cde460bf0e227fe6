package io.godwit.kv.simulation;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.coprocessor.RangeLeader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Collects requests and proposes them after the tasks queued by then, like the leaders of the stores. */
final class SimLeader implements RangeLeader {
    /** An append that is submitted to the leader of the range on a node. */
    static final class Append implements LeaderRequest {
        private final byte[] key;
        private final byte[] mutation;
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();

        Append(byte[] key, byte[] mutation) {
            this.key = key;
            this.mutation = mutation;
        }

        CompletableFuture<byte[]> answer() {
            return answer;
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    private static final class Proposed extends Proposal {
        private final Append append;

        Proposed(Append append) {
            this.append = append;
        }

        @Override
        public int sizeHint() {
            return append.mutation.length;
        }

        @Override
        public byte[] encode() {
            return append.mutation;
        }

        @Override
        public void applied(byte[] reply) {
            append.answer.complete(reply);
        }

        @Override
        public void failed(RangeException cause) {
            append.fail(cause);
        }
    }

    private final LeaderContext context;
    private final List<Append> gathered = new ArrayList<>();

    SimLeader(LeaderContext context) {
        this.context = context;
    }

    @Override
    public void handle(LeaderRequest request) {
        Append append = (Append) request;
        if (!context.bounds().contains(append.key)) {
            context.forward(append.key, append);
            return;
        }
        if (gathered.isEmpty()) {
            context.execute(this::settle);
        }
        gathered.add(append);
    }

    @Override
    public void settle() {
        gathered.forEach(append -> context.propose(new Proposed(append)));
        gathered.clear();
    }

    @Override
    public void stop(RangeException cause) {
        gathered.forEach(append -> append.fail(cause));
        gathered.clear();
    }
}
