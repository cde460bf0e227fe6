package io.godwit.kv.operate;

import io.godwit.cluster.member.Member;
import io.godwit.common.failure.Failures;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.member.MemberFacts;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.peers.OwnReport;
import io.godwit.kv.range.Range;
import io.godwit.kv.remote.NodeReport;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.wire.Drain;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.ResetVoters;
import io.godwit.plugin.balance.Liveness;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what operators ask of a node. */
public final class NodeControl implements NodeOperations {
    private static final Logger LOG = LoggerFactory.getLogger(NodeControl.class);
    private static final long TIMEOUT_MILLIS = 30_000;

    private final String clusterId;
    private final OwnReport own;
    private final Map<String, StoreControl> stores;
    private final Set<String> storesHere;
    private final Consumer<Boolean> drain;
    private final FactsTeller facts;
    private final @Nullable ClusterLinks links;

    /**
     * @param stores the open stores, by name; a live view
     * @param storesHere names of the stores that this node had ranges of when it started, open or not
     * @param drain stores durably whether this node is draining; blocks
     * @param facts the noted facts of the cluster
     * @param links null if this node is not in a cluster
     */
    public NodeControl(
            String clusterId,
            OwnReport own,
            Map<String, StoreControl> stores,
            Set<String> storesHere,
            Consumer<Boolean> drain,
            FactsTeller facts,
            @Nullable ClusterLinks links) {
        this.clusterId = clusterId;
        this.own = own;
        this.stores = stores;
        this.storesHere = Set.copyOf(storesHere);
        this.drain = drain;
        this.facts = facts;
        this.links = links;
    }

    /** Begins to answer other nodes. */
    public void start(ClusterLinks cluster) {
        facts.start(cluster);
        cluster.rpc().on(QuestionCase.CARRY_OUT, question -> {
            ActionCodec.Request request = ActionCodec.request(question.getCarryOut());
            StoreControl store = stores.get(request.store());
            if (store == null) {
                throw new IOException("store " + request.store() + " is not open here");
            }
            LOG.info("action asked for by another node asker={} action={}", question.getAsker(), request.action());
            return store.carryOutHere(request.action()).thenApply(ActionCodec::answer);
        });
        cluster.rpc().on(QuestionCase.DRAIN, question -> {
            drainSelf(question.getDrain().getIsToGo());
            return CompletableFuture.completedFuture(NodeRpc.DONE);
        });
        cluster.rpc().on(QuestionCase.RESET_VOTERS, question -> {
            reset(Reset.of(question.getResetVoters()), question.getAsker());
            return CompletableFuture.completedFuture(NodeRpc.DONE);
        });
    }

    @Override
    public String clusterId() {
        return clusterId;
    }

    @Override
    public String self() {
        return own.storeId();
    }

    @Override
    public List<NodeInfo> nodes() {
        Map<String, NodeReport> reports = reports();
        Map<String, MemberWatch.Seen> seen =
                links == null ? Map.of() : links.members().seen();
        Set<String> ids = new TreeSet<>(reports.keySet());
        ids.addAll(seen.keySet());
        reports.values()
                .forEach(report -> report.replicas()
                        .values()
                        .forEach(replicas -> replicas.forEach(replica -> {
                            ids.addAll(replica.voters());
                            ids.addAll(replica.learners());
                        })));
        return ids.stream().map(id -> info(id, reports.get(id), seen.get(id))).toList();
    }

    private NodeInfo info(String id, @Nullable NodeReport report, MemberWatch.@Nullable Seen seen) {
        Member member = seen == null ? null : seen.member();
        NodeReport.NodeStatus status = report == null ? new NodeReport.NodeStatus(false, 0, 0, 0, 0) : report.status();
        return new NodeInfo(
                id,
                member != null ? member.incarnation() : report == null ? 0 : report.incarnation(),
                member == null ? "" : member.rpc().toString(),
                member == null ? "" : member.version(),
                member == null ? "" : MemberFacts.of(member).zone(),
                id.equals(own.storeId()) ? Liveness.ALIVE : seen == null ? Liveness.DOWN : seen.liveness(),
                status.isDraining(),
                status.cores(),
                status.cpuLoad(),
                status.diskTotalBytes(),
                status.diskFreeBytes(),
                facts.facts().isForgotten(id));
    }

    private Map<String, NodeReport> reports() {
        Map<String, NodeReport> reports = new HashMap<>();
        if (links != null) {
            reports.putAll(links.exchange().reports());
        }
        reports.put(own.storeId(), own.of(0));
        return reports;
    }

    @Override
    public List<String> stores() {
        return new TreeSet<>(stores.keySet()).stream().toList();
    }

    @Override
    public Optional<StoreOperations> store(String name) {
        return Optional.ofNullable(stores.get(name));
    }

    // --- drain

