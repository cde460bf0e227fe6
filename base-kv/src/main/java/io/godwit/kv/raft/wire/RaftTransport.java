package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.google.protobuf.Message;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Carries JRaft's messages to the nodes that other voters live on. Any thread; nothing blocks. */
public interface RaftTransport extends AutoCloseable {

    /** Told once, on any thread, which it must not block. */
    interface Answer {
        /**
         * @param response null when it failed
         * @param failure a {@link com.alipay.sofa.jraft.error.RemotingException}; null when there is a response
         */
        void complete(@Nullable Message response, @Nullable Throwable failure);
    }

    /**
     * Sends {@code request} to a node. Requests to append entries of one group arrive in the order in which they were
     * sent; others overtake each other.
     *
     * @param storeId names the node
     */
    void call(String storeId, Message request, long timeoutMillis, Answer answer);

    /**
     * Asks the voter on a node whether it would vote, before a term is raised: see {@code Canvass}.
     *
     * @param request its pre-vote flag says whether the voter must have lost the leader; term and log are not looked at
     */
    void canvass(String storeId, RequestVoteRequest request, long timeoutMillis, Answer answer);

    /** Runs what JRaft does with answers, which may block. */
    Executor answers();

    /** Lets other nodes reach {@code group}, whose calls arrive on threads that may block. */
    void serve(String groupId, ServedGroup group);

    void serveNoMore(String groupId);

    /** From now on {@code missing} is told of calls for groups that are not served. */
    void onMissing(MissingGroups missing);

    @Override
    void close();
}
