package io.godwit.kv.raft;

import com.alipay.sofa.jraft.rpc.RaftServerService;

/**
 * A replica that other nodes may call.
 *
 * @param peerId how JRaft names this node as a voter; a call for another reached the wrong node
 */
record ServedGroup(String peerId, RaftServerService service) {}
