package io.godwit.perf;

import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.option.AckOptions;
import io.godwit.perf.option.ClusterOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.option.ScenarioOptions;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf.sh cluster run NAME...}: runs scenarios by their names, each on a new cluster. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs scenarios by the names that perf.sh run knows, each on a new cluster with clients on all its nodes:",
            "  perf.sh cluster run 30k_30k_qos1_p256_1mps_3n_3v --scale 0.05",
            "  perf.sh cluster run 5k_5k_qos0_p32_100mps_3n rmqtt-1M-40_3n --nodes 5 --seconds 20"
        })
final class ClusterRunCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "the scenarios")
    private List<String> names = List.of();

    @Mixin
    private ScenarioOptions scenarioOptions = new ScenarioOptions();

    @Mixin
    private ClusterLoadOptions options = new ClusterLoadOptions();

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Mixin
    private LoadOptions loadOptions = new LoadOptions();

    @Mixin
    private AckOptions acks = new AckOptions();

    @Override
    public Integer call() throws InterruptedException {
        PublishedReports published = PublishedReports.load();
        List<ClusterLoads.Item> items = new ArrayList<>();
        try {
            for (String name : names) {
                Scenario scenario = scenarioOptions.scenario(name, published);
                ClusterSetup settings = options.cluster(scenario, cluster);
                LoadSettings load =
                        acks.applyTo(loadOptions.settings(!scenario.isOpenLoop(), scenario.isConnecting()), scenario);
                items.add(new ClusterLoads.Item(scenario, options.scale(scenario), load, settings));
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return options.loads(published).run(items);
    }
}
