package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.google.protobuf.Message;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** For a node that is not in a cluster: every call fails. */
public final class AloneTransport implements RaftTransport {

    @Override
    public void call(String storeId, Message request, long timeoutMillis, Answer answer) {
        answer.complete(
                null,
                new RemotingException("this node runs alone: "
                        + request.getClass().getSimpleName() + " cannot be sent to " + storeId));
    }

    @Override
    public void canvass(String storeId, RequestVoteRequest request, long timeoutMillis, Answer answer) {
        call(storeId, request, timeoutMillis, answer);
    }

    @Override
    public Executor answers() {
        return ForkJoinPool.commonPool(); // not the caller's thread, which holds locks of the group
    }

    @Override
    public void serve(String groupId, ServedGroup group) {}

    @Override
    public void serveNoMore(String groupId) {}

    @Override
    public void onMissing(MissingGroups missing) {}

    @Override
    public void close() {}
}
