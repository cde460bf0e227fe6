package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaFault;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.StoreView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds small views: everything is healthy and stable unless stated otherwise. */
public final class Views {
    static final PlacementRules RULES = new PlacementRules(Duration.ofMinutes(10), Duration.ofSeconds(30), 0.1, 2);
    static final Duration LONG = Duration.ofHours(1);
    static final long GIB = 1L << 30;

    private Views() {}

    static Key key(String text) {
        return Key.of(text.getBytes(StandardCharsets.UTF_8));
    }

    public static StoreBuilder store(String id) {
        return new StoreBuilder(id);
    }

    /** A range from {@code start} on; the builder of the view sets its end. */
    public static RangeBuilder range(long id, String start) {
        return new RangeBuilder(id, start);
    }

    /** A view of {@code self}. The ranges are given in key order and cover the key space. */
    public static ClusterView view(String self, int voters, List<StoreBuilder> stores, RangeBuilder... ranges) {
        return view(self, new ReplicaGoal(voters, false), stores, ranges);
    }

    public static ClusterView view(String self, ReplicaGoal goal, List<StoreBuilder> stores, RangeBuilder... ranges) {
        List<RangeView> built = new ArrayList<>();
        for (int i = 0; i < ranges.length; i++) {
            built.add(ranges[i].build(i + 1 < ranges.length ? Optional.of(ranges[i + 1].start) : Optional.empty()));
        }
        return new ClusterView(
                "inbox", self, goal, stores.stream().map(StoreBuilder::build).toList(), built);
    }

    /** The settings of a shipped balancer with some changes, so that tests use the defaults for the rest. */
    static BalancePlan.Step shipped(String name, Map<String, String> settings) {
        return ShippedBalancers.ALL.stream()
                .filter(factory -> factory.name().equals(name))
                .map(factory -> new BalancePlan.Step(factory, settings))
                .findFirst()
                .orElseThrow();
    }

    public static final class StoreBuilder {
        private final String id;
        private String zone = "";
        private Liveness liveness = Liveness.ALIVE;
        private Duration livenessFor = LONG;
        private boolean isDraining;
        private String version = "1";
        private int cores = 4;
        private double cpuLoad = 0.1;
        private double leadsElsewhere;
        private long freeBytes = 80 * GIB;

        private StoreBuilder(String id) {
            this.id = id;
        }

        StoreBuilder zone(String value) {
            zone = value;
            return this;
        }

        StoreBuilder is(Liveness value, Duration since) {
            liveness = value;
            livenessFor = since;
            return this;
        }

        StoreBuilder draining() {
            isDraining = true;
            return this;
        }

        StoreBuilder version(String value) {
            version = value;
            return this;
        }

        StoreBuilder cores(int value) {
            cores = value;
            return this;
        }

        StoreBuilder cpuLoad(double value) {
            cpuLoad = value;
            return this;
        }

        /** Free bytes of a disk of 100 GiB. */
        StoreBuilder freeBytes(long value) {
            freeBytes = value;
            return this;
        }

        StoreBuilder leadsElsewhere(double operationsPerSecond) {
            leadsElsewhere = operationsPerSecond;
            return this;
        }

        StoreView build() {
            return new StoreView(
                    id,
                    zone,
                    liveness,
                    livenessFor,
                    isDraining,
                    version,
                    cores,
                    cpuLoad,
                    100 * GIB,
                    freeBytes,
                    leadsElsewhere);
        }
    }

    public static final class RangeBuilder {
        private final long id;
        private final Key start;
        private final List<Replica> replicas = new ArrayList<>();
        private Optional<String> leader = Optional.empty();
        private long sizeBytes;
        private RangeLoad load = new RangeLoad(LONG, 0, 0, 0);
        private Optional<SplitHint> hint = Optional.empty();
        private Optional<RangeChange> change = Optional.empty();
        private Duration stableFor = LONG;

        private RangeBuilder(long id, String start) {
            this.id = id;
            this.start = key(start);
        }

        /** The first one leads. */
        public RangeBuilder voters(String... stores) {
            for (String store : stores) {
                replicas.add(new Replica(store, true, true));
            }
            leader = Optional.of(stores[0]);
            return this;
        }

        RangeBuilder learner(String store, boolean isCaughtUp) {
            replicas.add(new Replica(store, false, isCaughtUp));
            return this;
        }

        /** A voter that has stopped after a fault. */
        RangeBuilder stopped(String store, Duration lasting, boolean isReplaceable) {
            replicas.add(new Replica(store, true, false, Optional.of(new ReplicaFault(lasting, isReplaceable))));
            return this;
        }

        RangeBuilder stoppedLearner(String store, Duration lasting) {
            replicas.add(new Replica(store, false, false, Optional.of(new ReplicaFault(lasting, true))));
            return this;
        }

        RangeBuilder bytes(long value) {
            sizeBytes = value;
            return this;
        }

        RangeBuilder load(double operationsPerSecond, long nanos) {
            return load(new RangeLoad(LONG, operationsPerSecond, operationsPerSecond, nanos));
        }

        RangeBuilder load(RangeLoad value) {
            load = value;
            return this;
        }

        RangeBuilder hint(String at, double shareBelow) {
            hint = Optional.of(new SplitHint(key(at), shareBelow));
            return this;
        }

        RangeBuilder change(RangeChange value) {
            change = Optional.of(value);
            return this;
        }

        RangeBuilder stableFor(Duration value) {
            stableFor = value;
            return this;
        }

        private RangeView build(Optional<Key> end) {
            return new RangeView(id, start, end, 5, replicas, leader, sizeBytes, load, hint, change, stableFor);
        }
    }
}
