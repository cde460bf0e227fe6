package io.godwit.kv.balance;

import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaFault;
import io.godwit.plugin.balance.SplitHint;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A range of a {@link SimCluster}: its points, its replicas, and the change that is in progress. */
final class SimRange {
    private final SimCluster cluster;
    final long id;
    int from;
    int to;
    long epoch;
    final Map<String, SimReplica> replicas = new LinkedHashMap<>();

    @Nullable
    String leader;

    @Nullable
    RangeChange change;

    long changedAt;
    long measuredSince;
    long leaderLostAt;

    private int measuredFrom = -1;
    private int measuredTo;
    private int measuredLoad;
    private double operations;
    private long bytes;
    private Optional<SplitHint> hint = Optional.empty();

    SimRange(SimCluster cluster, long id, int from, int to, long epoch) {
        this.cluster = cluster;
        this.id = id;
        this.from = from;
        this.to = to;
        this.epoch = epoch;
        this.changedAt = cluster.now;
        this.measuredSince = cluster.now;
    }

    boolean isLedBy(String store) {
        return store.equals(leader);
    }

    List<String> voters() {
        return replicas.entrySet().stream()
                .filter(entry -> entry.getValue().isVoter)
                .map(Map.Entry::getKey)
                .toList();
    }

    double operations() {
        measure();
        return operations;
    }

    long bytes() {
        measure();
        return bytes;
    }

    private void measure() {
        if (measuredFrom == from && measuredTo == to && measuredLoad == cluster.loads()) {
            return;
        }
        measuredFrom = from;
        measuredTo = to;
        measuredLoad = cluster.loads();
        operations = 0;
        bytes = 0;
        for (int i = from; i < to; i++) {
            operations += cluster.operationsAt[i];
            bytes += cluster.bytesAt[i];
        }
        hint = findHint();
    }

    RangeView view() {
        double perSecond = operations() * (1 + (cluster.random.nextDouble() - 0.5) * cluster.noise);
        RangeLoad load = new RangeLoad(Duration.ofSeconds(cluster.now - measuredSince), perSecond, perSecond, 3_000);
        return new RangeView(
                id,
                SimCluster.key(from),
                to == SimCluster.POINTS ? Optional.empty() : Optional.of(SimCluster.key(to)),
                epoch,
                replicas.entrySet().stream()
                        .map(entry -> view(entry.getKey(), entry.getValue()))
                        .toList(),
                Optional.ofNullable(leader),
                bytes(),
                load,
                hint,
                Optional.ofNullable(change),
                Duration.ofSeconds(cluster.now - changedAt));
    }

    private Replica view(String store, SimReplica replica) {
        Optional<ReplicaFault> fault = replica.hasStopped()
                ? Optional.of(new ReplicaFault(Duration.ofSeconds(cluster.now - replica.stoppedAt), true))
                : Optional.empty();
        return new Replica(store, replica.isVoter, fault.isEmpty() && replica.missingBytes == 0, fault);
    }

    /** Another epoch begins, because the bounds or the replicas have changed. */
    void changed() {
        epoch++;
        changedAt = cluster.now;
    }

    /** The store's replica meets a fault and stops. */
    void stop(String store) {
        replicas.get(store).stoppedAt = cluster.now;
        cluster.log("stop range " + id + " on " + store);
    }

    boolean takesPart(String store) {
        return cluster.node(store).isAlive && !replicas.get(store).hasStopped();
    }

    private Optional<SplitHint> findHint() {
        double all = operations;
        double below = 0;
        int best = from;
        double bestBelow = 0;
        for (int i = from; i < to; i++) {
            if (i > from && Math.abs(below - all / 2) < Math.abs(bestBelow - all / 2)) {
                best = i;
                bestBelow = below;
            }
            below += cluster.operationsAt[i];
        }
        return best == from || all < 100
                ? Optional.empty()
                : Optional.of(new SplitHint(SimCluster.key(best), Math.min(1, bestBelow / all)));
    }
}
