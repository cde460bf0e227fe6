package io.godwit.broker.admin.rpc;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
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
 * The messages between an operator's program and a node: JSON objects with the names of the record components. Fields
 * may be added; a reader ignores unknown ones. {@code --json} prints the answers.
 */
public final class Messages {
    private Messages() {}

    /** Checks for a required field. */
    private static <T> T given(@Nullable T value, String name) {
        if (value == null) {
            throw new IllegalArgumentException("the message has no " + name);
        }
        return value;
    }

    record Nothing() {}

    /** @param wantedVoters the number of voters of each range, by store; null from a release that does not know it */
    public record Nodes(
            String clusterId,
            String self,
            List<String> stores,
            List<Node> nodes,
            @Nullable Map<String, Integer> wantedVoters) {
        public Nodes {
            given(self, "self");
            given(stores, "stores");
            given(nodes, "nodes");
        }

        public NodeNames names() {
            return new NodeNames(nodes.stream()
                    .map(node -> new NodeNames.Named(node.storeId(), node.rpc()))
                    .toList());
        }

        /**
         * Checks that {@code id} is the whole id of a node.
         *
         * @return {@code id}
         */
        public String whole(String id) throws AdminException {
            if (nodes.stream().noneMatch(node -> node.storeId().equals(id))) {
                throw new AdminException(Kind.UNKNOWN, "there is no node \"" + id + "\"");
            }
            return id;
        }
    }

