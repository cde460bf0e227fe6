package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A replica that other nodes may call.
 *
 * @param peerId how JRaft names this node as a voter; a call for another reached the wrong node
 * @param mayVote whether it may vote: not while it is to be given the state of the group and has none. It may have been
 *     a voter once and have forgotten what it had acknowledged, which a candidate that lags would profit by
 * @param wouldVote whether it would vote for who canvasses ({@code Canvass})
 */
public record ServedGroup(
        String peerId, RaftServerService service, BooleanSupplier mayVote, Predicate<RequestVoteRequest> wouldVote) {}
