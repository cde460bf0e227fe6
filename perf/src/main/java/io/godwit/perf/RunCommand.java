package io.godwit.perf;

import io.godwit.perf.load.ClientSettings;
import io.godwit.perf.load.LoadSettings;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import io.godwit.perf.scenario.Topology;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf.sh run NAME}: a scenario by the name its users know. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a scenario by the name that its users know; perf.sh list has those of published reports, and "
                    + "others of the same forms work too:",
            "  30k_30k_qos1_p256_1mps_3n_3v  BifroMQ: publishers, subscribers, QoS, payload, messages/s each, "
                    + "nodes, voters",
            "  50_50_qos1_p32_0mps_1n_1v --window 20  the same in a closed loop, as fast as it goes",
            "  100k_1000_qos1_p256_1mps_1n --shared, 1_100000_qos0_p256_1mps_1n  shared subscription, fan-out",
            "  conn-tcp-1M-5K_1n_true, conn-ssl-100K-500, conn-dual-ssl-100K-500  connections, per second",
            "  qos0-p256-40K-0, qos0-p256-4-40K, qos1-p64-15K-15K  EMQ: fan-in, fan-out, shared",
            "  rmqtt-conn-1M_1n, rmqtt-1M-40_1n  RMQTT: connections; subscribers and publishers in a closed loop",
            "  C10k, 1MB-x1000, pub-100-1000  mqtt-server"
        })
final class RunCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "the scenario")
    private String name = "";

    @Option(
            names = "--scale",
            paramLabel = "S",
            description = "a part of its connections, as 0.01; the shape stays (default: 1)")
    private double scale = 1;

    @Option(
            names = "--clean",
            paramLabel = "true|false",
            arity = "1",
            description = "clean or persistent sessions of subscribers (default: as the name says)")
    private @Nullable Boolean isClean;

    @Option(names = "--shared", description = "the subscribers are a shared group")
    private boolean isShared;

    @Option(
            names = "--background",
            paramLabel = "N",
            description = "idle connections besides, before scaling (default: 100000 with EMQ's message scenarios, "
                    + "as published; else 0)")
    private @Nullable Integer background;

    @Option(
            names = "--cold",
            description = "against a broker that has just started: waits for its port, begins at once, without "
                    + "warm-up, and says when it is steady")
    private boolean isCold;

    @Option(
            names = "--before",
            paramLabel = "COMMAND",
            description = "a shell command to run first, as a restart of the broker; it must succeed within 10 minutes")
    private @Nullable String before;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where HTML and JSON reports go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports");

    @Mixin
    private BrokerOptions broker = new BrokerOptions();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Mixin
    private AckOptions acks = new AckOptions();

    @Override
    public Integer call() throws InterruptedException {
        PublishedReports published = PublishedReports.load();
        Runner.Load load;
        try {
            Scenario scenario = scenario(published);
            ClientSettings clients = broker.clients(scenario.security());
            boolean isConnecting =
                    scenario.topology() == Topology.CONNECTIONS || scenario.topology() == Topology.CONNECT_AND_PUBLISH;
            Scenario scaled = scenario.scaled(scale); // what is wrong is told before the broker is started again
            LoadSettings settings = acks.applyTo(options.settings(!scenario.isOpenLoop(), isConnecting), scenario);
            if (before != null && !Shell.run(before, Shell.COMMAND_TIME, System.out)) {
                System.err.println("perf.sh: the command before the run has failed: " + before);
                return Verdict.FAILED;
            }
            if (scenario.isCold() && !Shell.awaitPorts(clients.brokers(), Shell.PORT_TIME)) {
                System.err.println("perf.sh: no broker listens on " + clients.brokers());
                return Verdict.FAILED;
            }
            Optional<UsageSource> watch = broker.watch(clients.brokers());
            load = new Runner.Load(scenario, scale, scaled, settings, clients, watch, null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return new Runner(System.out, published).runAndReport(load, out);
    }

    private Scenario scenario(PublishedReports published) {
        Scenario named = ScenarioName.parse(name)
                .orElseThrow(() -> new IllegalArgumentException("'" + name
                        + "' has the form of no scenario; perf.sh list names those of "
                        + "published reports, perf.sh run --help the forms"));
        boolean isPublishedShared = published.tables().stream()
                .filter(PublishedTable::isShared)
                .anyMatch(table -> !table.rowsOf(name).isEmpty());
        boolean isOnlyConnecting =
                named.topology() == Topology.CONNECTIONS || named.topology() == Topology.CONNECT_AND_PUBLISH;
        if (isShared && (isOnlyConnecting || named.subscribers() == 0)) {
            throw new IllegalArgumentException("--shared: " + name + " has no subscribers of messages");
        }
        if (isShared && named.topology() == Topology.RANDOM) {
            throw new IllegalArgumentException("--shared: subscribers of " + name + " have a topic each");
        }
        if (background != null && isOnlyConnecting) {
            throw new IllegalArgumentException("--background: all that " + name + " does is to connect");
        }
        return named.with(s -> s.cleanSession(isClean != null ? isClean : named.isCleanSession())
                .topology(isShared || isPublishedShared ? Topology.SHARED : named.topology())
                .cold(isCold)
                .background(background != null ? background : named.background()));
    }
}
