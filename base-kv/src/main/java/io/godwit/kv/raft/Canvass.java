package io.godwit.kv.raft;

import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import io.godwit.kv.raft.wire.PeerIds;
import io.godwit.kv.raft.wire.RaftTransport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks the other voters of a group before a candidate raises the term (pre-vote, Raft dissertation, 9.6). A node that
 * is cut off gets no majority and so raises no term, and the majority's leader stays leader when the link heals. The
 * same holds for a node that lacks entries and could not be elected. JRaft's own pre-vote cannot be used: voters deny
 * it until the election timeout has passed.
 */
final class Canvass {
    private static final long TIMEOUT_MILLIS = 300;
    /** The term in a request that contains the end of the candidate's log; 0 if it does not. */
    private static final long WITH_LOG_END = 1;

    private final String selfId;
    private final RaftTransport transport;

    Canvass(String selfId, RaftTransport transport) {
        this.selfId = selfId;
        this.transport = transport;
    }

    /**
     * Whether a majority of the voters, including this one, would vote for this node now. Blocks until that is known,
     * for at most {@value #TIMEOUT_MILLIS} ms.
     *
     * @param isLeaderGone whether the voters must have lost the leader too; otherwise it is enough that they answer
     */
    boolean hasMajority(JRaftGroup group, boolean isLeaderGone) {
        List<String> voters = group.membership().voters();
        int needed = voters.size() / 2; // besides this one
        if (!voters.contains(selfId)) {
            return false;
        }
        if (needed == 0) {
            return true;
        }
        CompletableFuture<Boolean> isElected = new CompletableFuture<>();
        AtomicInteger missing = new AtomicInteger(needed); // answers come on several threads
        AtomicInteger open = new AtomicInteger(voters.size() - 1);
        for (String voter : voters) {
            if (!voter.equals(selfId)) {
                transport.canvass(voter, request(group, voter, isLeaderGone), TIMEOUT_MILLIS, (response, failure) -> {
                    boolean isGranted = response instanceof RequestVoteResponse vote && vote.getGranted();
                    if (isGranted && missing.decrementAndGet() == 0) {
                        isElected.complete(true);
                    }
                    if (open.decrementAndGet() == 0) {
                        isElected.complete(false); // no effect after the majority
                    }
                });
            }
        }
        return outcome(isElected);
    }

    private static boolean outcome(CompletableFuture<Boolean> isElected) {
        try {
            return isElected.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private RequestVoteRequest request(JRaftGroup group, String voter, boolean isLeaderGone) {
        Optional<LogEnd> end = group.logEnd();
        return RequestVoteRequest.newBuilder()
                .setGroupId(group.groupId())
                .setServerId(PeerIds.peer(selfId).toString())
                .setPeerId(PeerIds.peer(voter).toString())
                .setTerm(end.isPresent() ? WITH_LOG_END : 0)
                .setLastLogTerm(end.map(LogEnd::term).orElse(0L))
                .setLastLogIndex(end.map(LogEnd::index).orElse(0L))
                .setPreVote(isLeaderGone)
                .build();
    }

    /** Whether the candidate's log ends before that of {@code voter}; false if either end is unknown. */
    static boolean isBehind(RequestVoteRequest asked, JRaftGroup voter) {
        if (asked.getTerm() != WITH_LOG_END) {
            return false;
        }
        LogEnd candidate = new LogEnd(asked.getLastLogTerm(), asked.getLastLogIndex());
        return voter.logEnd().filter(own -> candidate.compareTo(own) < 0).isPresent();
    }
}
