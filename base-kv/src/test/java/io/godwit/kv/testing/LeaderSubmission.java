package io.godwit.kv.testing;

import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;

/** A leader request in transit: a task of an {@link InMemoryRangeHost} that finds the leader when it runs. */
final class LeaderSubmission implements Runnable {
    private final InMemoryRangeHost host;
    private final byte[] key;
    private final LeaderRequest request;
    /** The node where the leader must be; -1 for any node. */
    private final int node;

    LeaderSubmission(InMemoryRangeHost host, byte[] key, LeaderRequest request, int node) {
        this.host = host;
        this.key = key;
        this.request = request;
        this.node = node;
    }

    /** Instead of {@link #run}. */
    void fail(RangeException cause) {
        request.fail(cause);
    }

    private boolean isLedHere() {
        return node < 0 || host.rangeOf(key).isLedAt(node);
    }

    @Override
    public void run() {
        if (host.isClosed()) {
            request.fail(new RangeException(Cause.CLOSED, "store is closed"));
        } else if (!request.waitsForLeader()
                && !(isLedHere() && host.rangeOf(key).isServedAt(node))) {
            request.fail(new RangeException(Cause.MOVED, "not led here"));
        } else if (!isLedHere()) {
            request.fail(new RangeException(Cause.TIMEOUT, "no leader took the request"));
        } else {
            host.rangeOf(key).handle(request, node);
        }
    }
}
