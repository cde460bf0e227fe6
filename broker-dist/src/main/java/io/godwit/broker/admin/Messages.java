package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.plugin.balance.Liveness;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an operator's program and a node tell each other, as JSON objects with the names of the components. Fields may
 * be added; whoever does not know them passes over them. What {@code --json} prints are the answers.
 */
final class Messages {
    private Messages() {}

    /** A field that must be there. */
    private static <T> T given(@Nullable T value, String name) {
        if (value == null) {
            throw new IllegalArgumentException("the message has no " + name);
        }
        return value;
    }

    record Nothing() {}

    /** @param wantedVoters of each range, by store; none from a release that does not tell */
    record Nodes(
            String clusterId,
            String self,
            List<String> stores,
            List<Node> nodes,
            @Nullable Map<String, Integer> wantedVoters) {
        Nodes {
            given(self, "self");
            given(stores, "stores");
            given(nodes, "nodes");
        }

        NodeNames names() {
            return new NodeNames(nodes.stream()
                    .map(node -> new NodeNames.Named(node.storeId(), node.rpc()))
                    .toList());
        }
    }

    /**
     * A member, or one that was; see {@link io.godwit.kv.operate.NodeOperations.NodeInfo}.
     *
     * @param pausedBalancers each as its store and its name; empty unless {@code members} has asked for them
     */
    record Node(
            String storeId,
            long incarnation,
            String rpc,
            String version,
            String zone,
            Liveness liveness,
            boolean isDraining,
            int cores,
            double cpuLoad,
            long diskTotalBytes,
            long diskFreeBytes,
            int leaders,
            int replicas,
            boolean isForgotten,
            List<String> pausedBalancers) {
        @SuppressWarnings("NullAway") // of a node that does not tell
        Node {
            given(storeId, "storeId");
            given(liveness, "liveness");
            pausedBalancers = pausedBalancers == null ? List.of() : List.copyOf(pausedBalancers);
        }

        Node withPaused(List<String> balancers) {
            return new Node(
                    storeId,
                    incarnation,
                    rpc,
                    version,
                    zone,
                    liveness,
                    isDraining,
                    cores,
                    cpuLoad,
                    diskTotalBytes,
                    diskFreeBytes,
                    leaders,
                    replicas,
                    isForgotten,
                    balancers);
        }
    }

    record OfStore(String store) {
        OfStore {
            given(store, "store");
        }
    }

    /** @param wantedVoters of each range; 0 from a release that does not tell */
    record Ranges(String store, List<Range> ranges, int wantedVoters) {
        Ranges {
            given(store, "store");
            given(ranges, "ranges");
        }
    }

    /**
     * A range; see {@link RangeInfo}.
     *
     * @param start in hexadecimal, inclusive
     * @param end in hexadecimal, exclusive; null means without end
     */
    record Range(
            long id,
            long epoch,
            String start,
            @Nullable String end,
            String leader,
            long term,
            List<String> voters,
            List<String> learners,
            long sizeBytes,
            double operationsPerSecond,
            double peakOperationsPerSecond,
            long operationNanos,
            String change,
            List<String> faults) {
        Range {
            given(start, "start");
            given(leader, "leader");
            given(voters, "voters");
            given(learners, "learners");
        }

        Range withEpoch(long other) {
            return new Range(
                    id,
                    other,
                    start,
                    end,
                    leader,
                    term,
                    voters,
                    learners,
                    sizeBytes,
                    operationsPerSecond,
                    peakOperationsPerSecond,
                    operationNanos,
                    change,
                    faults);
        }

        static Range of(RangeInfo range) {
            HexFormat hex = HexFormat.of();
            byte @Nullable [] end = range.end();
            return new Range(
                    range.id(),
                    range.epoch(),
                    hex.formatHex(range.start()),
                    end == null ? null : hex.formatHex(end),
                    range.leader(),
                    range.term(),
                    range.voters(),
                    range.learners(),
                    range.sizeBytes(),
                    range.load().operationsPerSecond(),
                    range.load().peakOperationsPerSecond(),
                    range.load().operationNanos(),
                    range.change(),
                    range.faults());
        }
    }

    enum ActionKind {
        SPLIT,
        MERGE,
        ADD_LEARNER,
        PROMOTE,
        DEMOTE,
        REMOVE,
        MOVE_LEADER
    }

    /**
     * A {@link io.godwit.plugin.balance.BalanceAction} to carry out.
     *
     * @param key of a split, in hexadecimal; null leaves it to the leader
     * @param rightId of a merge, with its epoch
     * @param to the store of a replica that is changed, or of the next leader; empty for other kinds
     * @param timeoutMillis how long the operator waits
     */
    record Action(
            String store,
            ActionKind kind,
            long rangeId,
            long epoch,
            @Nullable String key,
            long rightId,
            long rightEpoch,
            String to,
            long timeoutMillis) {
        Action {
            given(store, "store");
            given(kind, "kind");
            given(to, "to");
        }
    }

