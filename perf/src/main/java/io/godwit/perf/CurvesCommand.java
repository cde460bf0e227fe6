package io.godwit.perf;

import io.godwit.perf.curve.Curve;
import io.godwit.perf.curve.CurveRuns;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.Durations;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Security;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh curves}: measures how CPU, memory and latency grow with the load. */
@Command(
        name = "curves",
        mixinStandardHelpOptions = true,
        description = {
            "Measures how the broker's CPU, memory and latency grow with connections, subscribers, payload, "
                    + "filters and rate.",
            "Each curve becomes a JSON file and an SVG plot."
        })
final class CurvesCommand implements Callable<Integer> {
    private static final List<Integer> CONNECTIONS = List.of(1_000, 4_000, 7_000, 10_000, 13_000, 16_000, 19_000);
    private static final List<Integer> SUBSCRIBERS = List.of(1, 10, 100, 1_000, 10_000);
    private static final List<Integer> PAYLOAD = List.of(16, 256, 4_096, 65_536, 1_048_576);
    private static final List<Integer> FILTERS = List.of(1_000, 10_000, 100_000, 1_000_000);

    /** The quantity that a curve grows. */
    enum Kind {
        CONNECTIONS,
        SUBSCRIBERS,
        PAYLOAD,
        FILTERS,
        RATE
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--only",
            paramLabel = "CURVE,...",
            split = ",",
            description = "which curves (default: all): ${COMPLETION-CANDIDATES}")
    private List<Kind> only = List.of(Kind.values());

    @Option(
            names = "--most",
            paramLabel = "N",
            description = "no load above this, whatever the curve (default: as far as each goes)")
    private int most = Integer.MAX_VALUE;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "measured at each load (default: 10s)")
    private Duration duration = Duration.ofSeconds(10);

    @Option(
            names = "--connect-rate",
            paramLabel = "N",
            description = "connections per second (default: ${DEFAULT-VALUE})")
    private double connectRate = 2_000;

    @Option(names = "--out", paramLabel = "DIR", description = "where the files go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports", "curves");

    @Mixin
    private BrokerOptions broker = new BrokerOptions();

    @Override
    public Integer call() throws InterruptedException {
        ClientSettings clients;
        CurveRuns runs;
        try {
            clients = broker.clients(Security.PLAIN);
            Optional<Long> pid = broker.process(clients.brokers().get(0));
            runs = new CurveRuns(
                    clients,
                    broker.watch(clients.brokers()),
                    pid.isPresent() ? OptionalLong.of(pid.get()) : OptionalLong.empty(),
                    duration,
                    connectRate,
                    System.out);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        try {
            for (Kind kind : only) {
                System.out.println(kind);
                for (Curve curve : curves(kind, runs)) {
                    curve.write(out, about());
                    System.out.println(curve.table());
                    tellSlopes(kind, curve);
                }
            }
            System.out.println("curves: " + out);
            if (runs.lost() > 0) {
                System.out.printf(Locale.ROOT, "FAULT: %,d deliveries were lost%n", runs.lost());
                return Verdict.FAULTS;
            }
            return Verdict.OK;
        } catch (LoadFailedException | IOException e) {
            System.err.println("perf.sh: " + e.getMessage());
            return Verdict.FAILED;
        }
    }

    /** Prints the slopes of the curves that grow linearly. */
    private static void tellSlopes(Kind kind, Curve curve) {
        if (kind != Kind.CONNECTIONS && kind != Kind.FILTERS) {
            return;
        }
        for (String value : List.of("heap MB", "resident MB", "kernel MB", "cores")) {
            double slope = curve.slope(value);
            if (Double.isFinite(slope)) {
                System.out.printf(Locale.ROOT, "%s for a million more: %.2f%n", value, slope * 1e6);
            }
        }
    }

    private List<Curve> curves(Kind kind, CurveRuns runs) throws LoadFailedException, InterruptedException {
        return switch (kind) {
            case CONNECTIONS -> List.of(runs.connections(upToMost(CONNECTIONS)));
            case SUBSCRIBERS -> List.of(runs.subscribers(upToMost(SUBSCRIBERS)));
            case PAYLOAD -> List.of(runs.payload(upToMost(PAYLOAD)));
            case FILTERS -> List.of(runs.filters(upToMost(FILTERS)));
            case RATE -> {
                List<Curve> both = new ArrayList<>();
                both.add(runs.rate(0, most));
                both.add(runs.rate(1, most));
                yield both;
            }
        };
    }

    private List<Integer> upToMost(List<Integer> steps) {
        return steps.stream().filter(step -> step <= most).toList();
    }

    private Map<String, Object> about() {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("measured", Instant.now().toString());
        about.put("cores", Runtime.getRuntime().availableProcessors());
        about.put("java", Runtime.version().toString());
        about.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        about.put("secondsEach", duration.toSeconds());
        return about;
    }
}
