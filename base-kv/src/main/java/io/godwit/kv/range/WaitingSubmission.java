package io.godwit.kv.range;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;

/** A leader request that came while there was no leader. Confined to the range executor. */
final class WaitingSubmission implements Waiting {
    private final LeaderRequest request;
    private final long deadlineNanos;
    private boolean done;

    WaitingSubmission(LeaderRequest request, long deadlineNanos) {
        this.request = request;
        this.deadlineNanos = deadlineNanos;
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
