package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects a leader when the one of a group has died, without waiting for the election timeout.
 *
 * <p>Every surviving voter learns of the death by itself. They stand for election one after the other, in an order that they all find alike
 * and that differs from group to group, so that the groups of a dead node are spread: the first at once, the next when it still knows no
 * leader a step later, and once more in turn. One that lacks committed entries is not elected, and the next is; two that stood at once, and
 * got a vote each, do not wait for the timeout either. A candidate stands as if its leader had told it to
 * (JRaft's TimeoutNow with the current term): without asking first whether others have lost the leader too, which they would deny for as long
 * as the timeout lasts.
 *
 * <p>If the leader lives after all, it is voted out, or wins again; either is safe at any time.
 */
final class EarlyElection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyElection.class);
    /** Time to store a vote and to be told of it, with a disk that is busy. */
    private static final long STEP_MILLIS = 400;

    private static final int MAX_ROUNDS = 3;
    private static final int THREADS = 8;

    private final String selfId;
    private final Supplier<Collection<RaftGroup>> groups;
    private final ScheduledThreadPoolExecutor timer = RaftThreads.timer("raft-election");
    /** As many as share an fsync of votes. */
    private final ThreadPoolExecutor threads = RaftThreads.pool("raft-candidate", THREADS);

    EarlyElection(String selfId, Supplier<Collection<RaftGroup>> groups) {
        this.selfId = selfId;
        this.groups = groups;
    }

    void leaderDied(String storeId) {
        for (RaftGroup group : groups.get()) {
            try {
                threads.execute(() -> plan(group, storeId));
            } catch (RejectedExecutionException e) {
                return; // closing
            }
        }
    }

    private void plan(RaftGroup group, String deadId) {
        if (!isLeaderless(group, deadId)) {
            return;
        }
        List<String> candidates = candidates(group.groupId(), group.membership().voters(), deadId);
        int rank = candidates.indexOf(selfId);
        if (rank >= 0) {
            stand(group, deadId, rank, candidates.size(), 0);
        }
    }

    /** Whoever leads, or knows of another leader, is content. */
    private static boolean isLeaderless(RaftGroup group, String deadId) {
        String leader = group.leader();
        State state = group.node().getNodeState();
        return (leader.isEmpty() || leader.equals(deadId))
                && (state == State.STATE_FOLLOWER || state == State.STATE_CANDIDATE);
    }

    /** The surviving voters in the order in which they stand. */
    static List<String> candidates(String groupId, Collection<String> voters, String deadId) {
        return voters.stream()
                .filter(voter -> !voter.equals(deadId))
                .sorted(Comparator.comparingInt((String voter) -> mixed(groupId + "/" + voter))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** Names that differ in their last character have hashes that do so in the last bits. */
    private static int mixed(String text) {
        int hash = text.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) * 0x85EBCA6B;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timer
    private void stand(RaftGroup group, String deadId, int rank, int count, int round) {
        if (round == MAX_ROUNDS) {
            return; // no majority, most likely; the election timeout goes on trying
        }
        int place = rank + round * count;
        try {
            timer.schedule(
                    () -> threads.execute(() -> {
                        if (isLeaderless(group, deadId)) {
                            LOG.info("standing for election group={} dead={} place={}", group.groupId(), deadId, place);
                            elect(group);
                            stand(group, deadId, rank, count, round + 1);
                        }
                    }),
                    round == 0 ? place * STEP_MILLIS : count * STEP_MILLIS,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no election: closing");
        }
    }

    private void elect(RaftGroup group) {
        long term = ask(group, 0); // a term of the past changes nothing and is answered with the current one
        if (group.node().getNodeState() == State.STATE_CANDIDATE) {
            term++;
            ask(group, term); // one of the future makes it a follower again: it stood before, and was not elected
        }
        ask(group, term);
    }

    /** Returns the replica's term. */
    private long ask(RaftGroup group, long term) {
        RaftServerService replica = (RaftServerService) group.node();
        TimeoutNowRequest request = TimeoutNowRequest.newBuilder()
                .setGroupId(group.groupId())
                .setServerId(RaftHost.peer(selfId).toString())
                .setPeerId(RaftHost.peer(selfId).toString())
                .setTerm(term)
                .build();
        Object response = replica.handleTimeoutNowRequest(request, new Ignored());
        return response instanceof TimeoutNowResponse answered ? answered.getTerm() : 0;
    }

    /** Nobody waits for what becomes of it. */
    private static final class Ignored extends RpcRequestClosure {
        Ignored() {
            super(null);
        }

        @Override
        public void sendResponse(com.google.protobuf.Message message) {}

        @Override
        public void run(Status status) {}
    }

    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
