package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.SimRanges;
import io.godwit.kv.range.leader.KnownLeadership;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.remote.RangeRoutes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Invariants of the ranges of a simulation: no two leaders serve a key, the ranges cover every key, epochs only rise.
 * When everything has come to rest, all replicas of a range are equal and all routes lead to the leader.
 */
final class SimInvariants {
    private final SimRaft raft;
    private final Consumer<String> violations;
    private final Map<Long, Known> known = new TreeMap<>();
    private final Map<Long, Long> ledEpochs = new HashMap<>();

    /** The state of a range after the last entry that was applied anywhere. */
    private record Known(long index, RangeState state) {}

    SimInvariants(SimRaft raft, Consumer<String> violations) {
        this.raft = raft;
        this.violations = violations;
    }

    /** A range was created on a node. */
    void born(Range range) {
        known.putIfAbsent(range.id(), new Known(0, range.state()));
    }

    /** A replica has applied entries up to an index. */
    void applied(Range range, long index) {
        Known before = known.get(range.id());
        if (before == null || before.index() < index) {
            if (before != null && before.state().epoch() > range.state().epoch()) {
                violations.accept(
                        "epoch of range " + range.id() + " falls from " + before.state() + " to " + range.state());
            }
            known.put(range.id(), new Known(index, range.state()));
        }
    }

    long liveRanges() {
        return known.values().stream()
                .filter(each -> !(each.state().phase() instanceof RangeState.Retired))
                .count();
    }

    // --- after every event

    void check() {
        checkLeaders();
        checkCover();
    }

    private void checkLeaders() {
        List<RangeBounds> serving = new ArrayList<>();
        for (SimGroup group : raft.groups()) {
            SimReplica leader = group.newestLeader();
            Range range = leader == null || !leader.node.isUp()
                    ? null
                    : leader.node.ranges().find(SimRaft.rangeOf(group.id));
            KnownLeadership leading = range == null ? null : range.leading();
            if (leader == null
                    || range == null
                    || leading == null
                    || leading.token().term() != leader.leaderTerm()) {
                continue; // or an earlier leadership of this node, which does not know of its end
            }
            long epoch = range.routed().epoch();
            Long before = ledEpochs.put(range.id(), epoch);
            if (before != null && before > epoch) {
                violations.accept("range " + range.id() + " is led with epoch " + epoch + " after " + before);
            }
            for (RangeBounds other : serving) {
                if (leading.bounds().contains(other.start())
                        || other.contains(leading.bounds().start())) {
                    violations.accept("served twice, at the least by " + range.routed());
                }
            }
            serving.add(leading.bounds());
        }
    }

    private void checkCover() {
        List<RangeState> states = known.values().stream()
                .map(Known::state)
                .filter(state -> !(state.phase() instanceof RangeState.Retired))
                .sorted(Comparator.comparing(
                        (RangeState state) -> new String(state.bounds().start(), UTF_8)))
                .toList();
        if (states.isEmpty()) {
            return; // nothing has been applied anywhere
        }
        byte @Nullable [] covered = {};
        for (RangeState state : states) {
            if (covered == null) {
                break;
            }
            if (Arrays.compareUnsigned(covered, state.bounds().start()) < 0) {
                violations.accept("no range from " + new String(covered, UTF_8) + " on: " + states);
                return;
            }
            byte @Nullable [] end = state.bounds().end();
            covered = end == null || Arrays.compareUnsigned(end, covered) > 0 ? end : covered;
        }
        if (covered != null) {
            violations.accept("no range from " + new String(covered, UTF_8) + " on: " + states);
        }
    }

    // --- at the end

    /** Returns the content of the ranges, which must be the same on all nodes. */
    Map<String, String> checkReplicas(List<SimNode> nodes) {
        Map<String, String> first = content(nodes.get(0));
        for (SimNode node : nodes) {
            Map<String, String> own = content(node);
            if (!own.equals(first)) {
                violations.accept("content of " + node.id() + " is " + own + ", of "
                        + nodes.get(0).id() + " " + first);
            }
        }
        return first;
    }

    private static Map<String, String> content(SimNode node) {
        Map<String, String> content = new TreeMap<>();
        node.ranges().all().forEach(range -> content.putAll(SimRanges.content(range)));
        return content;
    }

    /** Checks the routes of a user that has the reports of all nodes. */
    void checkRoutes(SimUser user, List<SimNode> nodes) {
        RangeRoutes routes = user.caller().table().routes();
        for (SimNode node : nodes) {
            for (Range range : node.ranges().all()) {
                KnownLeadership leading = range.leading();
                RangeRoutes.Route route = routes.of(range.state().bounds().start());
                if (leading != null
                        && (route == null
                                || !route.leader().equals(node.id())
                                || route.token().filter(leading.token()::equals).isEmpty())) {
                    violations.accept(
                            user.name() + " goes to " + route + " for what " + leading + " on " + node.id() + " leads");
                }
            }
        }
    }
}
