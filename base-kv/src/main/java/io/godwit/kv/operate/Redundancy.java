package io.godwit.kv.operate;

import io.godwit.kv.balance.policy.VoterCount;
import io.godwit.kv.operate.NodeOperations.NodeInfo;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Describes for an operator what is lost when a node is taken away. It answers from what the asked node knows at that
 * moment, and says so if that is incomplete: data that it does not know of may exist on the node in question alone.
 * Immutable; made for one question.
 */
final class Redundancy {
    private final List<NodeInfo> nodes;
    private final List<Store> stores;
    private final Unheard unheard;

    /**
     * One open store, as far as it is known now.
     *
     * @param wanted voters wanted of each range
     * @param isBalanced whether balancers manage its ranges
     * @param hasGap whether some keys have no range
     */
    record Store(String name, int wanted, boolean isBalanced, List<RangeInfo> ranges, boolean hasGap) {
        Store {
            ranges = List.copyOf(ranges);
        }

        private String nameOf(RangeInfo range) {
            return name + "-"
                    + new ShortNumbers(ranges.stream().map(RangeInfo::id).toList()).of(range.id());
        }
    }

    /**
     * What the asked node has not heard of.
     *
     * @param told names of the stores that nodes have reported or that this node has made, open here or not
     * @param silent store ids of live members that have not reported yet
     * @param longGone store ids of nodes that have been down for longer than the grace period
     */
    record Unheard(Set<String> told, Set<String> silent, Set<String> longGone) {}

    /**
     * @param nodes all known nodes
     * @param stores the open stores
     */
    Redundancy(List<NodeInfo> nodes, Collection<Store> stores, Unheard unheard) {
        this.nodes = List.copyOf(nodes);
        this.stores = List.copyOf(stores);
        this.unheard = unheard;
    }

    /** Why it cannot be said what a node has; empty if it can. */
    Optional<String> unclear() {
        Set<String> closed = new TreeSet<>(unheard.told());
        stores.forEach(store -> closed.remove(store.name()));
        if (!closed.isEmpty() || stores.isEmpty()) {
            return Optional.of("stores " + (closed.isEmpty() ? "" : closed + " ")
                    + "are not open on this node yet: try again later, or ask another node");
        }
        if (!unheard.silent().isEmpty()) {
            return Optional.of("nodes " + new TreeSet<>(unheard.silent())
                    + " are running, but have not reported their replicas yet: try again in a moment");
        }
        List<String> gaps = stores.stream()
                .filter(Store::hasGap)
                .map(store -> "some keys of " + store.name() + " have no range that a running node knows")
                .toList();
        return gaps.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join("; ", gaps) + ": the only copy may be on a node that does not run. "
                        + "Try again in a moment, or start the missing nodes");
    }

    /** Number of nodes that may keep replicas without this one. */
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

    /** Why a drain would reduce the number of voters, or why that is unclear; empty if every range keeps its number. */
    Optional<String> without(String storeId) {
        Optional<String> unclear = unclear();
        if (unclear.isPresent()) {
            return Optional.of("the node's replicas are not known: " + unclear.get() + "; --reduce drains it anyway");
        }
        int left = left(storeId);
        List<String> losses = new ArrayList<>();
        for (Store store : stores) {
            int after = VoterCount.of(store.wanted(), left).ceiling();
            List<Integer> losing = store.ranges().stream()
                    .map(range -> Math.min(store.wanted(), range.voters().size()))
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
                        + String.join("; ", losses) + ". Add a node first, or drain it anyway (--reduce)");
    }

    private static String ranges(String store, int count) {
        return count == 1 ? "1 range of " + store : count + " ranges of " + store;
    }

    /** Why the node must not be forgotten; empty if nothing needs it. */
    Optional<String> needOf(String storeId) {
        Optional<String> unclear = unclear();
        if (unclear.isPresent()) {
            return unclear;
        }
        List<String> needs = new ArrayList<>();
        boolean isAllLed = true;
        for (Store store : stores) {
            for (RangeInfo range : store.ranges()) {
                isAllLed &= !range.leader().isEmpty();
                need(store, range, storeId).ifPresent(needs::add);
            }
        }
        if (!needs.isEmpty()) {
            return Optional.of(String.join("; ", needs));
        }
        // nodes gone for long do not count, except the one in question, which may be alive for other nodes
        List<NodeInfo> counted = nodes.stream()
                .filter(node -> !node.isForgotten()
                        && (node.storeId().equals(storeId)
                                || !unheard.longGone().contains(node.storeId())))
                .toList();
        long there = counted.stream().filter(Redundancy::isThere).count();
        return isAllLed || there * 2 > counted.size()
                ? Optional.empty()
                : Optional.of("the node that was asked reaches " + there + " of " + counted.size()
                        + " nodes and sees ranges without a leader: it may be cut off itself. "
                        + "Ask another node");
    }

    private Optional<String> need(Store store, RangeInfo range, String storeId) {
        List<String> voters = range.voters();
        if (!voters.contains(storeId)) {
            return Optional.empty();
        }
        String name = store.nameOf(range);
        if (voters.size() == 1) {
            return Optional.of(
                    name + " has its only voter on " + storeId + ": start that node again, only it has this data");
        }
        List<String> there = voters.stream()
                .filter(voter -> !voter.equals(storeId) && isThere(voter) && !range.hasStopped(voter))
                .toList();
        if (there.size() * 2 <= voters.size()) {
            return Optional.of(name + " needs its vote, only " + there + " of the voters " + voters
                    + " run: start it again. If it never comes back, first let the others continue without it "
                    + "(godwit-admin recover)");
        }
        return range.leader().isEmpty()
                ? Optional.of(name + " has no leader at the moment, and the node is one of its voters: try again "
                        + "when it has one")
                : Optional.empty();
    }

    /** Describes what happens to the replicas of the node. */
    String afterForgetting(String storeId) {
        int left = left(storeId);
        List<String> effects = new ArrayList<>();
        for (Store store : stores) {
            long concerned = store.ranges().stream()
                    .filter(range -> range.voters().contains(storeId))
                    .count();
            int after = VoterCount.of(store.wanted(), left).ceiling();
            if (concerned > 0) {
                effects.add(ranges(store.name(), (int) concerned)
                        + (left >= store.wanted()
                                ? " get a voter elsewhere"
                                : " go on with " + after + " until another node joins"));
            }
        }
        return "node " + storeId + " is forgotten"
                + effects.stream().collect(Collectors.joining(", ", effects.isEmpty() ? "" : ": ", ""));
    }
}
