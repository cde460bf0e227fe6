package io.godwit.dist.peer;

import io.godwit.dist.member.Members;
import io.godwit.dist.member.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The agreed members of a test, known to all of them at once. A life that was excluded does not come back. */
final class TestView {
    private final Set<NodeLife> members = new LinkedHashSet<>();
    private final Map<NodeLife, TestMembers> all = new HashMap<>();
    boolean hasMajority = true;

    TestMembers members(NodeLife life) {
        TestMembers made = new TestMembers(life);
        all.put(life, made);
        return made;
    }

    /** Joining or serving: others wait for it. */
    void join(NodeLife life) {
        members.add(life);
    }

    boolean has(NodeLife life) {
        return members.contains(life);
    }

    final class TestMembers implements Members {
        private final NodeLife life;
        private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        final List<NodeLife> excluded = new ArrayList<>();
        /** What others have said of this life. */
        final List<String> said = new ArrayList<>();

        boolean isFresh;
        long epoch;

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
        public CompletableFuture<Void> exclude(NodeLife member, String why) {
            if (!hasMajority || !members.contains(life)) {
                return CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.TIMEOUT, "cannot be agreed on"));
            }
            members.remove(member);
            excluded.add(member);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void said(NodeLife by, long since) {
            said.add(by + " " + since);
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

        void setFresh(boolean fresh) {
            isFresh = fresh;
            open();
        }

        /** What waits is given up. */
        void refuse() {
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
