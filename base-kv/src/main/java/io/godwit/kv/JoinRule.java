package io.godwit.kv;

import io.godwit.cluster.Member;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Which cluster a node belongs to, decided when it has joined the membership and before it has written anything.
 *
 * <ul>
 *   <li>With data: to the cluster of its data, whoever is there, so that nodes start again in any order. A member of
 *       another cluster is a mistake, of an environment's name or of a directory: the node stops.
 *   <li>Without data and told to found: to a new one, unless there is one already, or another node without data is
 *       about to found one and has the lower store id.
 *   <li>Without data and not told to: to the one that the members are of. While there are none that know, it waits.
 * </ul>
 *
 * <p>Founders that do not see each other found two clusters. They find out when they do see each other
 * ({@link #conflict}): neither takes anything from the other.
 */
record JoinRule(Path directory, String env, String storeId, Optional<String> ownCluster, boolean isFounder) {

    /** What to do. */
    sealed interface Decision {}

    /** It belongs to the cluster. */
    record Belong(String clusterId) implements Decision {}

    /** Nobody can tell yet. */
    record Wait(String why) implements Decision {}

    /** It must not start. */
    record Refuse(String why) implements Decision {}

    /**
     * @param others the other members
     * @param newId gives the id of a new cluster
     */
    Decision decide(Collection<Member> others, Supplier<String> newId) {
        if (ownCluster.isPresent()) {
            return others.stream()
                    .filter(other -> isForeign(other, ownCluster.get()))
                    .findFirst()
                    .<Decision>map(other -> new Refuse("the data in " + directory + " is of cluster " + ownCluster.get()
                            + ", but environment \"" + env + "\" has node " + other + " of cluster "
                            + MemberFacts.of(other).clusterId()
                            + ". Nothing was changed. Give the clusters different values of clusterConfig.env, "
                            + "or, if this node is to join"
                            + " that cluster, start it with an empty data directory"))
                    .orElseGet(() -> new Belong(ownCluster.get()));
        }
        TreeSet<String> clusters = new TreeSet<>();
        others.forEach(other -> clusters.add(MemberFacts.of(other).clusterId()));
        clusters.remove("");
        return isFounder ? found(others, clusters, newId) : join(others, clusters);
    }

    private Decision found(Collection<Member> others, TreeSet<String> clusters, Supplier<String> newId) {
        if (!clusters.isEmpty()) {
            return new Refuse("bootstrap is true and " + directory + " has no data, but environment \"" + env
                    + "\" has a cluster already, " + String.join(" and ", clusters) + ", with the nodes " + others
                    + ". To join it, set bootstrap to false; to begin another, change clusterConfig.env");
        }
        Optional<Member> rival = others.stream()
                .filter(other -> MemberFacts.of(other).isFounding())
                .filter(other -> other.nodeId().compareTo(storeId) < 0)
                .findFirst();
        if (rival.isPresent()) {
            return new Refuse("bootstrap is true on this node and on " + rival.get()
                    + ", and neither has data: exactly one node of environment \"" + env
                    + "\" may begin the cluster. Set bootstrap to false here");
        }
        return new Belong(newId.get());
    }

    private Decision join(Collection<Member> others, TreeSet<String> clusters) {
        return switch (clusters.size()) {
            case 0 ->
                new Wait(
                        others.isEmpty()
                                ? "no other node of environment \"" + env + "\" was found"
                                : "none of the nodes " + others + " has data");
            case 1 -> new Belong(clusters.first());
            default ->
                new Refuse("environment \"" + env + "\" has nodes of several clusters, " + clusters + ": " + others
                        + ". " + whichToWipe(List.copyOf(clusters)));
        };
    }

    private static boolean isForeign(Member other, String clusterId) {
        String cluster = MemberFacts.of(other).clusterId();
        return !cluster.isEmpty() && !cluster.equals(clusterId);
    }

    /** What is wrong with a member, for a node that belongs to {@code clusterId}; empty when nothing is. */
    static Optional<String> conflict(String clusterId, Member other) {
        if (!isForeign(other, clusterId)) {
            return Optional.empty();
        }
        String foreign = MemberFacts.of(other).clusterId();
        return Optional.of("node " + other + " is of cluster " + foreign + ", this node of cluster " + clusterId
                + ", in one environment: nothing is taken from it. "
                + whichToWipe(
                        new TreeSet<>(List.of(clusterId, foreign)).stream().toList()));
    }

    /** The same advice on both sides. */
    private static String whichToWipe(List<String> ascending) {
        return "Was bootstrap true on two nodes? Keep the cluster that has your data; if neither has any, keep "
                + ascending.get(0)
                + ". Stop the nodes of the other, empty their data directories and start them with bootstrap false";
    }
}