    record Result(ActionOutcome outcome, String detail) {
        Result {
            given(outcome, "outcome");
            given(detail, "detail");
        }

        static Result of(OperationResult result) {
            return new Result(result.outcome(), result.detail());
        }
    }

    /** @param mayReduce whether ranges may keep fewer voters than they have */
    record Drain(String node, boolean isToGo, boolean mayReduce) {
        Drain {
            given(node, "node");
        }
    }

    record WantVoters(String store, int count, boolean mayReduce) {
        WantVoters {
            given(store, "store");
        }
    }

    record OfNode(String node) {
        OfNode {
            given(node, "node");
        }
    }

    /** @param unclear why it cannot be told whether anything is left; empty when it can, null of an earlier release */
    record DrainState(
            String node,
            boolean isDraining,
            int leaders,
            int replicas,
            boolean isSafeToStop,
            @Nullable String unclear) {}

    record Recover(String store, List<String> lost, boolean isDryRun) {
        Recover {
            given(store, "store");
            given(lost, "lost");
        }
    }

    record Recovery(boolean isDryRun, List<String> steps, List<String> errors) {
        Recovery {
            given(steps, "steps");
            given(errors, "errors");
        }
    }

    /** @param node whose balancers; empty for those of the node that is asked */
    record OfBalancers(String store, String node) {
        OfBalancers {
            given(store, "store");
            given(node, "node");
        }
    }

    record Balancers(String store, String node, List<Balancer> balancers) {
        Balancers {
            given(store, "store");
            given(node, "node");
            given(balancers, "balancers");
        }
    }

    /** @param pausedSeconds what is left of a pause that ends by itself; 0 for none */
    record Balancer(
            String name,
            boolean isPaused,
            boolean isResting,
            Map<String, String> settings,
            long done,
            long refused,
            long failed,
            String lastAction,
            String fault,
            long pausedSeconds) {
        Balancer {
            given(name, "name");
            given(settings, "settings");
        }

        /** @param limited of the pause that ends by itself, if one is under way */
        static Balancer of(BalancerStatus status, LimitedPauses.@Nullable Pause limited) {
            return new Balancer(
                    status.name(),
                    status.isPaused(),
                    limited == null ? status.isResting() : limited.alsoRests(),
                    new TreeMap<>(status.settings()),
                    status.done(),
                    status.refused(),
                    status.failed(),
                    status.lastAction(),
                    status.fault(),
                    limited == null ? 0 : limited.secondsLeft());
        }
    }

    enum BalancerChange {
        /** Until it is resumed. */
        PAUSE,
        /** For {@code forSeconds}, or until it is resumed or its node stops. */
        PAUSE_FOR,
        /** Until it rests no more, is resumed, or its node stops; for {@link LimitedPauses#REST} at most. */
        REST,
        /** Leaves it paused if it is. */
        UNREST,
        /** Of a pause and of a rest. */
        RESUME,
        TUNE
    }

    /**
     * @param settings that change, of {@code TUNE}
     * @param forSeconds of {@code PAUSE_FOR}; 0 otherwise
     */
    record ChangeBalancer(
            String store,
            String node,
            String balancer,
            BalancerChange change,
            Map<String, String> settings,
            int forSeconds) {
        ChangeBalancer {
            given(store, "store");
            given(node, "node");
            given(balancer, "balancer");
            given(change, "change");
            given(settings, "settings");
        }
    }

    /** The configuration in force on a node. */
    record Configuration(String node, List<NodeFacts.Setting> settings) {
        Configuration {
            given(node, "node");
            given(settings, "settings");
        }
    }

    /** What a node has loaded. */
    record Plugins(String node, List<NodeFacts.Plugin> plugins) {
        Plugins {
            given(node, "node");
            given(plugins, "plugins");
        }
    }

    /** @param node that leads it; empty for the node that is asked */
    record OfRange(String store, long rangeId, String node) {
        OfRange {
            given(store, "store");
            given(node, "node");
        }
    }

    record OfStores(List<String> stores) {
        OfStores {
            stores = List.copyOf(given(stores, "stores"));
        }
    }

    /** How many ranges follow, each as from {@link CopiedRange} on. */
    record CopiedStores(int ranges) {}

    /** The range that a copy is of; see {@link io.godwit.kv.backup.RangeBackups.RangeCopy}. Keys in hexadecimal. */
    record CopiedRange(
            String clusterId,
            String release,
            String store,
            long id,
            long epoch,
            String start,
            @Nullable String end) {
        CopiedRange {
            given(clusterId, "clusterId");
            given(release, "release");
            given(store, "store");
            given(start, "start");
        }
    }

    record CopiedFile(String name, long bytes) {
        CopiedFile {
            given(name, "name");
        }
    }

    /** @param sha256 of the file, in hexadecimal */
    record FileEnd(String sha256) {
        FileEnd {
            given(sha256, "sha256");
        }
    }

    record CopyEnd(int files) {}

    /** How a constant is written in what people read. */
    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
