package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.util.RpcFactoryHelper;
import com.google.protobuf.Message;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The installations of snapshots that are under way at replicas of this node, from the request until its answer: JRaft
 * answers when the snapshot is loaded or has failed. A repeated request counts beside the one that it replaces.
 *
 * <p>During that time a replica must not tell a leader where its log ends ({@link #answer}). JRaft names the end before
 * the snapshot. A leader that was elected during the load then goes back to that index. If the entry there is in its
 * log no more, it offers its own snapshot. If this one is older than the loaded snapshot, the replica says "not newer",
 * and the leader sends the entries after its own snapshot, which the replica cannot match with its log: it begins after
 * the loaded one. From there JRaft only ever goes further back, and offers the snapshot again, for as long as it leads
 * (ADR 102).
 *
 * <p>Thread-safe: a request arrives on a thread of gRPC, and is answered by a thread of JRaft.
 */
final class Installations {
    /** How many are under way; not 0. */
    private final Map<ServedGroup, Integer> underWay = new ConcurrentHashMap<>();

    void begin(ServedGroup group) {
        underWay.merge(group, 1, Integer::sum);
    }

    /** Does nothing after {@link #forget}. */
    void end(ServedGroup group) {
        underWay.computeIfPresent(group, (same, count) -> count == 1 ? null : count - 1);
    }

    /** The replica stops: JRaft may leave requests without an answer. */
    void forget(ServedGroup group) {
        underWay.remove(group);
    }

    boolean isUnderWay(ServedGroup group) {
        return underWay.containsKey(group);
    }

    /**
     * The answer to an append during an installation.
     *
     * @param response the answer of JRaft, which has accepted the leader if it answers in the leader's term
     * @return busy for a probe, so that the leader probes again later; success for a heartbeat that was refused because
     *     of the log, since the replica does follow the leader; else {@code response}
     */
    static Message answer(AppendEntriesRequest request, Message response) {
        if (request.getEntriesCount() > 0
                || !(response instanceof AppendEntriesResponse answer)
                || answer.hasErrorResponse()
                || answer.getTerm() != request.getTerm()) {
            return response;
        }
        if (RaftMessages.isProbe(request)) {
            return RpcFactoryHelper.responseFactory()
                    .newResponse(
                            AppendEntriesResponse.getDefaultInstance(),
                            RaftError.EBUSY,
                            "%s installs a snapshot of group %s",
                            request.getPeerId(),
                            request.getGroupId());
        }
        return answer.getSuccess()
                ? answer
                : answer.toBuilder().setSuccess(true).build();
    }
}
