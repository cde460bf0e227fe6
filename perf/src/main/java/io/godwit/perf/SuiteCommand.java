package io.godwit.perf;

import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.observe.ProcessLimits;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.Durations;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.report.Environment;
import io.godwit.perf.report.HtmlReport;
import io.godwit.perf.report.JsonReport;
import io.godwit.perf.report.SuiteReport;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Security;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh suite}: runs all published scenarios, scaled to the machine, and writes one report. */
@Command(
        name = "suite",
        mixinStandardHelpOptions = true,
        description = {
            "Runs all scenarios of the published reports, scaled to what this machine can take, in under 20 "
                    + "minutes, and writes one report with our figures",
            "beside the published ones: report.html, report.md, and those of each run. The exit code is the "
                    + "worst of all runs; 5 when all were good and some of what",
            "was asked for was not run, which is listed at the end."
        })
final class SuiteCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final Duration DURATION = Duration.ofSeconds(6);
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration HELD = Duration.ofSeconds(1);
    private static final int OTHER_FILES = 500;

    /** A kind of scenario that a broker or a machine may not support. */
    enum Kind {
        TLS,
        MTLS,
        COLD;

        private boolean has(Scenario scenario) {
            return switch (this) {
                case TLS -> scenario.security() == Security.TLS;
                case MTLS -> scenario.security() == Security.MUTUAL_TLS;
                case COLD -> scenario.isCold();
            };
        }
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--only", paramLabel = "REGEX", description = "only scenarios whose arguments have this")
    private String only = "";

    @Option(
            names = "--limit",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "time for all (default: 19m); measured times are cut to fit, and what is left at the end "
                    + "is not run and said so")
    private Duration limit = Duration.ofMinutes(19);

    @Option(names = "--out", paramLabel = "DIR", description = "where the reports go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports", "suite");

    @Option(
            names = "--resume",
            description = "take what a suite in the same directory has done already, cold starts only where the "
                    + "broker had been started again for them")
    private boolean isResuming;

    @Option(
            names = "--tls-broker",
            paramLabel = "HOST:PORT",
            description = "where the broker speaks TLS; without it those scenarios are not run")
    private @Nullable String tlsBroker;

    @Option(
            names = "--mtls-broker",
            paramLabel = "HOST:PORT",
            description = "where it wants a certificate of clients; with --cert and --key")
    private @Nullable String mutualTlsBroker;

    @Option(
            names = "--before",
            paramLabel = "COMMAND",
            description = "a shell command that restarts the broker, for scenarios of a cold start; without it those "
                    + "are not run")
    private @Nullable String before;

    @Option(
            names = "--without",
            paramLabel = "KIND",
            split = ",",
            description = "what to leave out, which then counts as not asked for: tls, mtls, cold")
    private Set<Kind> without = Set.of();

    @Option(names = "--title", paramLabel = "TEXT", description = "of the report")
    private String title = "Published scenarios, scaled to this machine";

    @Option(
            names = "--most-connections",
            paramLabel = "N",
            description = "of a scenario (default: 1500 for each core, and what limits allow)")
    private @Nullable Integer mostConnections;

    @Option(
            names = "--most-messages",
            paramLabel = "N",
            description = "per second, in and out together, of a scenario (default: 8000 for each core)")
    private @Nullable Double mostMessages;

    @Mixin
    private BrokerOptions broker = new BrokerOptions();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws InterruptedException {
        long endNanos = System.nanoTime() + limit.toNanos();
        PublishedReports published = PublishedReports.load();
        List<SuitePlan.Item> items;
        ClientSettings clients;
        try {
            Pattern wanted = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
            items = SuitePlan.of(published, room()).stream()
                    .filter(item -> wanted.matcher(item.arguments()).find())
                    .filter(item -> without.stream().noneMatch(kind -> kind.has(item.scenario())))
                    .toList();
            clients = broker.clients(Security.PLAIN, broker.brokers());
            options.settings(true, warmUp(), wanted()); // options that are wrong would be wrong for each run
        } catch (PatternSyntaxException e) {
            throw new ParameterException(spec.commandLine(), "not a regular expression: " + only, e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (items.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "no published scenario is left: with '" + only + "' in its arguments, without " + without);
        }
        try {
            Files.createDirectories(out);
            return run(items, clients, published, endNanos);
        } catch (IOException e) {
            System.err.println("perf.sh: the report could not be written: " + e.getMessage());
            return Verdict.FAILED;
        }
    }

    private SuitePlan.Room room() {
        SuitePlan.Room room = SuitePlan.Room.of(Runtime.getRuntime().availableProcessors());
        if (mostMessages != null) {
            room = new SuitePlan.Room(
                    room.connections(),
                    mostMessages,
                    room.bytesPerSecond(),
                    room.connectsPerSecond(),
                    room.tlsConnectsPerSecond());
        }
        int files =
                (int) Math.min(Integer.MAX_VALUE, ProcessLimits.openFiles().orElse(Integer.MAX_VALUE) - OTHER_FILES);
        if (mostConnections != null) {
            room = new SuitePlan.Room(
                    mostConnections,
                    room.messagesPerSecond(),
                    room.bytesPerSecond(),
                    room.connectsPerSecond(),
                    room.tlsConnectsPerSecond());
        }
        return room.atMost(Math.max(1, files));
    }

    private int run(List<SuitePlan.Item> items, ClientSettings clients, PublishedReports published, long endNanos)
            throws IOException, InterruptedException {
        Instant begun = Instant.now();
        List<SuiteReport.Entry> entries = new ArrayList<>();
        Runner runner = new Runner(System.out, published);
        for (int i = 0; i < items.size(); i++) {
            SuitePlan.Item item = items.get(i);
            Path file = out.resolve(item.stem() + ".entry.json");
            Optional<SuiteReport.Entry> earlier = isResuming ? earlier(item, file) : Optional.empty();
            if (earlier.isPresent()) {
                entries.add(earlier.get());
                continue;
            }
            System.out.printf(
                    Locale.ROOT,
                    "%n[%d of %d] %s --scale %s%n",
                    i + 1,
                    items.size(),
                    item.arguments(),
                    new java.math.BigDecimal(Double.toString(item.scale())).toPlainString());
            SuiteReport.Entry entry = run(runner, item, duration(items.subList(i, items.size()), endNanos), endNanos);
            if (!entry.load().isEmpty()) {
                Files.writeString(file, entry.toJson().encodePrettily());
            }
            entries.add(entry);
            write(entries, clients, begun);
        }
        write(entries, clients, begun);
        System.out.println("\nreport: " + out.resolve("report.html") + " and " + out.resolve("report.md"));
        tellNotRun(entries);
        return worst(entries);
    }

    /**
     * The saved result of an earlier suite; empty if there is none, or for a cold start before which the broker was not
     * restarted.
     */
    private static Optional<SuiteReport.Entry> earlier(SuitePlan.Item item, Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        SuiteReport.Entry entry = SuiteReport.Entry.of(new JsonObject(Files.readString(file)));
        return item.scenario().isCold() && !entry.wasRestarted() ? Optional.empty() : Optional.of(entry);
    }

    /** The measured time of each scenario with which all that are left end in time. */
    private Duration duration(List<SuitePlan.Item> left, long endNanos) {
        double warmUp = warmUp().toMillis() / 1e3;
        double besides = 0;
        int measured = 0;
        for (SuitePlan.Item item : left) {
            besides += SuitePlan.seconds(item, options.connectRate(), warmUp, 0);
            measured += item.scenario().isConnecting() ? 0 : 1;
        }
        double room = (endNanos - System.nanoTime()) / 1e9 - besides;
        return measured == 0 ? wanted() : measured(wanted(), room / measured);
    }

    /** The time wanted, or less if there is no room for it, but not so little that it measures nothing. */
    static Duration measured(Duration wanted, double roomSeconds) {
        double each = Math.max((double) SHORTEST.toMillis(), roomSeconds * 1e3);
        return Duration.ofMillis((long) Math.min((double) wanted.toMillis(), each));
    }

    private Duration wanted() {
        Duration given = options.duration();
        return given != null ? given : DURATION;
    }

    private Duration warmUp() {
        Duration given = options.warmUp();
        return given != null ? given : WARM_UP;
    }

    private SuiteReport.Entry run(Runner runner, SuitePlan.Item item, Duration duration, long endNanos)
            throws IOException, InterruptedException {
        Scenario scenario = item.scenario();
        double needed =
                SuitePlan.seconds(item, options.connectRate(), warmUp().toMillis() / 1e3, duration.toMillis() / 1e3);
        if (needed * 1e9 > (double) (endNanos - System.nanoTime())) {
            return notRun(item, "no time was left of " + limit.toMinutes() + " minutes");
        }
        String address = switch (scenario.security()) {
            case PLAIN -> broker.brokers();
            case TLS -> tlsBroker;
            case MUTUAL_TLS -> mutualTlsBroker;
        };
        if (address == null) {
            return notRun(
                    item,
                    scenario.security() == Security.TLS ? "no --tls-broker was given" : "no --mtls-broker was given");
        }
        boolean wasRestarted = false;
        try {
            ClientSettings clients = broker.clients(scenario.security(), address);
            String obstacle = scenario.isCold() ? restart(clients, endNanos) : null;
            if (obstacle != null) {
                return notRun(item, obstacle);
            }
            wasRestarted = scenario.isCold();
            Optional<UsageSource> watch = broker.watch(clients.brokers());
            LoadSettings settings =
                    options.settings(!scenario.isOpenLoop(), warmUp(), scenario.isConnecting() ? HELD : duration);
            Runner.Outcome outcome = runner.run(
                    new Runner.Load(item.published(), item.scale(), scenario, settings, clients, watch, null));
            return done(item, outcome, wasRestarted);
        } catch (LoadFailedException | IllegalArgumentException e) {
            System.out.println("perf.sh: " + e.getMessage());
            return new SuiteReport.Entry(
                    item.arguments(),
                    "scale " + item.scale(),
                    item.scale(),
                    Verdict.FAILED,
                    List.of(),
                    List.of(String.valueOf(e.getMessage())),
                    "",
                    "",
                    wasRestarted);
        }
    }

    /**
     * Restarts the broker for a cold start.
     *
     * @return why there is no cold broker; null if it has just started
     */
    private @Nullable String restart(ClientSettings clients, long endNanos) throws InterruptedException {
        String command = before;
        if (command == null) {
            return "no --before was given to restart the broker";
        }
        if (!Shell.run(command, within(endNanos, Shell.COMMAND_TIME), System.out)) {
            return "the command that restarts the broker has failed: " + command;
        }
        return Shell.awaitPorts(clients.brokers(), within(endNanos, Shell.PORT_TIME))
                ? null
                : "no broker listens on " + clients.brokers();
    }

    private static Duration within(long endNanos, Duration limit) {
        Duration left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
        return left.compareTo(limit) < 0 ? left : limit;
    }

    private static SuiteReport.Entry notRun(SuitePlan.Item item, String why) {
        System.out.println("not run: " + why);
        return new SuiteReport.Entry(
                item.arguments(), "", item.scale(), Verdict.NOT_RUN, List.of(), List.of(why), "", "", false);
    }

    private static void tellNotRun(List<SuiteReport.Entry> entries) {
        List<SuiteReport.Entry> left =
                entries.stream().filter(entry -> !entry.wasRun()).toList();
        if (!left.isEmpty()) {
            System.out.printf(Locale.ROOT, "%n%d OF %d SCENARIOS WERE NOT RUN:%n", left.size(), entries.size());
            left.forEach(
                    entry -> System.out.println("  " + entry.arguments() + ": " + String.join("; ", entry.remarks())));
        }
    }

    private SuiteReport.Entry done(SuitePlan.Item item, Runner.Outcome outcome, boolean wasRestarted)
            throws IOException {
        RunResult result = outcome.result();
        Verdict verdict = outcome.verdict();
        String stem = item.stem();
        Files.writeString(out.resolve(stem + ".html"), HtmlReport.of(result, verdict, outcome.tables()));
        Files.writeString(out.resolve(stem + ".json"), JsonReport.of(result, verdict, outcome.tables()));
        List<String> remarks = new ArrayList<>(verdict.faults());
        remarks.addAll(verdict.shortfalls());
        result.bottlenecks().forEach(reason -> remarks.add(SuiteReport.TOOL_FULL + reason));
        if (result.isMachineFull()) {
            remarks.add("the machine had no CPU left");
        }
        remarks.addAll(result.remarks());
        System.out.println(remarks.isEmpty() ? "good" : String.join("; ", remarks));
        String latency = result.latency().count() > 0
                ? String.format(
                        Locale.ROOT,
                        "%.2f, %.2f, %.2f",
                        result.latency().mean(),
                        result.latency().p99(),
                        result.latency().max())
                : result.scenario().isConnecting()
                        ? String.format(
                                Locale.ROOT,
                                "%.2f, %.2f, %.2f",
                                result.connect().mean(),
                                result.connect().p99(),
                                result.connect().max())
                        : "";
        return new SuiteReport.Entry(
                item.arguments(),
                outcome.load(),
                item.scale(),
                verdict.exitCode(),
                outcome.tables(),
                remarks,
                latency,
                stem + ".html",
                wasRestarted);
    }

    private void write(List<SuiteReport.Entry> entries, ClientSettings clients, Instant begun) throws IOException {
        SuiteReport report = new SuiteReport(
                title,
                List.of(
                        "Broker "
                                + String.join(
                                        ", ",
                                        clients.brokers().stream()
                                                .map(String::valueOf)
                                                .toList()) + ", " + TIME.format(begun) + ".",
                        Environment.describe() + "."),
                entries);
        Files.writeString(out.resolve("report.html"), report.toHtml());
        Files.writeString(out.resolve("report.md"), report.toMarkdown());
    }

    private static int worst(List<SuiteReport.Entry> entries) {
        return Verdict.worst(entries.stream().map(SuiteReport.Entry::exitCode).toList());
    }
}
