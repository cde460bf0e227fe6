package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.LoadRun;
import io.godwit.perf.load.Preflight;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.observe.ProcessUsage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.report.ClusterTable;
import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs loads on a running cluster, one after the other. Used by one thread. */
final class ClusterLoad {
    private static final double REACHED = 0.98;
    private static final Duration ATTEMPT_WARM_UP = Duration.ofSeconds(1);
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final Duration HELD = Duration.ofMillis(500);
    private static final Duration SHORTEST_ATTEMPT = Duration.ofSeconds(1);
    /** The shortest time without clients before the load of a cluster at rest is measured. */
    private static final Duration REST = Duration.ofSeconds(5);

    private static final Duration LONGER = Duration.ofSeconds(1);
    private static final Duration LARGE_END = Duration.ofMinutes(2);

    private static final int CLOSED_LOOP_WINDOW = 16;
    private static final int WINDOW = 1_000;
    private static final double CONNECT_RATE = 500;
    private static final int CONNECTING = 200;

    private final BrokerCluster cluster;
    private final double scale;
    private final LoadTimes times;
    private final ToolLoops loops;
    private final Duration warmUp;
    private final Duration warmUpBesideLarge;
    private final Duration duration;

    ClusterLoad(BrokerCluster cluster, double scale, LoadTimes times, ToolLoops loops) {
        this.cluster = cluster;
        this.scale = scale;
        this.times = times;
        this.loops = loops;
        this.warmUp = times.warmUp();
        this.warmUpBesideLarge = times.warmUpBesideLarge();
        this.duration = times.measured();
    }

    /**
     * Runs a load and returns its figures. Blocks for warm-up, measured time and draining.
     *
     * @throws LoadFailedException if it could not be run; other loads still can
     * @throws ClusterFailedException if the cluster has changed so that no other load can be run on it
     */
    Figures run(Load load) throws LoadFailedException, ClusterFailedException, InterruptedException {
        return switch (load) {
            case IDLE -> idle();
            case QOS0_MAX -> highestRate(load);
            case RECONNECT ->
                new KilledNode(cluster, times, loops.reconnecting())
                        .run(load.scenario(scale, duration.toMillis() / 1e3));
            case SMALL_BESIDE_LARGE -> besideLarge(load);
            case RESYNC -> new RestartedNode(cluster, warmUp).run(Load.filters(scale), load.rate(scale));
            case SUBSCRIBE_LIVE, SUBSCRIBE_PERSISTENT, CONNECT -> connecting(load);
            default -> figures(run(load, load.scenario(scale, duration.toMillis() / 1e3), warmUp, duration));
        };
    }

    private RunResult run(Load load, Scenario scenario, Duration before, Duration measured)
            throws LoadFailedException, InterruptedException {
        ClientSettings clients = ClientSettings.plain(cluster.endpoints(), load.placement());
        List<String> obstacles = Preflight.obstacles(scenario, clients);
        if (!obstacles.isEmpty()) {
            throw new LoadFailedException(String.join("; ", obstacles));
        }
        LoadSettings settings = new LoadSettings(
                before,
                scenario.isConnecting() ? HELD : measured,
                DRAIN,
                scenario.isClosedLoop() ? CLOSED_LOOP_WINDOW : WINDOW,
                CONNECT_RATE,
                CONNECTING,
                loops.usual(),
                false,
                Duration.ZERO);
        return new LoadRun(scenario, 1, scenario, settings, clients, null, watched(load), progress -> {}).run();
    }

    /** All brokers; if publishers and subscribers are on separate nodes, only the two that have clients. */
    private Optional<UsageSource> watched(Load load) {
        List<Long> pids = cluster.pids();
        return Optional.of(new ProcessUsage(
                load.placement() == Placement.APART ? pids.subList(0, Math.min(2, pids.size())) : pids));
    }

