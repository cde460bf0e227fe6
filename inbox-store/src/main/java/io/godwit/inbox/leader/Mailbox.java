package io.godwit.inbox.leader;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.LeaderContext;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings the calls of connections to the leader: many calls, one task of the range executor. Connections of all event
 * loops put into it and the range executor takes out, hence the concurrent queue and the flags.
 */
final class Mailbox {
    /** Something a connection asks for. */
    interface Call {
        void run();

        /** Instead of {@link #run}, on any thread. */
        void fail(RangeException cause);
    }

    private final LeaderContext context;
    private final Runnable beforeEach;
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainQueued = new AtomicBoolean();
    /** What calls are told since the leader is over; null before. */
    private volatile @Nullable RangeException stopped;

    /** @param beforeEach run before each call */
    Mailbox(LeaderContext context, Runnable beforeEach) {
        this.context = context;
        this.beforeEach = beforeEach;
    }

    /** Any thread. Calls of one thread are run in order. */
    void post(Call call) {
        calls.add(call);
        RangeException cause = stopped;
        if (cause != null) {
            failAll(cause); // the last look of stop may have been before the add
        } else if (drainQueued.compareAndSet(false, true)) {
            context.execute(this::drain);
        }
    }

    /** The leader is over: what is in here fails, and whatever comes. */
    void stop(RangeException cause) {
        stopped = cause;
        failAll(cause);
    }

    /** What a call is told whose attachment is over. */
    static RangeException closed() {
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
