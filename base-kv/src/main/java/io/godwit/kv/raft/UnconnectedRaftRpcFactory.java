package io.godwit.kv.raft;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;

/**
 * What JRaft sends through when nodes run alone: there is nobody to reach, and whoever tries is told so. JRaft finds it as a service, ahead
 * of its own factory.
 */
@SPI(name = "godwit", priority = 100)
public final class UnconnectedRaftRpcFactory implements RaftRpcFactory {
    private static final RpcClient CLIENT = new UnconnectedClient();

    @Override
    public void registerProtobufSerializer(String className, Object... args) {}

    @Override
    public RpcClient createRpcClient(ConfigHelper<RpcClient> helper) {
        return CLIENT;
    }

    /** Nobody starts a server: groups are started without. */
    @Override
    public RpcServer createRpcServer(Endpoint endpoint, ConfigHelper<RpcServer> helper) {
        throw new UnsupportedOperationException("this node runs alone: no raft server at " + endpoint);
    }

    private static final class UnconnectedClient implements RpcClient {
        @Override
        public boolean init(RpcOptions options) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public boolean checkConnection(Endpoint endpoint) {
            return false;
        }

        @Override
        public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
            return false;
        }

        @Override
        public void closeConnection(Endpoint endpoint) {}

        @Override
        public void registerConnectEventListener(ReplicatorGroup group) {}

        @Override
        public Object invokeSync(Endpoint endpoint, Object request, InvokeContext context, long timeoutMillis)
                throws RemotingException {
            throw unreachable(endpoint, request);
        }

        @Override
        public void invokeAsync(
                Endpoint endpoint, Object request, InvokeContext context, InvokeCallback callback, long timeoutMillis)
                throws RemotingException {
            throw unreachable(endpoint, request);
        }

        private static RemotingException unreachable(Endpoint endpoint, Object request) {
            return new RemotingException(
                    "this node runs alone: " + request.getClass().getSimpleName() + " cannot be sent to " + endpoint);
        }
    }
}
