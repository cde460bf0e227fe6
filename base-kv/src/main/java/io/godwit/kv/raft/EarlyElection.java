package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import io.godwit.kv.raft.wire.PeerIds;
import io.godwit.kv.raft.wire.RaftThreads;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects a new leader for a group whose leader has died, without waiting for the election timeout.
 *
 * <p>Every surviving voter learns of the death by itself. The voters stand for election one after the other, in an
 * order that all compute alike and that differs between groups, so that the groups of a dead node are spread. The first
 * stands at once, the next one step later if it still knows no leader, and so on, repeatedly. If the term shows a voter
 * that another one has stood since its last look, it waits half a step, once. So it gives the other one time to be
 * elected, and then stands between the other's turns and not at the same time: the other may lack committed entries and
 * never be elected. Two voters that stood at once and got a vote each do not wait for the timeout either. A voter has
 * at most one candidacy per group, for the last death it was told of, because a second one would disturb the turns of
 * the others.
 *
 * <p>On a busy disk, a voter that lacks entries may stand just after another one has been elected. Then the elected one
 * gives up its term, and the one that stands is not elected. So an elected voter keeps checking for a while and stands
 * again at once, and a voter that stands in vain waits longer each time. A voter that hands its leadership over no
 * longer checks: between its term and the election of the other voter there is no leader either, and it would take the
 * leadership back.
 *
 * <p>Before it raises the term, a candidate asks the others whether they have lost the leader too ({@link Canvass}).
 * Without a majority of such answers it does not stand. So a node that is cut off from all others, and takes them for
 * dead, raises no term. Nor does a candidate that lacks entries: a voter that has them denies, and stands itself.
 * Others may learn of a death a moment later, so the first repetitions of the question come soon. Then the candidate
 * stands as if its leader had told it to (JRaft's TimeoutNow with the current term).
 *
 * <p>If the leader is alive after all, it is voted out or wins again; both are safe at any time.
 */
final class EarlyElection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyElection.class);
    /** Time to store a vote and to answer, with a busy disk. */
    private static final long STEP_MILLIS = 400;
    /** Added for each group that lost its leader at the same time, because their votes queue at the same disks. */
    private static final long STEP_MILLIS_PER_GROUP = 3;

    private static final long MAX_STEP_MILLIS = 2_000;

    private static final int MAX_LOOKS = 12;
    /** Checks while there is a leader, half a step apart. */
    private static final int MAX_CONTENT_LOOKS = 20;
    /**
     * First step of a new group, doubled with each check up to {@link #STEP_MILLIS}: nobody else stands, and the other
     * replicas may appear at any moment.
     */
    private static final long FIRST_STEP_MILLIS = 50;

    /** Pause before a candidate without a majority asks again. */
    private static final long DENIED_MILLIS = 100;

    private static final int MAX_QUICK_DENIALS = 8;

    private static final int THREADS = 8;

    private final String selfId;
    private final Supplier<Collection<JRaftGroup>> groups;
    private final Canvass canvass;
    private final ScheduledThreadPoolExecutor timer = RaftThreads.timer("raft-election");
    /** Enough threads that votes can share an fsync. */
    private final ThreadPoolExecutor threads = RaftThreads.pool("raft-candidate", THREADS);
    /** The current candidacy of each group, by group id; changed by the threads that run candidacies. */
    private final ConcurrentMap<String, Candidacy> candidacies = new ConcurrentHashMap<>();

    EarlyElection(String selfId, Supplier<Collection<JRaftGroup>> groups, Canvass canvass) {
        this.selfId = selfId;
        this.groups = groups;
        this.canvass = canvass;
    }

    /** Starts elections in the groups that {@code storeId} led. Any thread; returns at once. */
    void leaderDied(String storeId) {
        run(() -> {
            List<JRaftGroup> lost = groups.get().stream()
                    .filter(group -> isLeaderless(group, storeId))
                    .toList();
            long step = Math.min(MAX_STEP_MILLIS, STEP_MILLIS + STEP_MILLIS_PER_GROUP * lost.size());
            lost.forEach(group -> run(() -> plan(group, storeId, step)));
        });
    }

    /** A group is new: this replica stands alone, until there is a leader or the others have had time to be created. */
    void stand(JRaftGroup group) {
        run(begun(new Candidacy(group, "", FIRST_STEP_MILLIS, 1, true)));
    }

    /**
     * The leader is alive, but another node does not reach it: if this replica follows that leader, it stands until
     * there is another leader.
     */
    void takeOver(JRaftGroup group, String leaderId) {
        run(() -> {
            boolean isVoter = group.membership().voters().contains(selfId);
            if (isVoter && group.leader().equals(leaderId)) {
                run(begun(new Candidacy(group, leaderId, STEP_MILLIS, 2, false)));
            }
        });
    }

    /**
     * This replica stands because a candidate that asked for its vote cannot win, having a shorter log. Also used when
     * this replica's leadership has ended by itself.
     */
    void standInstead(JRaftGroup group, String deadId) {
        Candidacy fresh = new Candidacy(group, deadId, STEP_MILLIS, 2, true);
        Candidacy counting = candidacies.compute(
                group.groupId(), (id, before) -> before != null && before.standsFor(deadId) ? before : fresh);
        if (counting.equals(fresh)) {
            run(fresh);
        }
    }

    /** This replica hands its leadership over, and leaves the next election to others. */
    void handsOver(JRaftGroup group) {
        candidacies.remove(group.groupId());
    }

    private void run(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("no election: closing");
        }
    }

    private void plan(JRaftGroup group, String deadId, long step) {
        List<String> candidates = candidates(group.groupId(), group.membership().voters(), deadId);
        int rank = candidates.indexOf(selfId);
        if (rank < 0) {
            return;
        }
        Candidacy fresh = new Candidacy(group, deadId, step, candidates.size(), true);
        Candidacy counting = candidacies.compute(
                group.groupId(), (id, before) -> before != null && before.standsFor(deadId) ? before : fresh);
        if (counting.equals(fresh)) {
            later(rank * step, fresh);
        }
    }

    private Candidacy begun(Candidacy candidacy) {
        candidacies.put(candidacy.group.groupId(), candidacy);
        return candidacy;
    }

    /** Whether the replica knows no leader, or only the dead one, and does not lead itself. */
    private static boolean isLeaderless(JRaftGroup group, String deadId) {
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

    /** Mixes the bits, because hashes of names that differ in the last character differ only in the last bits. */
    private static int mixed(String text) {
        int hash = text.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) * 0x85EBCA6B;
    }

    /** The turns of this voter in one group. Confined to the task that runs it, which schedules the next run. */
    private final class Candidacy implements Runnable {
        private final JRaftGroup group;
        private final String deadId;
        private long step;
        private final int candidates;
        /** Whether the others must have lost the leader too; otherwise it is alive, and this node reaches it. */
        private final boolean isLeaderGone;

        private long term;
        private boolean gaveWay;
        private boolean hasLed;
        private int stands;
        private int looks;
        private int contentLooks;
        private int denials;
        /** Whether there is a leader. Read by the thread that handles another death. */
        private volatile boolean isContent;

        Candidacy(JRaftGroup group, String deadId, long step, int candidates, boolean isLeaderGone) {
            this.group = group;
            this.deadId = deadId;
            this.step = step;
            this.candidates = candidates;
            this.isLeaderGone = isLeaderGone;
            this.term = termOf(group);
        }

        /** Any thread. */
        boolean standsFor(String dead) {
            return !isContent && deadId.equals(dead);
        }

        @Override
        public void run() {
            if (candidacies.get(group.groupId()) != this) {
                return;
            }
            if (!isLeaderless(group, deadId)) {
                lookOn();
                return;
            }
            isContent = false;
            long now = termOf(group);
            boolean givesWay = now != term && !gaveWay && !hasLed;
            boolean mayStand = !givesWay && canvass.hasMajority(group, isLeaderGone);
            if (!givesWay && !mayStand && denials++ < MAX_QUICK_DENIALS) {
                later(DENIED_MILLIS, this); // the others may learn of the death a moment later
                return;
            }
            if (mayStand) {
                LOG.info("standing for election group={} dead={} term={}", group.groupId(), deadId, now + 1);
                elect(group, now);
                stands++;
                denials = 0;
                now = termOf(group);
            }
            gaveWay = givesWay;
            hasLed = false;
            term = now;
            if (++looks < MAX_LOOKS) {
                later(givesWay ? step / 2 : Math.max(1, candidates + stands - 1) * step, this);
                step = Math.max(step, Math.min(STEP_MILLIS, 2 * step));
            } else { // probably there is no majority; the election timeout keeps trying
                candidacies.remove(group.groupId(), this);
            }
        }

        private void lookOn() {
            isContent = true;
            hasLed = group.isLeading();
            if (++contentLooks < MAX_CONTENT_LOOKS && !group.isStopped()) {
                later(step / 2, this);
            } else {
                candidacies.remove(group.groupId(), this);
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the timer
    private void later(long millis, Candidacy candidacy) {
        if (millis == 0) {
            candidacy.run();
            return;
        }
        try {
            timer.schedule(() -> run(candidacy), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no election: closing");
        }
    }

    void elect(JRaftGroup group, long term) {
        long current = term;
        if (group.node().getNodeState() == State.STATE_CANDIDATE) {
            current++;
            ask(group, current); // a higher term turns a candidate that was not elected into a follower again
        }
        ask(group, current);
    }

    long termOf(JRaftGroup group) {
        return ask(group, 0); // an old term changes nothing and is answered with the current one
    }

    /** Sends a TimeoutNow to this node's replica; returns its term. */
    private long ask(JRaftGroup group, long term) {
        RaftServerService replica = (RaftServerService) group.node();
        TimeoutNowRequest request = TimeoutNowRequest.newBuilder()
                .setGroupId(group.groupId())
                .setServerId(PeerIds.peer(selfId).toString())
                .setPeerId(PeerIds.peer(selfId).toString())
                .setTerm(term)
                .build();
        Object response = replica.handleTimeoutNowRequest(request, new Ignored());
        return response instanceof TimeoutNowResponse answered ? answered.getTerm() : 0;
    }

    /** The result is not needed. */
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
