package io.godwit.perf;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.option.AckOptions;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.option.ScenarioOptions;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Scenario;
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

/** {@code perf.sh run NAME}: runs a scenario by its name, published or of the same form. */
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

    @Mixin
    private ScenarioOptions scenarioOptions = new ScenarioOptions();

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
            Scenario scenario = scenarioOptions.scenario(name, published);
            ClientSettings clients = broker.clients(scenario.security());
            Scenario scaled = scenario.scaled(scale); // reports mistakes before the broker is restarted
            LoadSettings settings =
                    acks.applyTo(options.settings(!scenario.isOpenLoop(), scenario.isConnecting()), scenario);
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
}
