package io.godwit.perf;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.option.Numbers;
import io.godwit.perf.option.Topics;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Quantity;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Security;
import io.godwit.perf.scenario.Topology;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh pub}: publishes only. */
@Command(
        name = "pub",
        mixinStandardHelpOptions = true,
        description = {
            "Publishes, from so many clients, at a steady rate or as fast as acknowledgements allow.",
            "Messages say when they were meant to be sent and count up: perf.sh sub, on this machine or "
                    + "another with the same time, measures them."
        })
final class PubCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            description = "publishers, as 100 or 1k (default: ${DEFAULT-VALUE})")
    private String clients = "100";

    @Option(
            names = {"-r", "--rate"},
            paramLabel = "N",
            description = "messages per second of each; 0: a closed loop (default: ${DEFAULT-VALUE})")
    private double rate = 1;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description =
                    "payload, as 256 or 10k (default: ${DEFAULT-VALUE}); from 16 bytes on it has time and sequence")
    private String size = "256";

    @Option(
            names = {"-q", "--qos"},
            paramLabel = "0|1|2",
            description = "default: ${DEFAULT-VALUE}")
    private int qos;

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "%%i is the number of the client (default: ${DEFAULT-VALUE})")
    private String topic = "perf/%i";

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where HTML and JSON reports go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports");

    @Mixin
    private BrokerOptions broker = new BrokerOptions();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws InterruptedException {
        Runner.Load load;
        try {
            Scenario scenario = Scenario.named("pub", Family.FREE, Topology.FAN_IN)
                    .publishers(Numbers.clients(clients))
                    .ratePerPublisher(rate)
                    .payloadBytes((int) Quantity.bytes(size)
                            .orElseThrow(
                                    () -> new IllegalArgumentException("--size: not a size as 256 or 10k: " + size)))
                    .qos(qos)
                    .build();
            Topics.requireTopic("--topic", topic);
            ClientSettings settings = broker.clients(Security.PLAIN);
            load = new Runner.Load(
                    scenario,
                    1,
                    scenario,
                    options.settings(rate == 0, false),
                    settings,
                    broker.watch(settings.brokers()),
                    topic);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return new Runner(System.out, PublishedReports.load()).runAndReport(load, out);
    }
}
