package io.godwit.kv.remote;

import io.godwit.cluster.rpc.RpcServer;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.wire.CallRequest;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the calls of other nodes and passes them to the ranges of this node.
 *
 * <p>Only the newest stream of each node and store is valid: when a node has given up a stream and opened another,
 * calls still on their way in the first are dropped, because they would be applied after later ones.
 */
public final class CallService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallService.class);

    private final String clusterId;
    private final RangeHost host;
    private final RpcServer server;
    private final NodeProtocol protocol;
    private final ServerServiceDefinition service;
    private final Map<CallerId, Caller> callers = new ConcurrentHashMap<>();

    private record CallerId(String storeId, String store) {}

    /** Begins to serve calls of all versions of {@code protocol}. */
    public CallService(String clusterId, NodeProtocol protocol, RpcServer server, RangeHost host) {
        this.clusterId = clusterId;
        this.protocol = protocol;
        this.host = host;
        this.server = server;
        ServerServiceDefinition.Builder methods = ServerServiceDefinition.builder(CallForm.SERVICE);
        for (CallForm form : CallForm.servedBy(protocol)) {
            methods.addMethod(
                    form.method(),
                    ServerCalls.asyncBidiStreamingCall(
                            replies -> new Incoming(form, (ServerCallStreamObserver<byte[]>) replies)));
        }
        this.service = methods.build();
        server.add(service);
    }

    @Override
    public void close() {
        server.remove(service);
    }

    /**
     * A calling node with its newest stream. Its lock orders the end of a stream and the calls in progress, which come
     * from threads of several connections.
     */
    private static final class Caller {
        private long incarnation;
        private long stream;
        private @Nullable Incoming newest;

        synchronized boolean takes(CallFrame.Hello hello, Incoming incoming) {
            if (hello.incarnation() < incarnation || hello.incarnation() == incarnation && hello.stream() <= stream) {
                return false;
            }
            incarnation = hello.incarnation();
            stream = hello.stream();
            newest = incoming;
            return true;
        }
    }

    /** One stream; gRPC makes one call at a time. */
    private final class Incoming implements StreamObserver<byte[]> {
        private final CallForm form;
        private final ServerCallStreamObserver<byte[]> replies;
        private @Nullable Caller caller;
        private String store = "";

        Incoming(CallForm form, ServerCallStreamObserver<byte[]> replies) {
            this.form = form;
            this.replies = replies;
            replies.setOnCancelHandler(() -> {}); // a caller that is gone needs no replies
        }

        @Override
        public void onNext(byte[] frame) {
            try {
                CallRequest request = form.requests().decode(frame);
                switch (request.getKindCase()) {
                    case CALL -> handle(CallFrame.request(request.getCall()));
                    case HELLO -> begin(CallFrame.hello(request.getHello()));
                    case KIND_NOT_SET -> throw new IOException("neither a hello nor a call");
                }
            } catch (IOException e) {
                refuse(Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
            }
        }

        private void begin(CallFrame.Hello hello) throws IOException {
            if (!protocol.includes(hello.version())
                    || !CallForm.of(hello.version()).equals(form)) {
                throw new IOException("calls of version " + hello.version() + ", expected " + protocol.versions());
            }
            if (!hello.clusterId().equals(clusterId)) {
                refuse(Status.PERMISSION_DENIED.withDescription(
                        "this node is of cluster " + clusterId + ", not of " + hello.clusterId()));
                return;
            }
            Caller known = callers.computeIfAbsent(new CallerId(hello.caller(), hello.store()), id -> new Caller());
            if (!known.takes(hello, this)) {
                refuse(Status.ABORTED.withDescription("a later stream has been opened"));
                return;
            }
            store = hello.store();
            caller = known;
        }

        private void handle(CallFrame.Request request) throws IOException {
            Caller from = caller;
            if (from == null) {
                throw new IOException("call without a hello");
            }
            Deadline deadline = Deadline.afterMillis(request.millisLeft());
            CompletableFuture<byte[]> answer;
            synchronized (from) {
                if (from.newest != this) {
                    return; // nobody waits for it
                }
                answer = host.handle(
                        store,
                        request.token(),
                        new RangeCall(
                                request.number(),
                                request.kind(),
                                request.key(),
                                request.end(),
                                request.payload(),
                                deadline));
            }
            answer.whenComplete((value, failure) -> reply(request.number(), CallReply.of(value, failure)));
        }

        private void reply(long number, CallReply reply) {
            byte[] frame = form.answers().encode(CallFrame.message(new CallFrame.Reply(number, reply)));
            synchronized (replies) { // ranges answer on many threads, and a stream takes one reply at a time
                if (!replies.isCancelled()) {
                    replies.onNext(frame);
                }
            }
        }

        private void refuse(Status status) {
            LOG.info("calls of a node refused cause={}", status.getDescription());
            caller = null;
            synchronized (replies) {
                replies.onError(status.asRuntimeException());
            }
        }

        @Override
        public void onError(Throwable thrown) {
            LOG.debug("stream of calls broke store={} cause={}", store, thrown.toString());
        }

        @Override
        public void onCompleted() {
            synchronized (replies) {
                if (!replies.isCancelled()) {
                    replies.onCompleted();
                }
            }
        }
    }
}