    @Override
    public CompletableFuture<OperationResult> drain(String storeId, boolean isToGo, boolean mayReduce) {
        boolean isThere = isThere(storeId);
        if (!isThere) {
            return refused("node " + storeId + " is not running" + downFor(storeId) + ", so it cannot be drained"
                    + ": start it again. If it never comes back with its data, forget it (godwit-admin forget); "
                    + "other nodes then get new replicas");
        }
        NodeReport report = reports().get(storeId);
        boolean isNew = isToGo && (report == null || !report.status().isDraining());
        Optional<String> reduction = isNew ? redundancy().without(storeId) : Optional.empty();
        if (reduction.isPresent() && !mayReduce) {
            return refused(reduction.get());
        }
        return mark(storeId, isToGo)
                .thenApply(result -> result.isDone() && reduction.isPresent()
                        ? new OperationResult(ActionOutcome.DONE, reduction.get())
                        : result);
    }

    private Redundancy redundancy() {
        Set<String> told = new TreeSet<>(storesHere);
        reports().values().forEach(report -> told.addAll(report.replicas().keySet()));
        List<NodeInfo> nodes = nodes();
        return new Redundancy(
                nodes,
                stores.values().stream().map(StoreControl::known).toList(),
                new Redundancy.Unheard(told, links == null ? Set.of() : links.silent(), longGone(nodes)));
    }

    private Set<String> longGone(List<NodeInfo> nodes) {
        ClusterLinks cluster = links;
        if (cluster == null) {
            return Set.of();
        }
        Duration grace = stores.values().stream()
                .map(StoreControl::grace)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        Map<String, MemberWatch.Seen> seen = cluster.members().seen();
        Set<String> gone = new TreeSet<>();
        for (NodeInfo node : nodes) {
            MemberWatch.Seen last = seen.get(node.storeId());
            Duration away = last == null ? cluster.members().sinceStart() : last.forHowLong();
            if (node.liveness() == Liveness.DOWN && away.compareTo(grace) >= 0) {
                gone.add(node.storeId());
            }
        }
        return gone;
    }

    private boolean isThere(String storeId) {
        return storeId.equals(own.storeId()) || links != null && links.members().isAlive(storeId);
    }

    private String downFor(String storeId) {
        MemberWatch.Seen seen = links == null ? null : links.members().seen().get(storeId);
        return seen == null ? "" : ", and has not been for " + seen.forHowLong().toSeconds() + " s";
    }

