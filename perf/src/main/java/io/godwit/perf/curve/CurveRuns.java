package io.godwit.perf.curve;

import io.godwit.perf.load.HeldFilters;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.LoadRun;
import io.godwit.perf.load.Preflight;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.RunProgress;
import io.godwit.perf.observe.JavaHeap;
import io.godwit.perf.observe.KernelMemory;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * Measures the curves of one broker, one load after the other: each opens its clients, runs for a short time and ends
 * before the next. Used by one thread.
 *
 * <p>Rates are so low that neither the broker nor this tool is at its limit; so the cost of the work grows, and not a
 * queue.
 */
public final class CurveRuns {
    private static final int PAIRS = 10;
    private static final double MOST_OUT = 20_000;
    private static final double MOST_PER_PUBLISHER = 1_000;
    private static final double MOST_BYTES = 20e6;
    private static final double LOWEST_RATE = 2_500;

    private final ClientSettings clients;
    private final Optional<UsageSource> usage;
    private final OptionalLong pid;
    private final LoadSettings settings;
    private final PrintStream out;
    private long lost;

    /**
     * @param pid of the broker if it is a JVM of this machine, for reading its heap
     * @param duration measured at each load
     * @throws IllegalArgumentException if {@code duration} or {@code connectRate} is out of bounds
     */
    public CurveRuns(
            ClientSettings clients,
            Optional<UsageSource> usage,
            OptionalLong pid,
            Duration duration,
            double connectRate,
            PrintStream out) {
        this.clients = clients;
        this.usage = usage;
        this.pid = pid;
        settings = new LoadSettings(
                Duration.ofSeconds(3),
                duration,
                Duration.ofSeconds(3),
                1_000,
                connectRate,
                200,
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                false,
                Duration.ZERO);
        this.out = out;
    }

    /** Deliveries that were lost, in all loads so far. */
    public long lost() {
        return lost;
    }

    /**
     * One publisher chooses among the connections at random, each subscribed to a topic of its own, so that each is in
     * use but nearly idle.
     */
    public Curve connections(List<Integer> steps) throws LoadFailedException, InterruptedException {
        Curve curve = new Curve(
                "connections",
                "Connections with one subscription each, keep-alive " + clients.keepAliveSeconds() + " s",
                "connections",
                false,
                List.of(
                        new Curve.Panel("memory of the broker, MB", List.of("heap MB", "resident MB")),
                        new Curve.Panel(
                                "memory of the kernel of this machine, both ends of a connection, MB",
                                List.of("kernel MB")),
                        new Curve.Panel("cores", List.of("cores"))));
        run(
                curve,
                500,
                load -> load.topology(Topology.RANDOM)
                        .publishers(1)
                        .subscribers(500)
                        .ratePerPublisher(50),
                false);
        for (int step : steps) {
            run(
                    curve,
                    step,
                    load -> load.topology(Topology.RANDOM)
                            .publishers(1)
                            .subscribers(step)
                            .ratePerPublisher(50),
                    true);
        }
        return curve;
    }

    /**
     * All subscribers receive the messages of one publisher; deliveries per second are the same at all loads as far as
     * possible.
     */
    public Curve subscribers(List<Integer> steps) throws LoadFailedException, InterruptedException {
        Curve curve = new Curve(
                "subscribers",
                "Subscribers of one topic, QoS 0, 256 bytes, at most 20,000 deliveries a second",
                "subscribers",
                true,
                List.of(
                        new Curve.Panel("CPU of the broker, microseconds per delivery", List.of("us per delivery")),
                        new Curve.Panel("latency, ms", List.of("p50 ms", "p99 ms"))));
        for (int step : steps) {
            double rate = Math.min(MOST_PER_PUBLISHER, MOST_OUT / step);
            run(
                    curve,
                    step,
                    load -> load.topology(Topology.FAN_OUT)
                            .publishers(1)
                            .subscribers(step)
                            .ratePerPublisher(rate)
                            .payloadBytes(256),
                    true);
        }
        return curve;
    }

    /** Ten pairs; messages per second are reduced if bytes per second would be too many. */
    public Curve payload(List<Integer> steps) throws LoadFailedException, InterruptedException {
        Curve curve = new Curve(
                "payload",
                "Payload, QoS 1, ten pairs, at most 2,000 messages and 20 MB a second",
                "bytes",
                true,
                List.of(
                        new Curve.Panel("CPU of the broker, microseconds per delivery", List.of("us per delivery")),
                        new Curve.Panel("latency, ms", List.of("p50 ms", "p99 ms"))));
        for (int step : steps) {
            double rate = Math.min(2_000, MOST_BYTES / step) / PAIRS;
            run(curve, step, load -> pairs(load, rate).qos(1).payloadBytes(step), true);
        }
        return curve;
    }

