package io.godwit.perf;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.observe.ProcessUsage;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.report.ClusterTable;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs scenarios one after the other, each on a new cluster that is started before it and stopped after it. Used by one
 * thread.
 */
final class ClusterLoads {
    private final PublishedReports published;
    private final Placement placement;
    private final Path directory;
    private final PrintStream out;

    /** @param directory where the reports are written */
    ClusterLoads(PublishedReports published, Placement placement, Path directory, PrintStream out) {
        this.published = published;
        this.placement = placement;
        this.directory = directory;
        this.out = out;
    }

    /**
     * A scenario to run.
     *
     * @param scenario not scaled
     * @param scale above 0, at most 1
     */
    record Item(Scenario scenario, double scale, LoadSettings load, ClusterSetup cluster) {}

    /** Runs all items, prints the table and writes the reports; returns the worst exit code. */
    int run(List<Item> items) throws InterruptedException {
        ClusterTable table = new ClusterTable(published);
        List<Integer> codes = new ArrayList<>();
        for (Item item : items) {
            codes.add(run(item, table));
        }
        out.println();
        out.print(table.report().toText());
        String stem = "cluster-" + Runner.stamp();
        try {
            table.report().write(directory, stem);
            out.println("report: " + directory.resolve(stem + ".html") + " and " + directory.resolve(stem + ".json"));
        } catch (IOException e) {
            System.err.println("perf.sh: the report could not be written: " + e.getMessage());
            codes.add(Verdict.FAILED);
        }
        return Verdict.worst(codes);
    }

    private int run(Item item, ClusterTable table) throws InterruptedException {
        ClusterSetup settings = item.cluster();
        out.printf(
                "%n%s on %d %s%n", item.scenario().name(), settings.nodes(), settings.nodes() == 1 ? "node" : "nodes");
        try (BrokerCluster cluster = BrokerCluster.start(settings, out::println)) {
            Runner.Load load = new Runner.Load(
                    item.scenario(),
                    item.scale(),
                    item.scenario().scaled(item.scale()),
                    item.load(),
                    ClientSettings.plain(cluster.endpoints(), placement),
                    Optional.of(new ProcessUsage(cluster.pids())),
                    null);
            final int rangesBefore = cluster.knownInboxRanges();
            Runner.Outcome outcome = new Runner(out, published).runAndWrite(load, directory);
            cluster.requireAlive();
            table.add(outcome.result(), settings.nodes(), settings.inboxVoters());
            noteRanges(item.scenario(), cluster, rangesBefore, table);
            return outcome.verdict().exitCode();
        } catch (ClusterFailedException | LoadFailedException | IOException e) {
            System.err.println("perf.sh: " + e.getMessage());
            table.addFailed(item.scenario(), item.scale(), settings.nodes(), settings.inboxVoters());
            table.note(item.scenario().name() + " was not run to its end: " + e.getMessage());
            return Verdict.FAILED;
        }
    }

    /** After a cold start, notes whether the inbox store was split into more ranges under the load. */
    private static void noteRanges(Scenario scenario, BrokerCluster cluster, int before, ClusterTable table)
            throws InterruptedException {
        if (scenario.isCold()) {
            table.note("%s --cold: the inbox store had %d ranges before the load and %d after it"
                    .formatted(scenario.name(), before, cluster.countInboxRanges()));
        }
    }
}
