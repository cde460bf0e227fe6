package io.godwit.inbox.leader.queue;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings the calls of connections to the leader: many calls in one task of the range executor. Event loops add and the
 * range executor removes, hence the concurrent queue and the flags.
 */
public final class Mailbox {
    /** A call of a connection. */
    public interface Call {
        void run();

        /** Called instead of {@link #run}, on any thread. */
        void fail(RangeException cause);
    }

    private final LeaderContext context;
    private final Runnable beforeEach;
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainQueued = new AtomicBoolean();
    /** The failure of calls after the leader has stopped; null before. */
    private volatile @Nullable RangeException stopped;

    /** @param beforeEach runs before each call */
    public Mailbox(LeaderContext context, Runnable beforeEach) {
        this.context = context;
        this.beforeEach = beforeEach;
    }

    /** Any thread. Calls of one thread run in order. */
    public void post(Call call) {
        calls.add(call);
        RangeException cause = stopped;
        if (cause != null) {
            failAll(cause); // stop may have emptied the queue before the add
        } else if (drainQueued.compareAndSet(false, true)) {
            context.execute(this::drain);
        }
    }

    /** The leader has stopped: fails all waiting and later calls. */
    public void stop(RangeException cause) {
        stopped = cause;
        failAll(cause);
    }

    /** The failure of a call whose attachment is over. */
    public static RangeException closed() {
        return new RangeException(Cause.CLOSED, "the attachment is over");
    }

    private void drain() {
        drainQueued.set(false);
        for (Call call = calls.poll(); call != null; call = calls.poll()) {
            beforeEach.run();
            call.run();
        }
    }

    private void failAll(RangeException cause) {
        for (Call call = calls.poll(); call != null; call = calls.poll()) {
            call.fail(cause);
        }
    }
}
