package io.godwit.kv.simulation;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.leader.KnownLeadership;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The changes that a balancer or an operator asks the ranges of a {@link RangeSimulation} for. */
final class SimChanges {
    private static final int MAX_RANGES = 5;

    private final RangeSimulation world;
    private final Collection<SimNode> nodes;
    private final SimInvariants invariants;
    private long nextRange = 2;

    /** @param nodes a view of all nodes */
    SimChanges(RangeSimulation world, Collection<SimNode> nodes, SimInvariants invariants) {
        this.world = world;
        this.nodes = nodes;
        this.invariants = invariants;
    }

    /** Asks a range for a change that is possible: a split, a merge, or another leader. */
    void begin() {
        List<Range> led = new ArrayList<>();
        List<SimNode> leaders = new ArrayList<>();
        for (SimNode node : nodes) {
            if (node.isUp()) {
                node.ranges().all().stream()
                        .filter(range -> range.leading() != null)
                        .forEach(range -> {
                            led.add(range);
                            leaders.add(node);
                        });
            }
        }
        if (led.isEmpty()) {
            return;
        }
        int pick = world.random().nextInt(led.size());
        Range range = led.get(pick);
        SimNode node = leaders.get(pick);
        int what = world.random().nextInt(10);
        if (what < 3) {
            byte[] key = {(byte) world.randomLetter()};
            if (invariants.liveRanges() < MAX_RANGES && range.state().canSplitAt(key)) {
                report("splits", range.split(range.state().epoch(), nextRange++, key));
            }
        } else if (what < 4) {
            String heir = RangeSimulation.NODES.get(world.random().nextInt(RangeSimulation.NODES.size()));
            transfer(range, heir);
        } else {
            join(range, node, led, leaders);
        }
    }

    /** Merges the range with its right neighbour, or first makes one node lead both. */
    private void join(Range left, SimNode node, List<Range> led, List<SimNode> leaders) {
        for (int i = 0; i < led.size(); i++) {
            Range right = led.get(i);
            if (left.state().isLeftOf(right.state())) {
                if (leaders.get(i) == node) {
                    report(
                            "merges",
                            node.ranges()
                                    .merge(
                                            left.id(),
                                            left.state().epoch(),
                                            right.id(),
                                            right.state().epoch()));
                } else {
                    transfer(right, node.id());
                }
                return;
            }
        }
    }

    /** A hand-over that is reported as done has made the heir the leader, though another may lead by now. */
    private void transfer(Range range, String heir) {
        KnownLeadership before = range.leading();
        if (before == null) {
            return;
        }
        SimGroup group = world.raft().group(range.groupId());
        CompletableFuture<ChangeOutcome> transfer = range.transfer(range.state().epoch(), heir);
        transfer.thenAccept(outcome -> {
            Collection<String> later =
                    group.leaders.tailMap(before.token().term(), false).values();
            if (outcome == ChangeOutcome.DONE && !later.contains(heir)) {
                world.violate(group.id + " is reported as handed over to " + heir + ", led by " + later);
            }
        });
        report("transfers", transfer);
    }

    private void report(String what, CompletableFuture<ChangeOutcome> change) {
        change.thenAccept(outcome -> world.count(what + " " + outcome));
    }
}
