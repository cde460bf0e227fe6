package io.godwit.perf;

import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.option.ClusterOptions;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Security;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The size of the cluster and of the scenarios that run on it. */
final class ClusterLoadOptions {
    private static final int USUAL_NODES = 3;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "brokers, 1 to 9 (default: as many as the name says when it says several, else 3)")
    private @Nullable Integer nodes;

    @Option(
            names = "--voters",
            paramLabel = "N",
            description = "voters of each range of stored sessions (default: as the name says, else 3 or the nodes)")
    private @Nullable Integer voters;

    @Option(
            names = "--scale",
            paramLabel = "S",
            description = "a part of the connections, as 0.01; the shape stays (default: what suits this machine, as "
                    + "perf.sh suite takes it)")
    private @Nullable Double scale;

    @Option(
            names = "--placement",
            paramLabel = "HOW",
            description = "which node clients take: across (in turn, each message of a pair goes to another node), "
                    + "random, or apart (publishers on the first node, subscribers on the second) (default: across)")
    private Placement placement = Placement.ACROSS;

    @Option(names = "--out", paramLabel = "DIR", description = "where the reports go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports");

    /**
     * The cluster for a scenario; its size comes from the options, else from the scenario's name.
     *
     * @throws IllegalArgumentException if there can be no such cluster; its message is for the user
     */
    ClusterSetup cluster(Scenario scenario, ClusterOptions options) {
        if (scenario.security() != Security.PLAIN) {
            throw new IllegalArgumentException(scenario.name() + " connects over TLS, and the brokers that are started "
                    + "here listen on plain TCP: use perf.sh run --broker");
        }
        int brokers = nodes != null ? nodes : scenario.nodes() > 1 ? scenario.nodes() : USUAL_NODES;
        int usual = ClusterSetup.usualVoters(brokers);
        int wanted = voters != null ? voters : scenario.voters() > 0 ? scenario.voters() : usual;
        return options.settings(brokers, wanted);
    }

    /**
     * The scale for a scenario: {@code --scale}, or one that suits this machine.
     *
     * @throws IllegalArgumentException if it is out of bounds
     */
    double scale(Scenario scenario) {
        double wanted = scale != null
                ? scale
                : SuitePlan.scale(
                        scenario, SuitePlan.Room.of(Runtime.getRuntime().availableProcessors()));
        scenario.scaled(wanted); // reports mistakes before a broker is started
        return wanted;
    }

    ClusterLoads loads(PublishedReports published) {
        return new ClusterLoads(published, placement, out, System.out);
    }
}
