package io.godwit.kv.range.request;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.leader.RouteToken;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A mutation from the client. */
public final class ClientMutation extends Proposal implements Waiting {
    private static final byte[] RELEASED = {};

    private final byte[] key;
    private final CompletableFuture<byte[]> answer;
    private final long deadlineNanos;
    private final boolean relieving;
    private final @Nullable RouteToken token;
    private byte[] mutation;

    public ClientMutation(byte[] key, byte[] mutation, boolean relieving, Deadline deadline) {
        this(null, key, mutation, relieving, deadline.nanoTime(), new CompletableFuture<>());
    }

    /** A mutation that was routed by a token; it is not forwarded to any other leadership. */
    public ClientMutation(RouteToken token, byte[] key, byte[] mutation, boolean relieving, Deadline deadline) {
        this(token, key, mutation, relieving, deadline.nanoTime(), new CompletableFuture<>());
    }

    private ClientMutation(
            @Nullable RouteToken token,
            byte[] key,
            byte[] mutation,
            boolean relieving,
            long deadlineNanos,
            CompletableFuture<byte[]> answer) {
        this.token = token;
        this.key = key;
        this.mutation = mutation;
        this.relieving = relieving;
        this.deadlineNanos = deadlineNanos;
        this.answer = answer;
    }

    /** A copy of this request to propose to another leader; this one, which was never sealed, is dropped. */
    public ClientMutation again() {
        return new ClientMutation(token, key, mutation, relieving, deadlineNanos, answer);
    }

    @Override
    public byte[] key() {
        return key;
    }

    @Override
    public @Nullable RouteToken token() {
        return token;
    }

    @Override
    public Waiting moved() {
        return again();
    }

    public CompletableFuture<byte[]> answer() {
        return answer;
    }

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
        byte[] encoded = mutation;
        mutation = RELEASED; // the sweep may keep this object for a while
        return encoded;
    }

    @Override
    public void applied(byte[] reply) {
        answer.complete(reply);
    }

    @Override
    public void failed(RangeException cause) {
        answer.completeExceptionally(cause);
    }

    @Override
    public void deliver(Leadership leadership) {
        if (!isDone()) {
            leadership.propose(this);
        }
    }

    @Override
    public void refuse(RangeException cause) {
        answer.completeExceptionally(cause);
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire() {
        cancel();
        answer.completeExceptionally(new RangeException(Cause.TIMEOUT, "mutation not applied by its deadline"));
    }
}
