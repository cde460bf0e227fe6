package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcResponseFactory;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.godwit.kv.raft.wire.RaftMessages;
import io.godwit.kv.raft.wire.RaftTransport;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects JRaft to other nodes through the group's {@link RaftTransport}. JRaft finds this factory as a service and
 * prefers it to its own; there is one per process.
 *
 * <p>JRaft is told that every node is connected. Otherwise it would send a ping, holding the group's lock for up to a
 * second, and would send no votes to a node that has not answered. A request that cannot be sent fails at once, like
 * any failed request.
 */
@SPI(name = "godwit", priority = 100)
public final class GrpcRaftRpcFactory implements RaftRpcFactory {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcRaftRpcFactory.class);
    private static final RpcResponseFactory RESPONSES = new Responses();

    @Override
    public void registerProtobufSerializer(String className, Object... args) {}

    @Override
    public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
        return new Client();
    }

    /** Not called: groups are served by the transport. */
    @Override
    public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
        throw new UnsupportedOperationException("groups are served by the node's RPC server, not at " + endpoint);
    }

    @Override
    public RpcResponseFactory getRpcResponseFactory() {
        return RESPONSES;
    }

    private static final class Client implements RpcClient {
        /** Set before the first call. */
        private volatile @Nullable RaftTransport transport;

        @Override
        public boolean init(RpcOptions options) {
            transport = ((RaftNodeOptions) options).transport();
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public boolean checkConnection(Endpoint endpoint) {
            return true;
        }

        @Override
        public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
            return true;
        }

        @Override
        public void closeConnection(Endpoint endpoint) {}

        @Override
        public void registerConnectEventListener(ReplicatorGroup group) {}

        /** JRaft uses this for pings only, and pings no node that is said to be connected. */
        @Override
        public Object invokeSync(Endpoint endpoint, Object request, InvokeContext context, long timeoutMillis)
                throws RemotingException {
            throw new RemotingException(
                    "no blocking calls: " + request.getClass().getSimpleName());
        }

        @Override
        public void invokeAsync(
                Endpoint endpoint, Object request, InvokeContext context, InvokeCallback callback, long timeoutMillis)
                throws RemotingException {
            RaftTransport through = transport;
            if (through == null) {
                throw new RemotingException("not initialised");
            }
            // the address of a voter is its store id; see RaftHost
            through.call(
                    endpoint.getIp(),
                    (Message) request,
                    timeoutMillis,
                    (response, failure) -> complete(through, request, callback, response, failure));
        }

        /**
         * Answers to append requests stay in order on their own executor. JRaft's other executor would need two threads
         * per group.
         */
        private static void complete(
                RaftTransport through,
                Object request,
                InvokeCallback callback,
                @Nullable Message response,
                @Nullable Throwable failure) {
            Executor ordered = request instanceof AppendEntriesRequest ? callback.executor() : null;
            Executor executor = ordered == null ? through.answers() : ordered;
            Runnable task = () -> {
                if (request instanceof AppendEntriesRequest append && RaftMessages.isProbe(append)) {
                    awaitRegistration(append);
                }
                callback.complete(response, failure);
            };
            try {
                executor.execute(task);
            } catch (
                    RejectedExecutionException
                            e) { // the queue is full; a lost answer would stop the replicator for good
                try {
                    through.answers().execute(task);
                } catch (RejectedExecutionException closed) {
                    LOG.debug("answer ignored: closing");
                }
            }
        }
    }

    /**
     * Waits until the group's lock is free. When JRaft adds a voter, it sends the probe first and only then registers
     * who is told when the voter has caught up. An answer in between would find nobody registered, and an idle group
     * gets no second answer.
     */
    private static void awaitRegistration(AppendEntriesRequest probe) {
        Node node = NodeManager.getInstance().get(probe.getGroupId(), PeerId.parsePeer(probe.getServerId()));
        if (node != null) {
            node.getLeaderId(); // takes the lock
        }
    }

    /**
     * Puts an error into the error field that every JRaft response has, so that the response keeps its method's type.
     */
    private static final class Responses implements RpcResponseFactory {
        @Override
        public Message newResponse(@Nullable Message parent, int code, @Nullable String format, Object... arguments) {
            ErrorResponse.Builder error = ErrorResponse.newBuilder().setErrorCode(code);
            if (format != null) {
                error.setErrorMsg(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
            }
            if (parent == null) {
                return error.build();
            }
            FieldDescriptor field = parent.getDescriptorForType().findFieldByNumber(ERROR_RESPONSE_NUM);
            if (field == null) {
                return error.build();
            }
            // partial, because the required fields of a response have no meaning in an error
            return parent.toBuilder().setField(field, error.build()).buildPartial();
        }
    }
}