    private static CompletableFuture<OperationResult> refused(String why) {
        return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.REFUSED, why));
    }

    private CompletableFuture<OperationResult> mark(String storeId, boolean isToGo) {
        if (storeId.equals(own.storeId())) {
            drainSelf(isToGo);
            return CompletableFuture.completedFuture(OperationResult.DONE);
        }
        return ask(
                storeId, NodeQuestion.newBuilder().setDrain(Drain.newBuilder().setIsToGo(isToGo)));
    }

    private void drainSelf(boolean isToGo) {
        LOG.info("this node {}", isToGo ? "drains: its leaders and replicas move to other nodes" : "no longer drains");
        drain.accept(isToGo);
        if (links != null) {
            links.exchange().changed();
        }
    }

    @Override
    public DrainStatus drainStatus(String storeId) {
        Map<String, NodeReport> reports = reports();
        int leaders = 0;
        int replicas = 0;
        for (StoreControl store : stores.values()) {
            for (RangeRoutes.Route route : store.views().routes(reports)) {
                leaders += route.leader().equals(storeId) ? 1 : 0;
                replicas += store.isToLose(route.report(), storeId) ? 1 : 0;
            }
        }
        NodeReport report = reports.get(storeId);
        boolean isDraining = report != null && report.status().isDraining();
        String unclear = isDraining && replicas == 0 ? redundancy().unclear().orElse("") : "";
        return new DrainStatus(isDraining, leaders, replicas, unclear);
    }

    private CompletableFuture<OperationResult> ask(String storeId, NodeQuestion.Builder question) {
        if (links == null) {
            return CompletableFuture.completedFuture(
                    new OperationResult(ActionOutcome.REFUSED, "this node is alone: there is no " + storeId));
        }
        return links.rpc()
                .ask(storeId, question, OutcomeCase.DONE, TIMEOUT_MILLIS)
                .thenApply(answer -> OperationResult.DONE)
                .exceptionally(failure -> new OperationResult(ActionOutcome.FAILED, messageOf(failure)));
    }

    /** The message of the cause, because the wrapper's message only adds a class name. */
    private static String messageOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        return String.valueOf(cause.getMessage());
    }

    // --- nodes that will not come back

    @Override
    public CompletableFuture<OperationResult> forget(String storeId) {
        NotedFacts noted = facts.facts();
        if (links == null) {
            return refused("this node is alone: there is no other to forget");
        }
        if (noted.isForgotten(storeId)) {
            return facts.tellAll("node " + storeId + " is forgotten already");
        }
        if (isThere(storeId)) {
            return refused("node " + storeId + " is running: drain and stop it first");
        }
        Redundancy redundancy = redundancy();
        Optional<String> need = redundancy.needOf(storeId);
        if (need.isPresent()) {
            return refused(need.get());
        }
        if (nodes().stream().noneMatch(node -> node.storeId().equals(storeId))) {
            return refused("there is no node " + storeId);
        }
        if (!noted.now().mayForget(storeId)) {
            return refused("node " + storeId + " cannot be forgotten: " + ClusterFacts.MAX_FORGOTTEN
                    + " nodes are forgotten already, or the id is not that of a node");
        }
        String left = redundancy.afterForgetting(storeId);
        LOG.warn("node is forgotten, an operator asked for it node={} {}", storeId, left);
        noted.forget(storeId);
        return facts.tellAll(left);
    }

    // --- recovery

    /** The voters that are to go on alone. */
    private record Reset(String store, long rangeId, List<String> voters) {
        ResetVoters message() {
            return ResetVoters.newBuilder()
                    .setStore(store)
                    .setRangeId(rangeId)
                    .addAllVoters(voters)
                    .build();
        }

        static Reset of(ResetVoters in) {
            return new Reset(in.getStore(), in.getRangeId(), List.copyOf(in.getVotersList()));
        }
    }

    @Override
    public CompletableFuture<RecoveryResult> recover(String storeName, Set<String> lostStores, boolean isDryRun) {
        List<String> errors = new ArrayList<>();
        StoreControl store = stores.get(storeName);
        if (store == null) {
            errors.add("store " + storeName + " is not open here");
        }
        lostStores.stream()
                .filter(lost -> lost.equals(own.storeId())
                        || links != null && links.members().isAlive(lost))
                .forEach(lost -> errors.add("node " + lost + " is running: it is not lost"));
        if (store == null || !errors.isEmpty()) {
            return CompletableFuture.completedFuture(new RecoveryResult(List.of(), errors));
        }
        List<String> steps = new ArrayList<>();
        List<Reset> resets = new ArrayList<>();
        for (RangeRoutes.Route route : store.views().routes(reports())) {
            plan(storeName, route.report(), lostStores, steps, errors).ifPresent(resets::add);
        }
        if (isDryRun || !errors.isEmpty()) {
            return CompletableFuture.completedFuture(new RecoveryResult(steps, errors));
        }
        steps.forEach(step -> LOG.warn("recovery without a majority, asked for by an operator: {}", step));
        return carryOut(resets).thenApply(failed -> new RecoveryResult(steps, failed));
    }

    private Optional<Reset> plan(
            String store, ReplicaReport range, Set<String> lost, List<String> steps, List<String> errors) {
        List<String> voters = range.voters();
        List<String> left =
                voters.stream().filter(voter -> !lost.contains(voter)).toList();
        if (left.size() == voters.size() || left.size() > voters.size() / 2) {
            return Optional.empty(); // it has a majority
        }
        String name = store + "-" + range.rangeId();
        List<String> away = left.stream()
                .filter(voter -> !voter.equals(own.storeId())
                        && (links == null || !links.members().isAlive(voter)))
                .toList();
        if (left.isEmpty()) {
            errors.add(name + " has no voter left of " + voters + ": only a backup brings it back");
        } else if (!away.isEmpty()) {
            errors.add(name + ": voters " + away + " do not run, but are not named as lost");
        } else {
            steps.add(name + ": " + left + " of the voters " + voters + " go on by themselves");
            return Optional.of(new Reset(store, range.rangeId(), left));
        }
        return Optional.empty();
    }

    private CompletableFuture<List<String>> carryOut(Collection<Reset> resets) {
        List<CompletableFuture<Optional<String>>> asked = new ArrayList<>();
        for (Reset reset : resets) {
            for (String voter : reset.voters()) {
                asked.add(askToReset(reset, voter)
                        .thenApply(result -> result.isDone()
                                ? Optional.empty()
                                : Optional.of(reset.store() + "-" + reset.rangeId() + " on " + voter + ": "
                                        + result.detail())));
            }
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> asked.stream()
                        .map(CompletableFuture::join) // completed already
                        .flatMap(Optional::stream)
                        .toList());
    }

    private CompletableFuture<OperationResult> askToReset(Reset reset, String voter) {
        if (!voter.equals(own.storeId())) {
            return ask(voter, NodeQuestion.newBuilder().setResetVoters(reset.message()));
        }
        try {
            reset(reset, voter);
            return CompletableFuture.completedFuture(OperationResult.DONE);
        } catch (IOException e) {
            return CompletableFuture.completedFuture(
                    new OperationResult(ActionOutcome.FAILED, String.valueOf(e.getMessage())));
        }
    }

    private void reset(Reset reset, String asker) throws IOException {
        StoreControl store = stores.get(reset.store());
        Range range = store == null ? null : store.range(reset.rangeId());
        if (range == null) {
            throw new IOException("no replica of " + reset.store() + "-" + reset.rangeId() + " here");
        }
        LOG.warn("voters reset without a majority range={} voters={} asker={}", range.groupId(), reset.voters(), asker);
        Optional<String> failure = range.resetVoters(reset.voters());
        if (failure.isPresent()) {
            throw new IOException(failure.get());
        }
    }
}
