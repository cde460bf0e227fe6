package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.google.protobuf.Message;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries Raft messages over the node's RPC server and channels. A group's appends to a node use one of a few streams,
 * chosen by the group's id, so that they stay in order and a large one delays only some groups.
 */
public final class GrpcRaftTransport implements RaftTransport {
    private static final int STREAMS = 4;
    private static final int ANSWER_THREADS = 4;
    private static final Logger LOG = LoggerFactory.getLogger(GrpcRaftTransport.class);
    private static final long SWEEP_MILLIS = 100;
    private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record StreamKey(String storeId, int lane) {}

    private final RpcServer server;
    private final RpcChannels channels;
    private final RaftService service = new RaftService();
    private final ConcurrentMap<StreamKey, AppendStream> streams = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    // used by the sweeper
    private long refusedTold;
    private long refusedToldNanos;
    private final ThreadPoolExecutor answers = RaftThreads.pool("raft-answer", ANSWER_THREADS);
    private final ScheduledThreadPoolExecutor sweeper = RaftThreads.timer("raft-sweep");

    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the sweeper
    public GrpcRaftTransport(RpcServer server, RpcChannels channels) {
        this.server = server;
        this.channels = channels;
        server.add(service.definition());
        sweeper.scheduleWithFixedDelay(guarded(this::sweep), SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void call(String storeId, Message request, long timeoutMillis, Answer answer) {
        Channel channel = channels.to(storeId);
        if (channel == null) {
            answer.complete(null, new RemotingException("no member " + storeId));
        } else if (request instanceof AppendEntriesRequest append) {
            stream(storeId, channel, append.getGroupId()).send(append, timeoutMillis, answer);
        } else {
            ClientCalls.asyncUnaryCall(
                    channel.newCall(
                            RaftMessages.methodFor(request),
                            CallOptions.DEFAULT.withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS)),
                    request,
                    new Once(answer));
        }
    }

    @Override
    public void canvass(String storeId, RequestVoteRequest request, long timeoutMillis, Answer answer) {
        Channel channel = channels.to(storeId);
        if (channel == null) {
            answer.complete(null, new RemotingException("no member " + storeId));
            return;
        }
        ClientCalls.asyncUnaryCall(
                channel.newCall(
                        RaftMessages.CANVASS,
                        CallOptions.DEFAULT.withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS)),
                request,
                new Once(answer) {
                    @Override
                    public void onError(Throwable thrown) {
                        if (Status.fromThrowable(thrown).getCode() == Status.Code.UNIMPLEMENTED) {
                            // a node of an earlier version can be reached, and votes without being asked first
                            answer.complete(
                                    RequestVoteResponse.newBuilder()
                                            .setTerm(0)
                                            .setGranted(true)
                                            .build(),
                                    null);
                        } else {
                            super.onError(thrown);
                        }
                    }
                });
    }

    private AppendStream stream(String storeId, Channel channel, String groupId) {
        StreamKey key = new StreamKey(storeId, Math.floorMod(groupId.hashCode(), STREAMS));
        AppendStream known = streams.get(key);
        if (known != null && known.isOpen()) {
            return known;
        }
        return streams.compute(key, (same, current) -> {
            if (current != null && current.isOpen()) {
                return current; // another thread has opened it
            }
            AppendStream fresh = new AppendStream(storeId, channel, refused);
            fresh.open();
            return fresh;
        });
    }

    /** Logs what a round throws, so that the next round comes: without it no late append would be answered. */
    static Runnable guarded(Runnable round) {
        return () -> {
            try {
                round.run();
            } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
                LOG.error("late appends not looked at", e);
            }
        };
    }

    private void sweep() {
        long now = System.nanoTime();
        streams.values().forEach(stream -> stream.expire(now));
        tellRefused();
    }

    /** Logs at most once a minute, because requests to a node that does not read are repeated all the time. */
    private void tellRefused() {
        long now = System.nanoTime();
        long sum = refused.sum();
        if (sum > refusedTold && (refusedTold == 0 || now - refusedToldNanos > TELL_NANOS)) {
            LOG.warn("appends not sent, the other node does not read them appends={}", sum - refusedTold);
            refusedTold = sum;
            refusedToldNanos = now;
        }
    }

    @Override
    public Executor answers() {
        return answers;
    }

    @Override
    public void serve(String groupId, ServedGroup group) {
        service.add(groupId, group);
    }

    @Override
    public void serveNoMore(String groupId) {
        service.remove(groupId);
    }

    @Override
    public void onMissing(MissingGroups missing) {
        service.onMissing(missing);
    }

    /** The groups must be closed before. */
    @Override
    public void close() {
        server.remove(service.definition());
        sweeper.shutdownNow();
        streams.values().forEach(AppendStream::close);
        service.close();
        answers.shutdown();
    }

    /** Converts the end of a call into one answer. */
    private static class Once implements StreamObserver<Message> {
        private final Answer answer;
        private @Nullable Message response;

        Once(Answer answer) {
            this.answer = answer;
        }

        @Override
        public void onNext(Message value) {
            response = value;
        }

        @Override
        public void onError(Throwable thrown) {
            Status status = Status.fromThrowable(thrown);
            boolean timedOut = status.getCode() == Status.Code.DEADLINE_EXCEEDED;
            String what = StatusText.of(status);
            answer.complete(null, timedOut ? new InvokeTimeoutException(what) : new RemotingException(what));
        }

        @Override
        public void onCompleted() {
            Message received = response;
            if (received == null) {
                answer.complete(null, new RemotingException("no response"));
            } else {
                answer.complete(received, null);
            }
        }
    }
}
