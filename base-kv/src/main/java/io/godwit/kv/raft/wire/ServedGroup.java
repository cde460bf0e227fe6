package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A replica that other nodes may call.
 *
 * @param peerId JRaft's id of this node as a voter; a call for another id has reached the wrong node
 * @param mayVote whether it may vote: not while it waits for the state of the group and has none. It may have been a
 *     voter before and have lost what it had acknowledged, and must not help to elect a candidate that lacks the same
 * @param wouldVote whether it would vote for a candidate that canvasses ({@code Canvass})
 */
public record ServedGroup(
        String peerId, RaftServerService service, BooleanSupplier mayVote, Predicate<RequestVoteRequest> wouldVote) {}
