package io.godwit.kv.raft;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.google.protobuf.Message;
import io.godwit.kv.raft.RaftMessages.Numbered;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of appends to a node. Ends for good when its connection breaks, or the other side ends it: then what waits for an answer fails,
 * and whoever wants to go on opens another.
 *
 * <p>Guarded by its lock, since replicators of many groups send through it, and a gRPC call takes one message at a time. Answers are handed
 * out outside of it.
 */
final class AppendStream extends ClientCall.Listener<Numbered> {
    private record Waiting(RaftTransport.Answer answer, long deadlineNanos) {}

    private final String storeId;
    private final ClientCall<Numbered, Numbered> call;
    private final Map<Long, Waiting> waiting = new HashMap<>();
    private long lastNumber;
    private @Nullable Throwable ended;

    AppendStream(String storeId, Channel channel) {
        this.storeId = storeId;
        this.call = channel.newCall(RaftMessages.APPEND, CallOptions.DEFAULT);
    }

    void open() {
        synchronized (this) {
            call.start(this, new Metadata());
            call.request(Integer.MAX_VALUE); // answers are small, and as many as there are requests
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
                long number = ++lastNumber;
                waiting.put(
                        number, new Waiting(answer, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis)));
                call.sendMessage(new Numbered(number, request));
            }
        }
        if (failure != null) {
            answer.complete(null, failure);
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
        end(new RemotingException("appends to " + storeId + " broke off: " + GrpcRaftTransport.describe(status)));
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
        }
        left.forEach(each -> each.answer().complete(null, cause));
    }

    /** Fails what has waited for too long. */
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
        }
        late.forEach(
                each -> each.answer().complete(null, new InvokeTimeoutException("no answer in time from " + storeId)));
    }

    void close() {
        end(new RemotingException("closed"));
        call.cancel("closed", null);
    }
}
