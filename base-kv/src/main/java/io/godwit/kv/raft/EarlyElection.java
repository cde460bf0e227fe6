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
 * Elects a leader when the one of a group has died, without waiting for the election timeout.
 *
 * <p>Every surviving voter learns of the death by itself. They stand for election one after the other, in an order that
 * they all find alike and that differs from group to group, so that the groups of a dead node are spread: the first at
 * once, the next when it still knows no leader a step later, and again in turn. Who sees by the term that somebody else
 * has stood since the last look gives way for half a step, once: it leaves the other time to be elected, and then
 * stands between its turns and not together with it, since that one may lack committed entries and never be elected.
 * Two that stood at once, and got a vote each, do not wait for the timeout either. A voter has one candidacy in a group
 * at a time, that of the last death it was told of, since two of them would stand between the turns of the others, who
 * are disturbed by each.
 *
 * <p>On a busy disk a voter that lacks entries may stand just when another one has been elected: that one gives up its
 * term, and the one that stands is not elected. So whoever was elected goes on looking for a while, and stands again at
 * once; and who stands in vain leaves more time each time.
 *
 * <p>Before it raises the term, a candidate asks the others whether they have lost the leader, too ({@link Canvass}).
 * Without a majority of such answers it does not stand: so a node that is cut off from all others, and takes them for
 * dead, raises no term. Nor does one that lacks entries: a voter that has them denies, and stands itself. Others may
 * hear of a death a moment later, so it asks again soon at first. Then it stands as if its leader had told it to
 * (JRaft's TimeoutNow with the current term).
 *
 * <p>If the leader lives after all, it is voted out, or wins again; either is safe at any time.
 */
final class EarlyElection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyElection.class);
    /** Time to store a vote and to be told of it, with a disk that is busy. */
    private static final long STEP_MILLIS = 400;
    /** More for each group that lost its leader at the same time: their votes queue up at the same disks. */
    private static final long STEP_MILLIS_PER_GROUP = 3;

    private static final long MAX_STEP_MILLIS = 2_000;

    private static final int MAX_LOOKS = 12;
    /** Half a step apart, while there is a leader. */
    private static final int MAX_CONTENT_LOOKS = 20;
    /**
     * Of a group that is new, doubled with each look up to {@link #STEP_MILLIS}: nobody else stands, and the others may
     * come any moment.
     */
    private static final long FIRST_STEP_MILLIS = 50;

    /** Until a candidate without a majority asks again. */
    private static final long DENIED_MILLIS = 100;

    private static final int MAX_QUICK_DENIALS = 8;

    private static final int THREADS = 8;

    private final String selfId;
    private final Supplier<Collection<JRaftGroup>> groups;
    private final Canvass canvass;
    private final ScheduledThreadPoolExecutor timer = RaftThreads.timer("raft-election");
    /** As many as share an fsync of votes. */
    private final ThreadPoolExecutor threads = RaftThreads.pool("raft-candidate", THREADS);
    /** The one of each group that counts, by group id; changed on whatever thread runs one. */
    private final ConcurrentMap<String, Candidacy> candidacies = new ConcurrentHashMap<>();

    EarlyElection(String selfId, Supplier<Collection<JRaftGroup>> groups, Canvass canvass) {
        this.selfId = selfId;
        this.groups = groups;
        this.canvass = canvass;
    }

    /** Any thread; returns at once. */
    void leaderDied(String storeId) {
        run(() -> {
            List<JRaftGroup> lost = groups.get().stream()
                    .filter(group -> isLeaderless(group, storeId))
                    .toList();
            long step = Math.min(MAX_STEP_MILLIS, STEP_MILLIS + STEP_MILLIS_PER_GROUP * lost.size());
            lost.forEach(group -> run(() -> plan(group, storeId, step)));
        });
    }

    /**
     * A group that is new: this one stands, alone, until there is a leader or others have had the time to come into
     * being.
     */
    void stand(JRaftGroup group) {
        run(begun(new Candidacy(group, "", FIRST_STEP_MILLIS, 1, true)));
    }

    /**
     * The leader lives, but another node does not reach it: this one stands, if it follows that leader, until there is
     * another.
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
     * A candidate asks for a vote that cannot win, since its log is behind this one's: this one stands. So does a
     * leader that has stepped down by itself.
     */
    void standInstead(JRaftGroup group, String deadId) {
        Candidacy fresh = new Candidacy(group, deadId, STEP_MILLIS, 2, true);
        Candidacy counting = candidacies.compute(
                group.groupId(), (id, before) -> before != null && before.standsFor(deadId) ? before : fresh);
        if (counting.equals(fresh)) {
            run(fresh);
        }
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

    /** Whoever leads, or knows of another leader, is content. */
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

    /** Names that differ in their last character have hashes that do so in the last bits. */
    private static int mixed(String text) {
        int hash = text.hashCode() * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) * 0x85EBCA6B;
    }

    /** A voter's turns in one group. Confined to the task that runs it, which hands it on to the next. */
    private final class Candidacy implements Runnable {
        private final JRaftGroup group;
        private final String deadId;
        private long step;
        private final int candidates;
        /** Whether the others must have lost the leader, too; else it lives, and this node reaches it. */
        private final boolean isLeaderGone;

        private long term;
        private boolean gaveWay;
        private boolean hasLed;
        private int stands;
        private int looks;
        private int contentLooks;
        private int denials;
        /** There is a leader; also for whoever is told of another death. */
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
                later(DENIED_MILLIS, this); // the others may hear of the death a moment later
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
            } else { // there is no majority, most likely; the election timeout goes on trying
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
            ask(group, current); // one of the future makes it a follower again: it stood before, and was not elected
        }
        ask(group, current);
    }

    long termOf(JRaftGroup group) {
        return ask(group, 0); // a term of the past changes nothing and is answered with the current one
    }

    /** Returns the replica's term. */
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
