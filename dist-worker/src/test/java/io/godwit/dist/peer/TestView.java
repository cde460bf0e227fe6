package io.godwit.dist.peer;

import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The agreed members of a test, known to all of them at once, except those held behind. An excluded incarnation does
 * not come back, unless the test makes it join again.
 */
public final class TestView {
    private final Set<NodeLife> members = new LinkedHashSet<>();
    /** Excluded and not evicted. */
    private final Set<NodeLife> lapsed = new LinkedHashSet<>();
    /** By revision: the serving members and the revision since which each serves; all members serve. */
    private final List<Map<NodeLife, Long>> agreed = new ArrayList<>(List.of(Map.of()));

    private final Map<NodeLife, TestMembers> all = new HashMap<>();
    public boolean hasMajority = true;

    TestMembers members(NodeLife life) {
        TestMembers made = new TestMembers(life);
        all.put(life, made);
        return made;
    }

    /** Joins or serves: others wait for it. */
    public void join(NodeLife life) {
        lapsed.remove(life);
        if (members.add(life)) {
            agree();
        }
    }

    private void agree() {
        Map<NodeLife, Long> before = agreed.get(newest());
        long revision = agreed.size();
        Map<NodeLife, Long> next = new HashMap<>();
        members.forEach(life -> next.put(life, before.getOrDefault(life, revision)));
        agreed.add(next);
    }

    private int newest() {
        return agreed.size() - 1;
    }

    /** The revision since which the incarnation serves. */
    public long since(NodeLife life) {
        return agreed.get(newest()).get(life);
    }

    /**
     * The view with respect to one incarnation: a test may let a node's next incarnation join before the previous one
     * is out.
     */
    private MembersView view(int revision, NodeLife life) {
        Long since = agreed.get(revision).get(life);
        return new MembersView(
                revision, since == null ? List.of() : List.of(new AgreedMember(life, MemberState.SERVING, since)));
    }

    void evict(NodeLife life) {
        lapsed.remove(life);
    }

    public boolean has(NodeLife life) {
        return members.contains(life);
    }

    public final class TestMembers implements Members {
        private final NodeLife life;
        private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        public final List<NodeLife> excluded = new ArrayList<>();
        final List<Map.Entry<NodeLife, Heartbeat>> heard = new ArrayList<>();

        boolean isFresh;
        public long epoch;
        /** The newest revision that this member knows; it may be behind. */
        public long knows = Long.MAX_VALUE;

        private TestMembers(NodeLife life) {
            this.life = life;
        }

        @Override
        public Set<NodeLife> others() {
            Set<NodeLife> others = new LinkedHashSet<>(members);
            others.remove(life);
            return others;
        }

        @Override
        public Set<NodeLife> lapsed() {
            Set<NodeLife> others = new LinkedHashSet<>(lapsed);
            others.remove(life);
            return others;
        }

        @Override
        public CompletableFuture<Void> exclude(NodeLife member, String why) {
            if (!hasMajority || !members.contains(life)) {
                return CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.TIMEOUT, "cannot be agreed on"));
            }
            if (members.remove(member)) {
                lapsed.add(member);
                agree();
            }
            excluded.add(member);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public long revision() {
            return Math.min(knows, newest());
        }

        @Override
        public boolean isPast(NodeLife life, long since) {
            return view((int) revision(), life).isPast(life, since);
        }

        @Override
        public void heard(NodeLife by, Heartbeat beat) {
            heard.add(Map.entry(by, beat));
        }

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public boolean mayAcknowledge() {
            return isFresh && members.contains(life);
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            CompletableFuture<Boolean> until = new CompletableFuture<>();
            waiting.add(until);
            open();
            return until;
        }

        public void setFresh(boolean fresh) {
            isFresh = fresh;
            open();
        }

        /** Gives up all waits. */
        public void refuse() {
            List<CompletableFuture<Boolean>> refused = List.copyOf(waiting);
            waiting.clear();
            refused.forEach(until -> until.complete(false));
        }

        private void open() {
            if (mayAcknowledge()) {
                List<CompletableFuture<Boolean>> opened = List.copyOf(waiting);
                waiting.clear();
                opened.forEach(until -> until.complete(true));
            }
        }
    }
}
