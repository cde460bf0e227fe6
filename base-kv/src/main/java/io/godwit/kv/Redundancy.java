package io.godwit.kv;

import io.godwit.kv.NodeOperations.NodeInfo;
import io.godwit.kv.StoreOperations.RangeInfo;
import io.godwit.kv.balance.VoterCount;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What is given up when a node is taken away, in words for an operator. Made for one question; of one thread. */
final class Redundancy {
    private final List<NodeInfo> nodes;
    private final Collection<StoreControl> stores;
    private final Set<String> told;

    /**
     * @param nodes all that are known
     * @param stores the open ones
     * @param told names of the stores that nodes have told of, open here or not
     */
    Redundancy(List<NodeInfo> nodes, Collection<StoreControl> stores, Set<String> told) {
        this.nodes = nodes;
        this.stores = stores;
        this.told = told;
    }

    /** Nodes that may keep replicas when this one does no more. */
    private int left(String storeId) {
        return (int) nodes.stream()
                .filter(node ->
                        isThere(node) && !node.isDraining() && !node.storeId().equals(storeId))
                .count();
    }

    private static boolean isThere(NodeInfo node) {
        return node.liveness() == Liveness.ALIVE && !node.isForgotten();
    }

    private boolean isThere(String storeId) {
        return nodes.stream().anyMatch(node -> isThere(node) && node.storeId().equals(storeId));
    }

    /** What ranges would lose without the node; empty when each keeps as many voters as it has. */
    Optional<String> without(String storeId) {
        int left = left(storeId);
        List<String> losses = new ArrayList<>();
        for (StoreControl store : stores) {
            int wanted = store.wantedVoters();
            int after = VoterCount.of(wanted, left).ceiling();
            List<Integer> losing = store.ranges().stream()
                    .map(range -> Math.min(wanted, range.voters().size()))
                    .filter(voters -> voters > after || left == 0)
                    .sorted()
                    .toList();
            if (store.isBalanced() && !losing.isEmpty()) {
                losses.add(ranges(store.name(), losing.size()) + " with " + losing.get(losing.size() - 1)
                        + " voters would have " + Math.min(after, left) + ", which survive the loss of "
                        + Math.max(0, after - 1) / 2);
            }
        }
        return losses.isEmpty()
                ? Optional.empty()
                : Optional.of("without node " + storeId + " there are " + left + " nodes to keep replicas: "
                        + String.join("; ", losses) + ". Add a node first, or accept that (--reduce)");
    }

    private static String ranges(String store, int count) {
        return count == 1 ? "1 range of " + store : count + " ranges of " + store;
    }

    /** Why the node must not be forgotten; empty when nothing needs it. */
    Optional<String> needOf(String storeId) {
        Set<String> closed = new TreeSet<>(told);
        stores.forEach(store -> closed.remove(store.name()));
        if (!closed.isEmpty()) {
            return Optional.of("stores " + closed + " are not open on this node yet: ask again later, or another node");
        }
        List<String> needs = new ArrayList<>();
        boolean isAllLed = true;
        for (StoreControl store : stores) {
            for (RangeInfo range : store.ranges()) {
                isAllLed &= !range.leader().isEmpty();
                need(store.name() + "-" + range.id(), range.voters(), storeId).ifPresent(needs::add);
            }
        }
        if (!needs.isEmpty()) {
            return Optional.of(String.join("; ", needs));
        }
        List<NodeInfo> others = nodes.stream()
                .filter(node -> !node.isForgotten() && !node.storeId().equals(storeId))
                .toList();
        long there = others.stream().filter(Redundancy::isThere).count();
        return isAllLed || there * 2 > others.size()
                ? Optional.empty()
                : Optional.of("the node that was asked reaches " + there + " of " + others.size()
                        + " nodes, and ranges without a leader are among what it sees: it may be cut off itself. "
                        + "Ask another node");
    }

    private Optional<String> need(String range, List<String> voters, String storeId) {
        if (!voters.contains(storeId)) {
            return Optional.empty();
        }
        List<String> there = voters.stream()
                .filter(voter -> !voter.equals(storeId) && isThere(voter))
                .toList();
        if (voters.size() == 1) {
            return Optional.of(range + " has its only voter on " + storeId
                    + ": start that node again, only it has what is stored there");
        }
        return there.size() * 2 > voters.size()
                ? Optional.empty()
                : Optional.of(range + " needs its vote, only " + there + " of the voters " + voters
                        + " are there: start it again, or, if it never comes back, have the others go on by "
                        + "themselves first (godwit-admin recover)");
    }

    /** What becomes of its replicas. */
    String afterForgetting(String storeId) {
        int left = left(storeId);
        List<String> effects = new ArrayList<>();
        for (StoreControl store : stores) {
            long concerned = store.ranges().stream()
                    .filter(range -> range.voters().contains(storeId))
                    .count();
            int after = VoterCount.of(store.wantedVoters(), left).ceiling();
            if (concerned > 0) {
                effects.add(ranges(store.name(), (int) concerned)
                        + (left >= store.wantedVoters()
                                ? " get a voter elsewhere"
                                : " go on with " + after + " until another node joins"));
            }
        }
        return "node " + storeId + " is forgotten"
                + effects.stream().collect(Collectors.joining(", ", effects.isEmpty() ? "" : ": ", ""));
    }
}
