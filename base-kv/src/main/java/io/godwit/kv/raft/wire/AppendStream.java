package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.godwit.kv.raft.wire.RaftMessages.Numbered;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of append requests to a node. It ends for good when its connection breaks or the other side ends it. Then
 * requests that wait for an answer fail, and a sender that wants to go on opens another stream.
 *
 * <p>A node that does not read stops the stream ({@link ClientCall#isReady}). Requests then wait here, in order. Beyond
 * {@link #MAX_QUEUED_BYTES} they fail at once, and JRaft tries again later. A request whose time-out has passed is not
 * sent. The bound is needed because gRPC would accept everything, and JRaft sends again what was not answered in time.
 *
 * <p>Guarded by its lock, because replicators of many groups send through it, and a gRPC call takes one message at a
 * time. Answers are delivered outside the lock.
 */
public final class AppendStream extends ClientCall.Listener<Numbered> {
    private static final Logger LOG = LoggerFactory.getLogger(AppendStream.class);

    /** Bound for all groups that share the stream: as much as one of them may have in flight. */
    static final int MAX_QUEUED_BYTES = 32 << 20;

    /**
     * The bytes that gRPC queues before it is not ready: enough to keep a connection busy until a thread wakes up to
     * send more.
     */
    private static final int READY_BYTES = 4 << 20;

    private record Waiting(RaftTransport.Answer answer, long deadlineNanos) {}

    private final String storeId;
    private final ClientCall<Numbered, Numbered> call;
    private final Map<Long, Waiting> waiting = new HashMap<>();
    /** Requests not yet passed to gRPC. */
    private final Deque<Numbered> queue = new ArrayDeque<>(0);

    private final LongAdder refused;
    private long queuedBytes;
    private long lastNumber;
    private @Nullable Throwable ended;

    /** @param refused counts the requests that failed because too many were waiting */
    AppendStream(String storeId, Channel channel, LongAdder refused) {
        this.storeId = storeId;
        this.call = channel.newCall(RaftMessages.APPEND, CallOptions.DEFAULT.withOnReadyThreshold(READY_BYTES));
        this.refused = refused;
    }

    void open() {
        synchronized (this) {
            call.start(this, new Metadata());
            call.request(Integer.MAX_VALUE); // answers are small, and as many as requests
        }
    }

    synchronized boolean isOpen() {
        return ended == null;
    }

    void send(Message request, long timeoutMillis, RaftTransport.Answer answer) {
        Throwable failure;
        synchronized (this) {
            failure = ended;
            if (failure == null) {
                Numbered numbered = new Numbered(++lastNumber, request);
                if (queue.isEmpty() && call.isReady()) {
                    call.sendMessage(numbered);
                } else if (!enqueue(numbered)) {
                    failure = new RemotingException("too much waits for " + storeId + " to read");
                }
            }
            if (failure == null) {
                long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
                waiting.put(lastNumber, new Waiting(answer, deadline));
            }
        }
        if (failure != null) {
            answer.complete(null, failure);
        }
    }

    /** Queues a request; false if the queue is full. An empty queue accepts a request of any size. */
    private boolean enqueue(Numbered numbered) {
        long bytes = numbered.message().getSerializedSize();
        if (!queue.isEmpty() && queuedBytes + bytes > MAX_QUEUED_BYTES) {
            refused.increment();
            return false;
        }
        queue.add(numbered);
        queuedBytes += bytes;
        return true;
    }

    @Override
    public void onReady() {
        synchronized (this) {
            while (!queue.isEmpty() && call.isReady()) {
                Numbered next = queue.remove();
                queuedBytes -= next.message().getSerializedSize();
                if (ended == null && waiting.containsKey(next.number())) {
                    call.sendMessage(next);
                }
            }
        }
    }

    @Override
    public void onMessage(Numbered answered) {
        Waiting known;
        synchronized (this) {
            known = waiting.remove(answered.number());
        }
        if (known != null) { // otherwise it came too late
            known.answer().complete(answered.message(), null);
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        end(new RemotingException("appends to " + storeId + " broke off: " + StatusText.of(status)));
    }

    private void end(Throwable cause) {
        List<Waiting> left;
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = cause;
            left = new ArrayList<>(waiting.values());
            waiting.clear();
            queue.clear();
            queuedBytes = 0;
        }
        left.forEach(each -> each.answer().complete(null, cause));
    }

    /** Fails requests whose time-out has passed. */
    void expire(long nowNanos) {
        List<Waiting> late = new ArrayList<>();
        synchronized (this) {
            for (Iterator<Waiting> each = waiting.values().iterator(); each.hasNext(); ) {
                Waiting next = each.next();
                if (nowNanos - next.deadlineNanos() >= 0) {
                    late.add(next);
                    each.remove();
                }
            }
            if (!late.isEmpty()) {
                forgetUnsent();
            }
        }
        late.forEach(each -> tellLate(each.answer()));
    }

    private void tellLate(RaftTransport.Answer answer) {
        try {
            answer.complete(null, new InvokeTimeoutException("no answer in time from " + storeId));
        } catch (RuntimeException | Error e) { // the others that are late are told too: nothing else does so
            LOG.error("the end of an append not handled node={}", storeId, e);
        }
    }

    private void forgetUnsent() {
        for (Iterator<Numbered> each = queue.iterator(); each.hasNext(); ) {
            Numbered next = each.next();
            if (!waiting.containsKey(next.number())) {
                queuedBytes -= next.message().getSerializedSize();
                each.remove();
            }
        }
    }

    void close() {
        end(new RemotingException("closed"));
        call.cancel("closed", null);
    }
}
