package io.godwit.perf;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.option.BrokerOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.option.Numbers;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Family;
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

/** {@code perf.sh conn}: opens connections only. */
@Command(
        name = "conn",
        mixinStandardHelpOptions = true,
        description = "Opens connections at a steady rate, measures each from opening TCP to the CONNACK, and holds "
                + "them for --duration.")
final class ConnCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = {"-c", "--clients"},
            paramLabel = "N",
            description = "connections, as 100 or 1k (default: ${DEFAULT-VALUE})")
    private String clients = "1000";

    @Option(
            names = {"-r", "--rate"},
            paramLabel = "N",
            description = "connections per second; 0: as fast as they are answered (default: ${DEFAULT-VALUE})")
    private double rate = 500;

    @Option(names = "--subscribe", description = "each subscribes to a topic of its own, at QoS 1")
    private boolean isSubscribing;

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

    @Override
    public Integer call() throws InterruptedException {
        Runner.Load load;
        try {
            int count = Numbers.clients(clients);
            Scenario scenario = Scenario.named("conn", Family.FREE, Topology.CONNECTIONS)
                    .background(isSubscribing ? 0 : count)
                    .subscribers(isSubscribing ? count : 0)
                    .qos(isSubscribing ? 1 : 0)
                    .connectRate(rate)
                    .cleanSession(isClean)
                    .build();
            ClientSettings settings = broker.clients(Security.PLAIN);
            load = new Runner.Load(
                    scenario,
                    1,
                    scenario,
                    options.settings(false, true),
                    settings,
                    broker.watch(settings.brokers()),
                    null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return new Runner(System.out, PublishedReports.load()).runAndReport(load, out);
    }
}
