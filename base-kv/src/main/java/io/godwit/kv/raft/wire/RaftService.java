package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import com.alipay.sofa.jraft.rpc.RpcResponseClosureAdapter;
import com.alipay.sofa.jraft.util.RpcFactoryHelper;
import com.google.protobuf.Message;
import io.godwit.kv.raft.wire.RaftMessages.Numbered;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the requests of other nodes to their groups.
 *
 * <p>It does not use JRaft's request processors, which need a thread for every group and peer. Appends run on a few
 * threads, each group always on the same one, in the order of arrival; JRaft itself puts answers back in order. Votes
 * and similar requests share a small pool, so that the fsyncs of many elections share disk writes. The installation of
 * a snapshot blocks a thread until it ends.
 */
public final class RaftService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftService.class);
    private static final int LANES = 4;
    private static final int CALL_THREADS = 8;
    /** Appends of a stream that wait to be run; further ones wait at the sender. */
    private static final int APPENDS_AHEAD = 64;

    private final Map<String, ServedGroup> groups = new ConcurrentHashMap<>();
    private final Installations installations = new Installations();
    private final List<ThreadPoolExecutor> lanes = new ArrayList<>();
    private final ThreadPoolExecutor calls = RaftThreads.pool("raft-call", CALL_THREADS);
    private final ThreadPoolExecutor installs = RaftThreads.unbounded("raft-install");
    private final ServerServiceDefinition definition;
    private volatile MissingGroups missing = (groupId, caller) -> {};

    /** Handles requests of one type. */
    private interface Handler<R extends Message> {
        /** @return the response; null if {@code done} gets it, now or later */
        @Nullable
        Message handle(RaftServerService service, R request, RpcRequestClosure done);
    }

    RaftService() {
        for (int i = 0; i < LANES; i++) {
            lanes.add(RaftThreads.pool("raft-append-" + i, 1));
        }
        definition = ServerServiceDefinition.builder(RaftMessages.SERVICE)
                .addMethod(RaftMessages.APPEND, this::appends)
                .addMethod(RaftMessages.VOTE, unary(this::vote, calls))
                .addMethod(RaftMessages.CANVASS, unary(this::canvass, calls))
                .addMethod(RaftMessages.TIMEOUT_NOW, unary(this::timeoutNow, calls))
                .addMethod(RaftMessages.READ_INDEX, unary(this::readIndex, calls))
                .addMethod(RaftMessages.INSTALL_SNAPSHOT, unary(this::installSnapshot, installs))
                .build();
    }

    ServerServiceDefinition definition() {
        return definition;
    }

    void add(String groupId, ServedGroup group) {
        groups.put(groupId, group);
    }

    void remove(String groupId) {
        ServedGroup removed = groups.remove(groupId);
        if (removed != null) {
            installations.forget(removed);
        }
    }

    void onMissing(MissingGroups listener) {
        missing = listener;
    }

    // --- the methods

    private void vote(Message message, Consumer<Message> answer) {
        RequestVoteRequest request = (RequestVoteRequest) message;
        handle(
                request.getGroupId(),
                request.getServerId(),
                request.getPeerId(),
                request,
                RequestVoteResponse.getDefaultInstance(),
                answer,
                (service, same, done) -> same.getPreVote()
                        ? service.handlePreVoteRequest(same)
                        : service.handleRequestVoteRequest(same));
    }

    /** Denies a question about a group without a replica here, and makes none. */
    private void canvass(Message message, Consumer<Message> answer) {
        RequestVoteRequest request = (RequestVoteRequest) message;
        ServedGroup group = groups.get(request.getGroupId());
        boolean isGranted = group != null
                && group.peerId().equals(request.getPeerId())
                && group.mayVote().getAsBoolean()
                && group.wouldVote().test(request);
        answer.accept(RequestVoteResponse.newBuilder()
                .setTerm(0)
                .setGranted(isGranted)
                .build());
    }

    private void timeoutNow(Message message, Consumer<Message> answer) {
        TimeoutNowRequest request = (TimeoutNowRequest) message;
        handle(
                request.getGroupId(),
                request.getServerId(),
                request.getPeerId(),
                request,
                TimeoutNowResponse.getDefaultInstance(),
                answer,
                RaftServerService::handleTimeoutNowRequest);
    }

    private void installSnapshot(Message message, Consumer<Message> answer) {
        InstallSnapshotRequest request = (InstallSnapshotRequest) message;
        ServedGroup group = groups.get(request.getGroupId());
        if (group != null) {
            installations.begin(group);
        }
        handle(
                request.getGroupId(),
                request.getServerId(),
                request.getPeerId(),
                request,
                InstallSnapshotResponse.getDefaultInstance(),
                response -> {
                    if (group != null) {
                        installations.end(group);
                    }
                    answer.accept(response);
                },
                RaftServerService::handleInstallSnapshot);
    }

    private void readIndex(Message message, Consumer<Message> answer) {
        ReadIndexRequest request = (ReadIndexRequest) message;
        handle(
                request.getGroupId(),
                request.getServerId(),
                request.getPeerId(),
                request,
                ReadIndexResponse.getDefaultInstance(),
                answer,
                (service, same, done) -> {
                    service.handleReadIndexRequest(same, new RpcResponseClosureAdapter<ReadIndexResponse>() {
                        @Override
                        public void run(Status status) {
                            if (getResponse() != null) {
                                if (getResponse().getSuccess()) {
                                    LearnerCommits.tell(service, same.getServerId());
                                }
                                done.sendResponse(getResponse());
                            } else {
                                done.run(status);
                            }
                        }
                    });
                    return null;
                });
    }

    private void append(AppendEntriesRequest request, Consumer<Message> answer) {
        ServedGroup group = groups.get(request.getGroupId());
        // asked before JRaft answers: an installation that ends in between may not show in its answer
        boolean installs = group != null && installations.isUnderWay(group);
        handle(
                request.getGroupId(),
                request.getServerId(),
                request.getPeerId(),
                request,
                AppendEntriesResponse.getDefaultInstance(),
                installs ? response -> answer.accept(Installations.answer(request, response)) : answer,
                RaftServerService::handleAppendEntriesRequest);
    }

    private <R extends Message> void handle(
            String groupId,
            String caller,
            String peerId,
            R request,
            Message responseType,
            Consumer<Message> answer,
            Handler<R> handler) {
        RpcRequestClosure done = new RpcRequestClosure(new Reply(answer), responseType);
        ServedGroup group = groups.get(groupId);
        if (group == null || !group.peerId().equals(peerId)) {
            done.sendResponse(RpcFactoryHelper.responseFactory()
                    .newResponse(responseType, RaftError.ENOENT, "no replica %s of group %s here", peerId, groupId));
            if (group == null) {
                missing.called(groupId, PeerIds.storeIdOf(caller));
            }
            return;
        }
        if (request instanceof RequestVoteRequest && !group.mayVote().getAsBoolean()) {
            done.sendResponse(RpcFactoryHelper.responseFactory()
                    .newResponse(responseType, RaftError.EPERM, "%s has nothing of group %s yet", peerId, groupId));
            return;
        }
        try {
            Message response = handler.handle(group.service(), request, done);
            if (response != null) {
                done.sendResponse(response);
            }
        } catch (RuntimeException e) { // outermost frame of a call: exceptions of JRaft
            LOG.info(
                    "raft request failed group={} request={} cause={}",
                    groupId,
                    request.getClass().getSimpleName(),
                    e.toString());
            done.run(new Status(RaftError.EINTERNAL, "request failed: %s", e));
        }
    }

    /** The part of a connection that JRaft's closures use: how to answer. */
    private record Reply(Consumer<Message> answer) implements RpcContext {
        @Override
        public void sendResponse(Object response) {
            answer.accept((Message) response);
        }

        @Override
        public @Nullable Connection getConnection() {
            return null;
        }

        @Override
        public String getRemoteAddress() {
            return "";
        }
    }

    // --- gRPC's side

    private interface Method {
        void run(Message request, Consumer<Message> answer);
    }

    private static io.grpc.ServerCallHandler<Message, Message> unary(Method method, Executor executor) {
        return ServerCalls.asyncUnaryCall((request, observer) -> {
            // not an error of the group if the caller has gone
            ((ServerCallStreamObserver<Message>) observer).setOnCancelHandler(() -> {});
            try {
                executor.execute(() -> method.run(request, response -> complete(observer, response)));
            } catch (RejectedExecutionException e) {
                observer.onError(
                        io.grpc.Status.UNAVAILABLE.withDescription("closing").asRuntimeException());
            }
        });
    }

    private static void complete(StreamObserver<Message> observer, Message response) {
        observer.onNext(response);
        observer.onCompleted();
    }

    private ServerCall.Listener<Numbered> appends(ServerCall<Numbered, Numbered> call, Metadata headers) {
        call.sendHeaders(new Metadata());
        call.request(APPENDS_AHEAD);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(Numbered message) {
                AppendEntriesRequest request = (AppendEntriesRequest) message.message();
                int lane = Math.floorMod(request.getGroupId().hashCode(), LANES);
                try {
                    lanes.get(lane).execute(() -> {
                        append(request, response -> send(call, new Numbered(message.number(), response)));
                        call.request(1);
                    });
                } catch (RejectedExecutionException e) {
                    LOG.debug("append ignored: closing");
                }
            }

            @Override
            public void onHalfClose() {
                synchronized (call) {
                    call.close(io.grpc.Status.OK, new Metadata());
                }
            }
        };
    }

    /**
     * Sends under the call's lock, because answers come from lanes and from threads that write the logs, and a call
     * takes one message at a time.
     */
    private static void send(ServerCall<Numbered, Numbered> call, Numbered answer) {
        synchronized (call) {
            if (!call.isCancelled()) {
                call.sendMessage(answer);
            }
        }
    }

    @Override
    public void close() {
        groups.clear();
        calls.shutdown();
        installs.shutdownNow(); // an installation waits for another node
        lanes.forEach(ThreadPoolExecutor::shutdown);
    }
}