    /** Runs small messages while large ones take the same way, from before the measured time until after it. */
    private Figures besideLarge(Load load) throws LoadFailedException, InterruptedException {
        FutureTask<RunResult> large =
                new FutureTask<>(() -> run(load, Load.large(), warmUpBesideLarge, duration.plus(LONGER)));
        Thread thread = new Thread(large, "large");
        thread.setDaemon(true);
        thread.start();
        Figures small;
        Figures beside;
        try {
            small = figures(run(load, load.scenario(scale, duration.toMillis() / 1e3), warmUpBesideLarge, duration));
            beside = figures(large.get(LARGE_END.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            throw new LoadFailedException("the large messages: "
                    + Objects.requireNonNull(e.getCause()).getMessage());
        } catch (TimeoutException e) {
            throw new LoadFailedException("the large messages did not end within " + LARGE_END.toSeconds() + " s");
        } finally {
            large.cancel(true);
        }
        List<String> cautions = new ArrayList<>(small.cautions());
        beside.cautions().forEach(caution -> cautions.add("of the large ones: " + caution));
        return new Figures(small.values(), small.lost() + beside.lost(), cautions);
    }

    /**
     * Measures a load that connects, after the same load with other clients has run and nothing of it is left. A load
     * that connects as fast as it can is over after a second or two, so it is repeated for the measured time.
     */
    private Figures connecting(Load load) throws LoadFailedException, InterruptedException {
        Scenario scenario = load.scenario(scale, duration.toMillis() / 1e3);
        List<String> cautions = new ArrayList<>(new WarmUp(times)
                .run(scenario, part -> WarmUp.troubles(run(load, part, Duration.ZERO, duration))));
        List<Figures> rounds = new ArrayList<>();
        long measuredNanos = 0;
        do {
            if (!warmUp.isZero()) { // each round leaves closed connections behind
                Calm.await(cluster.pids()).ifPresent(cautions::add);
            }
            long beganNanos = System.nanoTime();
            rounds.add(figures(run(load, scenario, Duration.ZERO, duration)));
            measuredNanos += System.nanoTime() - beganNanos;
        } while (scenario.connectRate() == 0 && measuredNanos < duration.toNanos());
        Figures figures = Figures.ofRounds(rounds);
        cautions.addAll(figures.cautions());
        return new Figures(figures.values(), figures.lost(), cautions);
    }

    private static Figures figures(RunResult result) {
        Map<Value, Double> values = new EnumMap<>(Value.class);
        if (result.scenario().isConnecting()) {
            values.put(Value.CONNECTS, result.connectRate());
            if (result.subscribe().count() > 0) {
                values.put(Value.SUBACK_P50, result.subscribe().p50());
                values.put(Value.SUBACK_P99, result.subscribe().p99());
            }
        } else {
            values.put(Value.RATE, result.rateOut());
            values.put(Value.P99, result.latency().p99());
            if (result.cpuMicrosPerMessage() > 0) {
                values.put(Value.CPU, result.cpuMicrosPerMessage());
            }
        }
        return new Figures(values, ClusterTable.lost(result), cautions(result));
    }

    private static List<String> cautions(RunResult result) {
        List<String> cautions = new ArrayList<>();
        result.bottlenecks().forEach(reason -> cautions.add("the tool is the bottleneck: " + reason));
        if (result.isMachineFull()) {
            cautions.add("the machine had no CPU left");
        }
        cautions.addAll(WarmUp.troubles(result));
        if (result.delivery().unacknowledged() > 0) {
            cautions.add("%,d messages were not acknowledged"
                    .formatted(result.delivery().unacknowledged()));
        }
        double stated = result.scenario().statedRateOut();
        if (result.rateOut() < stated * REACHED) {
            cautions.add("%,.0f messages/s of %,.0f were delivered".formatted(result.rateOut(), stated));
        }
        double connects = result.scenario().connectRate();
        if (result.connectRate() < connects * REACHED) {
            cautions.add("%,.0f connections/s of %,.0f were opened".formatted(result.connectRate(), connects));
        }
        return cautions;
    }

    /** The highest rate of an open loop that is delivered without loss. The warm-up is at the first rate. */
    private Figures highestRate(Load load) throws LoadFailedException, InterruptedException {
        Duration each =
                duration.dividedBy(2).compareTo(SHORTEST_ATTEMPT) < 0 ? SHORTEST_ATTEMPT : duration.dividedBy(2);
        double first = load.rate(scale);
        if (warmUp.compareTo(ATTEMPT_WARM_UP) > 0) {
            run(load, load.pairs(first), warmUp, SHORTEST_ATTEMPT); // not counted
        }
        double highest = RateSearch.highest(first, rate -> {
            RunResult result = run(load, load.pairs(rate), ATTEMPT_WARM_UP, each);
            return result.rateOut() >= rate * REACHED && ClusterTable.lost(result) == 0;
        });
        return new Figures(Map.of(Value.RATE, highest), 0, List.of());
    }

    /** The CPU of the busiest broker while no client is connected, after a rest as long as a warm-up. */
    private Figures idle() throws LoadFailedException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep((warmUp.compareTo(REST) < 0 ? REST : warmUp).toMillis());
        return new Figures(Map.of(Value.CORES, Machine.busiest(cluster.pids(), duration)), 0, List.of());
    }
}