    /**
     * Other clients hold filters that match nothing, beside ten publishers, which choose at random among the topics of
     * 1,000 subscribers. Of ten filters seven are without wildcard, two have a plus, and one has a hash. Topics differ
     * from load to load, so that look-ups cached at one load do not serve the next.
     */
    public Curve filters(List<Integer> steps) throws LoadFailedException, InterruptedException {
        Curve curve = new Curve(
                "filters",
                "Filters in the broker beside ten pairs, QoS 0, 2,000 messages a second",
                "filters",
                true,
                List.of(
                        new Curve.Panel("CPU of the broker, microseconds per delivery", List.of("us per delivery")),
                        new Curve.Panel("latency, ms", List.of("p50 ms", "p99 ms")),
                        new Curve.Panel("memory of the broker, MB", List.of("heap MB", "resident MB"))));
        try (HeldFilters held = new HeldFilters(clients)) {
            for (int step : steps) {
                held.hold(step, CurveRuns::filter);
                run(
                        curve,
                        step,
                        load -> load.topology(Topology.RANDOM)
                                .publishers(PAIRS)
                                .subscribers(1_000)
                                .ratePerPublisher(200)
                                .payloadBytes(64),
                        true);
            }
        }
        return curve;
    }

    private static String filter(int i) {
        String path = "site" + i / 50 % 100;
        return switch (i % 10) {
            case 7, 8 -> path + "/+/d" + i + "/state";
            case 9 -> path + "/l" + i % 50 + "/d" + i + "/log/#";
            default -> path + "/l" + i % 50 + "/d" + i + "/temperature";
        };
    }

    /**
     * Doubles the rate until less than 98 % of it is reached. The point before the highest rate reached thus shows 50 %
     * load.
     */
    public Curve rate(int qos, int most) throws LoadFailedException, InterruptedException {
        Curve curve = new Curve(
                "rate-qos" + qos,
                "Messages per second, QoS " + qos + ", 50 pairs, 32 bytes",
                "messages per second",
                true,
                List.of(
                        new Curve.Panel("latency, ms", List.of("p50 ms", "p99 ms", "p999 ms")),
                        new Curve.Panel("CPU of the broker, microseconds per delivery", List.of("us per delivery"))));
        run(curve, LOWEST_RATE, load -> atRate(load, LOWEST_RATE, qos), false);
        double rate = LOWEST_RATE;
        for (; rate <= most; rate *= 2) {
            double each = rate;
            RunResult result = run(curve, rate, load -> atRate(load, each, qos), true);
            if (result.rateOut() < 0.98 * rate) {
                break;
            }
        }
        if (rate > LOWEST_RATE) {
            out.printf(
                    Locale.ROOT, "highest rate reached %,.0f/s; its half is the point at %,.0f%n", rate / 2, rate / 4);
        }
        return curve;
    }

    private static Scenario.Builder atRate(Scenario.Builder load, double rate, int qos) {
        return load.topology(Topology.ONE_TO_ONE)
                .publishers(50)
                .subscribers(50)
                .ratePerPublisher(rate / 50)
                .qos(qos)
                .payloadBytes(32);
    }

    private static Scenario.Builder pairs(Scenario.Builder load, double rate) {
        return load.topology(Topology.ONE_TO_ONE)
                .publishers(PAIRS)
                .subscribers(PAIRS)
                .ratePerPublisher(rate);
    }

    private RunResult run(Curve curve, double at, UnaryOperator<Scenario.Builder> change, boolean isKept)
            throws LoadFailedException, InterruptedException {
        Scenario scenario = change.apply(Scenario.named("curve", Family.FREE, Topology.ONE_TO_ONE)
                        .payloadBytes(64)
                        .connectRate(0))
                .build();
        List<String> obstacles = Preflight.obstacles(scenario, clients);
        if (!obstacles.isEmpty()) {
            throw new LoadFailedException(String.join("; ", obstacles));
        }
        Memory memory = new Memory();
        RunResult result = new LoadRun(scenario, 1, scenario, settings, clients, null, usage, memory::look).run();
        Map<String, Double> values = values(result);
        if (memory.heapBytes > 0) {
            values.put("heap MB", memory.heapBytes / 1e6);
        }
        if (memory.kernelBytes > 0) {
            values.put("kernel MB", memory.kernelBytes / 1e6);
        }
        if (isKept) {
            curve.add(at, values);
            out.printf(Locale.ROOT, "%,.0f %s%n", at, values);
            result.bottlenecks().forEach(each -> out.println("  the tool is the bottleneck: " + each));
            lost += result.delivery().lost();
            if (result.delivery().lost() > 0) {
                out.println("  lost: " + result.delivery().lost());
            }
        }
        return result;
    }

    private static Map<String, Double> values(RunResult result) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("rate out", result.rateOut());
        values.put("p50 ms", result.latency().p50());
        values.put("p99 ms", result.latency().p99());
        values.put("p999 ms", result.latency().p999());
        values.put("max ms", result.latency().max());
        if (result.broker().isWatched()) {
            values.put("cores", result.broker().meanCores());
            values.put("us per delivery", result.broker().meanCores() * 1e6 / Math.max(1, result.rateOut()));
            values.put("resident MB", result.broker().lastBytes() / 1e6);
        }
        return values;
    }

    /** Reads the memory once, when all clients are connected and before the measured time. */
    private final class Memory {
        private long heapBytes;
        /**
         * Unreclaimable memory of the kernel on this machine, with both ends of each socket if broker and tool are
         * here.
         */
        private long kernelBytes;

        private void look(RunProgress progress) {
            if (kernelBytes != 0 || progress.phase() != Phase.WARM_UP) {
                return;
            }
            kernelBytes = KernelMemory.bytes().orElse(-1);
            if (pid.isPresent()) {
                try {
                    heapBytes = JavaHeap.usedBytes(pid.getAsLong()).orElse(-1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
