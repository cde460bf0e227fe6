package io.godwit.perf;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.option.AckOptions;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.option.Numbers;
import io.godwit.perf.option.Topics;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Security;
import io.godwit.perf.scenario.Topology;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh sub}: subscribes only. */
@Command(
        name = "sub",
        mixinStandardHelpOptions = true,
        description = {
            "Subscribes, with so many clients, and measures what perf.sh pub publishes meanwhile: rate, "
                    + "latency, gaps, repeats and order.",
            "What is missing at the end of a stream cannot be known here, and in a shared group no member gets "
                    + "all: only what arrives is counted."
        })
final class SubCommand implements Callable<Integer> {
    /** Large enough for any payload in use. */
    private static final int LARGEST_PAYLOAD = 64 << 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            description = "subscribers, as 100 or 1k (default: ${DEFAULT-VALUE})")
    private String clients = "100";

    @Option(
            names = {"-q", "--qos"},
            paramLabel = "0|1|2",
            description = "default: ${DEFAULT-VALUE}")
    private int qos;

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "FILTER",
            description = "%%i is the number of the client (default: ${DEFAULT-VALUE})")
    private String topic = "perf/%i";

    @Option(names = "--group", paramLabel = "NAME", description = "a shared group of all clients")
    private @Nullable String group;

    @Option(
            names = "--clean",
            paramLabel = "true|false",
            arity = "1",
            description = "clean or persistent sessions (default: ${DEFAULT-VALUE})")
    private boolean isClean = true;

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
        Runner.Load load;
        try {
            if (group != null && !group.matches("[^/+#]+")) {
                throw new IllegalArgumentException("--group: a name without /, + and #, was " + group);
            }
            Topics.requireFilter("--topic", topic);
            Scenario scenario = Scenario.named("sub", Family.FREE, Topology.LISTEN)
                    .subscribers(Numbers.clients(clients))
                    .payloadBytes(LARGEST_PAYLOAD)
                    .qos(qos)
                    .cleanSession(isClean)
                    .build();
            ClientSettings settings = broker.clients(Security.PLAIN);
            load = new Runner.Load(
                    scenario,
                    1,
                    scenario,
                    acks.applyTo(options.settings(false, false), scenario),
                    settings,
                    broker.watch(settings.brokers()),
                    group == null ? topic : "$share/" + group + "/" + topic);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return new Runner(System.out, PublishedReports.load()).runAndReport(load, out);
    }
}
