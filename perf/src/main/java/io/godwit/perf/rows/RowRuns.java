package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.report.TableReport;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Measures rows: starts each cluster that they need, runs all their loads on it, stops it, and goes on to the next.
 * With several passes each cluster is started once in each, in alternating order, so that a machine that becomes slower
 * or busier affects all clusters alike. Used once, by one thread.
 */
public final class RowRuns {
    private final List<Row> rows;
    private final Map<Setup, Set<Load>> loads;
    private final Map<Setup, ClusterSetup> clusters = new HashMap<>();
    private final double scale;
    private final LoadTimes times;
    private final ToolLoops loops;
    private final PrintStream out;
    private final Measurements told = new Measurements();

    /**
     * @param many the cluster that is compared with one node
     * @param sizes the clusters whose CPU per message is compared
     * @param only ids of rows; empty for all
     * @param clusters creates settings; throws {@link IllegalArgumentException} if there can be no such cluster
     * @param scale above 0, at most 1: factor of rates and connections
     * @param times of each load
     * @param loops of this tool
     */
    public RowRuns(
            Setup many,
            List<Setup> sizes,
            Set<String> only,
            Function<Setup, ClusterSetup> clusters,
            double scale,
            LoadTimes times,
            ToolLoops loops,
            PrintStream out) {
        if (!(scale > 0 && scale <= 1)) {
            throw new IllegalArgumentException("--scale must be above 0 and at most 1, was " + scale);
        }
        rows = Rows.of(many, sizes, only);
        loads = loads(rows);
        // reports mistakes in any of them before one is started
        loads.keySet().forEach(setup -> this.clusters.put(setup, clusters.apply(setup)));
        this.scale = scale;
        this.times = times;
        this.loops = loops;
        this.out = out;
    }

    /** The loads to run on each cluster, which are in the order of the rows. */
    static Map<Setup, Set<Load>> loads(List<Row> rows) {
        Map<Setup, Set<Load>> loads = new LinkedHashMap<>();
        for (Row row : rows) {
            Setup base = row.base();
            if (base != null) {
                loads.computeIfAbsent(base, none -> new TreeSet<>()).add(row.load());
            }
            loads.computeIfAbsent(row.setup(), none -> new TreeSet<>()).add(row.load());
        }
        return loads;
    }

    /** Runs all loads, {@code passes} times; a failure is recorded and the others go on. */
    public void run(int passes) throws InterruptedException {
        for (int pass = 0; pass < passes; pass++) {
            List<Setup> setups = new ArrayList<>(loads.keySet());
            if (pass % 2 == 1) {
                Collections.reverse(setups);
            }
            for (Setup setup : setups) {
                for (Set<Load> together : together(loads.getOrDefault(setup, Set.of()))) {
                    out.printf("%npass %d of %d, %s%n", pass + 1, passes, setup.describe());
                    run(setup, together);
                }
            }
        }
    }

    /** Groups the loads: those that share one cluster together, and each of the others alone. */
    static List<Set<Load>> together(Set<Load> loads) {
        Map<Boolean, Set<Load>> parts =
                loads.stream().collect(Collectors.partitioningBy(Load::isApart, Collectors.toCollection(TreeSet::new)));
        List<Set<Load>> together = new ArrayList<>();
        Set<Load> usual = parts.getOrDefault(false, Set.of());
        if (!usual.isEmpty()) {
            together.add(usual);
        }
        parts.getOrDefault(true, Set.of()).forEach(load -> together.add(Set.of(load)));
        return together;
    }

    private void run(Setup setup, Set<Load> wanted) throws InterruptedException {
        ClusterSetup settings = Objects.requireNonNull(clusters.get(setup));
        for (Load load : wanted) {
            settings = settings.with(load.configuration(), load.leastHeap(scale));
        }
        try (BrokerCluster cluster = BrokerCluster.start(settings, out::println)) {
            ClusterLoad runs = new ClusterLoad(cluster, scale, times, loops);
            for (Load load : wanted) {
                try {
                    Figures figures = runs.run(load);
                    told.add(setup, load, figures);
                    out.println("  " + describe(load, figures));
                } catch (LoadFailedException e) {
                    fail(load.title() + " on " + setup.describe() + " has failed: " + e.getMessage());
                }
                cluster.requireAlive();
            }
        } catch (ClusterFailedException e) {
            fail(setup.describe() + ": " + e.getMessage());
        }
    }

    private void fail(String reason) {
        told.addFault(reason);
        out.println("  " + reason);
    }

    private static String describe(Load load, Figures figures) {
        List<String> parts = new ArrayList<>();
        for (Value value : Value.values()) {
            Double figure = figures.values().get(value);
            if (figure != null) {
                parts.add(value.text(figure) + " " + value.unit());
            }
        }
        if (figures.lost() > 0) {
            parts.add("LOST " + figures.lost());
        }
        parts.addAll(figures.cautions());
        return load.title() + ": " + String.join(", ", parts);
    }

    /** The table of what has been measured so far. */
    public TableReport table() {
        return RowTable.of(
                rows,
                told,
                scale < 1 ? List.of("rates and connections are " + scale + " of what their names say") : List.of());
    }

    /** Deliveries that were lost, in all loads so far. */
    public long lost() {
        return told.lost();
    }

    /** Whether any load could not be run. */
    public boolean hasFailed() {
        return !told.faults().isEmpty();
    }
}
