package io.godwit.kv.simulation;

import io.godwit.kv.range.Range;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Whether the nodes of a {@link RangeSimulation} have come to rest, and if not, why. */
final class SimRest {
    private final Map<String, SimNode> nodes;
    private final SimRaft raft;
    private final SimCalls calls;
    private final Consumer<String> violations;

    /** @param nodes a view of all nodes */
    SimRest(Map<String, SimNode> nodes, SimRaft raft, SimCalls calls, Consumer<String> violations) {
        this.nodes = nodes;
        this.raft = raft;
        this.calls = calls;
        this.violations = violations;
    }

    /** See {@link io.godwit.kv.peers.Replicas#lookForEnded}. */
    void leaveEnded() {
        for (SimNode node : nodes.values()) {
            if (node.isUp()) {
                for (Range range : node.ranges().all()) {
                    boolean hasEnded = nodes.values().stream()
                            .anyMatch(other -> other != node
                                    && other.isUp()
                                    && other.ranges().hasEnded(range.id()));
                    SimReplica replica = replica(range, node);
                    if (hasEnded && (replica == null || replica.isLeaderless())) {
                        node.ranges().leave(range.id(), Long.MAX_VALUE).exceptionally(failure -> {
                            violations.accept("not left: " + failure);
                            return null;
                        });
                    }
                }
            }
        }
    }

    /** Whether all calls are answered, and all nodes are up and have the same settled ranges. */
    boolean isReached() {
        return missing().isEmpty();
    }

    /** What has not come to rest; empty if everything has. */
    String missing() {
        if (calls.open() > 0) {
            return calls.open() + " calls are not answered";
        }
        for (SimNode node : nodes.values()) {
            if (!node.isUp()) {
                return node.id() + " is down";
            }
            for (Range range : node.ranges().all()) {
                if (!range.state().isSettled()) {
                    return node.id() + " has " + range.state();
                }
                SimReplica replica = replica(range, node);
                if (replica == null || !replica.isCurrent()) {
                    return node.id() + " is behind in " + range.state();
                }
                if (replica.leadsNewestTerm() && range.leading() == null) {
                    return node.id() + " does not serve " + range.state();
                }
                if (!replica.leadsNewestTerm() && range.leading() != null) {
                    return node.id() + " has not heard that it was deposed in " + range.state();
                }
            }
            if (!ids(node).equals(ids(nodes.get("a")))) {
                return node.id() + " has ranges " + ids(node) + ", a has " + ids(nodes.get("a"));
            }
        }
        return "";
    }

    /** One line for each replica. */
    String replicas() {
        StringBuilder lines = new StringBuilder();
        for (SimNode node : nodes.values()) {
            for (Range range : node.isUp() ? node.ranges().all() : List.<Range>of()) {
                lines.append(replica(range, node)).append(' ').append(range.state());
                lines.append(" change=").append(range.changeUnderWay());
                lines.append(" leading=").append(range.leading()).append('\n');
            }
        }
        return lines.toString();
    }

    private @Nullable SimReplica replica(Range range, SimNode node) {
        return raft.groups().stream()
                .filter(group -> group.id.equals(range.groupId()))
                .map(group -> group.replicas.get(node.id()))
                .findFirst()
                .orElse(null);
    }

    private static List<Long> ids(@Nullable SimNode node) {
        return node == null
                ? List.of()
                : node.ranges().all().stream().map(Range::id).sorted().toList();
    }
}
