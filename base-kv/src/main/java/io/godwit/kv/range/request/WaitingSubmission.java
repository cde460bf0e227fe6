package io.godwit.kv.range.request;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.Leadership;
import java.util.function.Predicate;

/** A waiting leader request. Confined to the executor of the range that has it. */
public final class WaitingSubmission implements Waiting {
    private final byte[] key;
    private final LeaderRequest request;
    private final long deadlineNanos;
    private boolean done;

    public WaitingSubmission(byte[] key, LeaderRequest request, long deadlineNanos) {
        this.key = key;
        this.request = request;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public byte[] key() {
        return key;
    }

    @Override
    public void deliver(Leadership leadership) {
        if (!done) {
            done = true;
            leadership.handle(request);
        }
    }

    @Override
    public void refuse(RangeException cause) {
        if (!done) {
            done = true;
            request.fail(cause);
        }
    }

    @Override
    public boolean concerns(Predicate<byte[]> isOwned) {
        return !done && request.concerns(isOwned);
    }

    @Override
    public Waiting moved() {
        done = true;
        return new WaitingSubmission(key, request, deadlineNanos);
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void expire() {
        refuse(new RangeException(Cause.TIMEOUT, "no leader took the request"));
    }
}
