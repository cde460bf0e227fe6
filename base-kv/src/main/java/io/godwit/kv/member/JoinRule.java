package io.godwit.kv.member;

import io.godwit.cluster.member.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Decides which cluster a node belongs to, after it has joined the membership and before it has written anything.
 *
 * <ul>
 *   <li>With data: it belongs to the cluster of its data, whoever else is there, so that nodes can restart in any
 *       order. A member of another cluster is a configuration error, of an environment's name or of a directory: the
 *       node stops.
 *   <li>Without data, if members have some: it belongs to their cluster.
 *   <li>Without data, founding together: the first of the seeds founds the cluster once it sees more than half of them;
 *       the others wait for it and join. The configuration alone determines which seed is first, so no partial view of
 *       the members makes two nodes found (ADR 51). A first seed that may not found is skipped only while it is seen,
 *       because only then this is known. A node that is only in its own list founds nothing beside nodes that have the
 *       same list without it, and does not delay them. A node that lists only itself waits for a time in which others,
 *       which may have lost it, can find it.
 *   <li>Without data, founding alone: it founds at once, unless there is a cluster or another node that may found one.
 *   <li>Without data and not founding: it waits for a node of a cluster.
 * </ul>
 *
 * <p>Two nodes that found alone and do not see each other make two clusters. This is detected when they see each other
 * ({@link #conflict}); neither accepts data from the other.
 */
record JoinRule(Path directory, String env, String storeId, Optional<String> ownCluster, Founding founding) {
    /** Two parts of a cluster have merged by then: twice the longest time between two looks for others. */
    private static final Duration TO_BE_FOUND = Duration.ofSeconds(10);

    /** The result of the rule. */
    sealed interface Decision {}

    /** The node belongs to the cluster. */
    record Belong(String clusterId) implements Decision {}

    /**
     * Not decidable yet.
     *
     * @param what what the node waits for
     */
    record Wait(String what) implements Decision {}

    /** The node must not start. */
    record Refuse(String why) implements Decision {}

    /**
     * Applies the rule.
     *
     * @param others the other members
     * @param seeds as far as they are known now
     * @param joinedFor how long this node has been a member
     * @param newId gives the id of a new cluster
     */
    Decision decide(Collection<Member> others, FoundingSeeds seeds, Duration joinedFor, Supplier<String> newId) {
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
        return switch (founding) {
            case NEVER -> join(others, clusters);
            case TOGETHER ->
                clusters.isEmpty() ? foundTogether(others, seeds, joinedFor, newId) : join(others, clusters);
            case ALONE -> foundAlone(others, clusters, newId);
        };
    }

    private Decision foundAlone(Collection<Member> others, TreeSet<String> clusters, Supplier<String> newId) {
        if (!clusters.isEmpty()) {
            return new Refuse("clusterConfig.foundAlone is true and " + directory + " has no data, but environment \""
                    + env + "\" has a cluster already, " + String.join(" and ", clusters) + ", with the nodes " + others
                    + ". To join it, set foundAlone to false; to begin another, change clusterConfig.env");
        }
        Optional<Member> rival =
                others.stream().filter(other -> isRivalOfOneAlone(other)).findFirst();
        if (rival.isPresent()) {
            return new Refuse("clusterConfig.foundAlone is true, and node " + rival.get()
                    + ", which has no data either, may begin a cluster too: exactly one node of environment \"" + env
                    + "\" may. Set foundAlone to false here, or bootstrap to false there");
        }
        return new Belong(newId.get());
    }

    /** Of two nodes that found alone, the one with the lower store id goes on. */
    private boolean isRivalOfOneAlone(Member other) {
        return switch (MemberFacts.of(other).founding()) {
            case NEVER -> false;
            case TOGETHER -> true;
            case ALONE -> other.nodeId().compareTo(storeId) < 0;
        };
    }

    private static Decision foundTogether(
            Collection<Member> others, FoundingSeeds seeds, Duration joinedFor, Supplier<String> newId) {
        for (Member other : others) {
            MemberFacts facts = MemberFacts.of(other);
            if (facts.founding() == Founding.ALONE) {
                return new Wait("node " + other + " to begin the cluster alone (its clusterConfig.foundAlone)");
            }
        }
        if (!seeds.unclear().isEmpty()) {
            return new Wait(seeds.unclear() + ": name each node in clusterConfig.seedEndpoints, or set"
                    + " clusterConfig.foundAlone on exactly one node");
        }
        for (Member other : others) {
            String theirs = MemberFacts.of(other).seeds();
            if (!theirs.isEmpty() && theirs.equals(seeds.textWithoutSelf())) {
                return new Wait("the node at " + theirs.split(",", 2)[0] + ", the first of the seeds [" + theirs
                        + "] of node " + other + ", to begin the cluster: this node is not among these seeds");
            }
        }
        Set<String> seen = new TreeSet<>(Set.of(seeds.self()));
        Set<String> passed = new TreeSet<>();
        for (Member other : others) {
            MemberFacts facts = MemberFacts.of(other);
            boolean isSeed = seeds.all().contains(facts.at());
            if (facts.founding() == Founding.TOGETHER && seeds.areThoseOf(facts.seeds(), facts.at())) {
                continue; // by the rule above, that node waits for these seeds
            }
            if (isSeed) {
                seen.add(facts.at());
            }
            if (facts.founding() == Founding.NEVER) {
                passed.add(facts.at());
            } else if (isSeed && facts.at().compareTo(seeds.self()) < 0) {
                return new Wait("node " + other + ", the first of the seeds, to begin the cluster"
                        + missing(seeds, seen, others));
            } else if (!FoundingSeeds.isBehind(facts.seeds(), facts.at(), seeds.self())) {
                return new Wait(
                        facts.seeds().isEmpty()
                                ? "node " + other + " to know its seeds, because it may begin the cluster too"
                                : "node " + other + " to name the same seeds as this one: it has [" + facts.seeds()
                                        + "], this one has [" + seeds.text() + "]");
            }
        }
        Optional<String> first = seeds.all().stream()
                .filter(seed -> seed.compareTo(seeds.self()) < 0 && !(seen.contains(seed) && passed.contains(seed)))
                .findFirst();
        if (first.isPresent()) {
            return new Wait("the node at " + first.get() + ", the first of the seeds, to begin the cluster; it is"
                    + " not seen");
        }
        if (seeds.all().size() == 1 && joinedFor.compareTo(TO_BE_FOUND) < 0) {
            return new Wait("the first " + TO_BE_FOUND.toSeconds() + " s to pass, so that nodes of a cluster can find"
                    + " this one: its clusterConfig.seedEndpoints name no other node that it could ask");
        }
        return 2 * seen.size() > seeds.all().size()
                ? new Belong(newId.get())
                : new Wait("more than half of the seeds before it begins the cluster" + missing(seeds, seen, others));
    }

    private static String missing(FoundingSeeds seeds, Set<String> seen, Collection<Member> others) {
        Set<String> all = new TreeSet<>(seen);
        others.forEach(other -> all.add(MemberFacts.of(other).at()));
        List<String> away =
                seeds.all().stream().filter(seed -> !all.contains(seed)).toList();
        return away.isEmpty() ? "" : ": of " + seeds.all().size() + " seeds it does not see " + String.join(", ", away);
    }

    private Decision join(Collection<Member> others, TreeSet<String> clusters) {
        return switch (clusters.size()) {
            case 0 ->
                new Wait(
                        others.isEmpty()
                                ? "a node of a cluster: no other node of environment \"" + env + "\" was found"
                                : "a node of a cluster: none of the nodes " + others + " has data");
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

    /** Why a member conflicts with a node of cluster {@code clusterId}; empty if it does not. */
    static Optional<String> conflict(String clusterId, Member other) {
        if (!isForeign(other, clusterId)) {
            return Optional.empty();
        }
        String foreign = MemberFacts.of(other).clusterId();
        return Optional.of("node " + other + " is of cluster " + foreign + ", this node is of cluster " + clusterId
                + ", but both are in one environment. This node ignores it. "
                + whichToWipe(
                        new TreeSet<>(List.of(clusterId, foreign)).stream().toList()));
    }

    /** Gives the same advice on both sides. */
    private static String whichToWipe(List<String> ascending) {
        return "Was clusterConfig.foundAlone true on two nodes, or did their seedEndpoints differ? Keep the"
                + " cluster that has your data; if neither has any, keep "
                + ascending.get(0)
                + ". Stop the nodes of the other, empty their data directories and start them with foundAlone false";
    }
}
