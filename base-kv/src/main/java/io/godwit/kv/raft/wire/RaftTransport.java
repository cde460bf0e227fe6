package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.google.protobuf.Message;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Carries JRaft's messages to other nodes. Any thread; does not block. */
public interface RaftTransport extends AutoCloseable {

    /** Receives the outcome of a call, once, on any thread, which it must not block. */
    interface Answer {
        /**
         * The call has ended.
         *
         * @param response null if the call has failed
         * @param failure a {@link com.alipay.sofa.jraft.error.RemotingException}; null if there is a response
         */
        void complete(@Nullable Message response, @Nullable Throwable failure);
    }

    /**
     * Sends {@code request} to a node. Append requests of one group arrive in the order in which they were sent; other
     * requests may overtake each other.
     *
     * @param storeId the node to send it to
     */
    void call(String storeId, Message request, long timeoutMillis, Answer answer);

    /**
     * Asks the voter on a node, before a term is raised, whether it would vote: see {@code Canvass}.
     *
     * @param request its pre-vote flag says whether the voter must have lost the leader; its log end, if given, is
     *     compared with the voter's
     */
    void canvass(String storeId, RequestVoteRequest request, long timeoutMillis, Answer answer);

    /** Runs JRaft's handling of answers, which may block. */
    Executor answers();

    /** Lets other nodes call {@code group}. Calls arrive on threads that may block. */
    void serve(String groupId, ServedGroup group);

    void serveNoMore(String groupId);

    /** Sets {@code missing}, which is told of calls for groups that are not served. */
    void onMissing(MissingGroups missing);

    @Override
    void close();
}
