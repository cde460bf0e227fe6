package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.wire.RaftThreads;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ReadIndex calls of a node's groups. Each is answered once, after {@link #TIMEOUT_MILLIS} at the latest.
 * Thread-safe.
 *
 * <p>Uses its own time-outs, because JRaft's run on a timer wheel that turns a thousand times a second from the first
 * call on, even in an idle broker. JRaft may also report one failure twice: when it happens and when the time is over.
 */
final class ReadIndexCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadIndexCalls.class);
    private static final byte[] NO_CONTEXT = {};
    private static final long TIMEOUT_MILLIS = 2_000;
    /** Tells JRaft's closure to use no timer. */
    private static final long NO_TIMER = -1;

    private final ScheduledThreadPoolExecutor timer = RaftThreads.timer("read-index-timeout");

    /** One call. JRaft's threads and the timer may end it; the first to take {@code done} runs it. */
    private static final class Call extends ReadIndexClosure {
        private final AtomicReference<@Nullable Consumer<Status>> done;
        /** Set after the call was made; null before that, or if the timer is closed. */
        private volatile @Nullable Future<?> timeout;

        Call(Consumer<Status> done) {
            super(NO_TIMER);
            this.done = new AtomicReference<>(done);
        }

        @Override
        public void run(Status status, long index, byte[] requestContext) {
            tell(status);
        }

        @Override
        public void run(Status status) {
            tell(status); // JRaft's own method would log late answers
        }

        void tell(Status status) {
            Consumer<Status> told = done.getAndSet(null);
            if (told != null) {
                told.accept(status);
                Future<?> pending = timeout;
                if (pending != null) {
                    pending.cancel(false);
                }
            }
        }

        boolean isTold() {
            return done.get() == null;
        }
    }

    /** @param done called on a thread of JRaft or of the timer, so it must hand over */
    void call(Node node, Consumer<Status> done) {
        Call call = new Call(done);
        try {
            node.readIndex(NO_CONTEXT, call);
        } catch (IllegalStateException e) {
            // the group is stopping: JRaft ends the call on its own thread and throws as well; if it does not end the
            // call, the time-out does
            LOG.debug("read-index refused group={} cause={}", node.getGroupId(), e.getMessage());
        }
        if (call.isTold()) {
            return;
        }
        try {
            Future<?> pending = timer.schedule(() -> call.tell(timedOut()), TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            call.timeout = pending;
            if (call.isTold()) {
                pending.cancel(false);
            }
        } catch (RejectedExecutionException e) { // closed: the stopped group has ended the call or is about to
            call.tell(new Status(RaftError.ENODESHUTDOWN, "closed"));
        }
    }

    private static Status timedOut() {
        return new Status(RaftError.ETIMEDOUT, "read-index request timeout");
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