    /**
     * A current or former member; see {@link io.godwit.kv.operate.NodeOperations.NodeInfo}.
     *
     * @param pausedBalancers store and name of each; filled in only by the command {@code members}
     */
    public record Node(
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
        @SuppressWarnings("NullAway") // null from a node that does not send it
        public Node {
            given(storeId, "storeId");
            given(liveness, "liveness");
            pausedBalancers = pausedBalancers == null ? List.of() : List.copyOf(pausedBalancers);
        }

        public Node withPaused(List<String> balancers) {
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

    /** @param wantedVoters the number of voters of each range; 0 from a release that does not know it */
    public record Ranges(String store, List<Range> ranges, int wantedVoters) {
        public Ranges {
            given(store, "store");
            given(ranges, "ranges");
        }
    }

    /**
     * A range; see {@link RangeInfo}.
     *
     * @param start in hexadecimal, inclusive
     * @param end in hexadecimal, exclusive; null for the end of the key space
     */
    public record Range(
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
        public Range {
            given(start, "start");
            given(leader, "leader");
            given(voters, "voters");
            given(learners, "learners");
        }

        public boolean hasReplica(String node) {
            return voters.contains(node) || learners.contains(node);
        }

        public Range withEpoch(long other) {
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

    public enum ActionKind {
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
     * @param key for a split, in hexadecimal; null lets the leader choose
     * @param rightId for a merge, with {@code rightEpoch}
     * @param to the store of the changed replica or of the next leader; otherwise empty
     * @param timeoutMillis how long the operator waits
     */
    public record Action(
            String store,
            ActionKind kind,
            long rangeId,
            long epoch,
            @Nullable String key,
            long rightId,
            long rightEpoch,
            String to,
            long timeoutMillis) {
        public Action {
            given(store, "store");
            given(kind, "kind");
            given(to, "to");
        }
    }

    public record Result(ActionOutcome outcome, String detail) {
        public Result {
            given(outcome, "outcome");
            given(detail, "detail");
        }

        static Result of(OperationResult result) {
            return new Result(result.outcome(), result.detail());
        }
    }

    /** @param mayReduce whether ranges may end up with fewer voters */
    public record Drain(String node, boolean isToGo, boolean mayReduce) {
        public Drain {
            given(node, "node");
        }
    }

    public record WantVoters(String store, int count, boolean mayReduce) {
        public WantVoters {
            given(store, "store");
        }
    }

    public record OfNode(String node) {
        public OfNode {
            given(node, "node");
        }
    }

    /** @param unclear why the state is uncertain; empty if it is certain, null from an earlier release */
    public record DrainState(
            String node,
            boolean isDraining,
            int leaders,
            int replicas,
            boolean isSafeToStop,
            @Nullable String unclear) {}

    public record Recover(String store, List<String> lost, boolean isDryRun) {
        public Recover {
            given(store, "store");
            given(lost, "lost");
        }
    }

    public record Recovery(boolean isDryRun, List<String> steps, List<String> errors) {
        public Recovery {
            given(steps, "steps");
            given(errors, "errors");
        }
    }

    /** @param node the node whose balancers are meant; empty for the asked node */
    public record OfBalancers(String store, String node) {
        public OfBalancers {
            given(store, "store");
            given(node, "node");
        }
    }

    public record Balancers(String store, String node, List<Balancer> balancers) {
        public Balancers {
            given(store, "store");
            given(node, "node");
            given(balancers, "balancers");
        }
    }

    /** @param pausedSeconds seconds left of a pause that ends by itself; 0 for none */
    public record Balancer(
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
        public Balancer {
            given(name, "name");
            given(settings, "settings");
        }

        /** @param limited the pause that ends by itself, if there is one */
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

    public enum BalancerChange {
        /** Lasts until a resume. */
        PAUSE,
        /** Lasts {@code forSeconds}, or until a resume or the stop of the node. */
        PAUSE_FOR,
        /** Lasts until an unrest, a resume or the stop of the node, but at most {@link LimitedPauses#REST}. */
        REST,
        /** Ends a rest; a pause continues. */
        UNREST,
        /** Ends pauses and rests. */
        RESUME,
        TUNE
    }

    /**
     * @param settings the changed ones, for {@code TUNE}
     * @param forSeconds for {@code PAUSE_FOR}; otherwise 0
     */
    public record ChangeBalancer(
            String store,
            String node,
            String balancer,
            BalancerChange change,
            Map<String, String> settings,
            int forSeconds) {
        public ChangeBalancer {
            given(store, "store");
            given(node, "node");
            given(balancer, "balancer");
            given(change, "change");
            given(settings, "settings");
        }
    }

    /** The configuration in force on a node. */
    public record Configuration(String node, List<NodeFacts.Setting> settings) {
        public Configuration {
            given(node, "node");
            given(settings, "settings");
        }
    }

    /** The plugins that a node has loaded. */
    public record Plugins(String node, List<NodeFacts.Plugin> plugins) {
        public Plugins {
            given(node, "node");
            given(plugins, "plugins");
        }
    }

    /** @param node the leader of the range; empty for the asked node */
    public record OfRange(String store, long rangeId, String node) {
        public OfRange {
            given(store, "store");
            given(node, "node");
        }
    }

    public record OfStores(List<String> stores) {
        public OfStores {
            stores = List.copyOf(given(stores, "stores"));
        }
    }

    /** The number of ranges that follow; each begins with its {@link CopiedRange}. */
    public record CopiedStores(int ranges) {}

    /** The range of a copy; see {@link io.godwit.kv.backup.RangeBackups.RangeCopy}. Keys are in hexadecimal. */
    public record CopiedRange(
            String clusterId,
            String release,
            String store,
            long id,
            long epoch,
            String start,
            @Nullable String end) {
        public CopiedRange {
            given(clusterId, "clusterId");
            given(release, "release");
            given(store, "store");
            given(start, "start");
        }
    }

    public record CopiedFile(String name, long bytes) {
        public CopiedFile {
            given(name, "name");
        }
    }

    /** @param sha256 the checksum of the file, in hexadecimal */
    public record FileEnd(String sha256) {
        public FileEnd {
            given(sha256, "sha256");
        }
    }

    public record CopyEnd(int files) {}

    /** The name of a constant for people: in lower case, with hyphens. */
    public static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
