package io.godwit.perf;

import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.option.ClusterOptions;
import io.godwit.perf.option.Durations;
import io.godwit.perf.report.TableReport;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.rows.LoadTimes;
import io.godwit.perf.rows.RowRuns;
import io.godwit.perf.rows.Setup;
import io.godwit.perf.rows.ToolLoops;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh cluster rows}: compares a cluster with a single node. */
@Command(
        name = "rows",
        mixinStandardHelpOptions = true,
        description = {
            "Puts the same loads on one broker and on a cluster, one after the other, and tells their ratios beside "
                    + "the figures to reach.",
            "The exit code is 0 whichever of these are reached, 3 when messages were lost, 1 when a load could not "
                    + "be run. All rows but resync take more than ten minutes."
        })
final class ClusterRowsCommand implements Callable<Integer> {
    private static final int MOST_PASSES = 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--only",
            paramLabel = "ROW,...",
            split = ",",
            description = "which rows: cpu-qos0, max-qos0, cpu-qos1, p99-qos1, max-persistent, p99-persistent, nodes, "
                    + "suback-live, suback-persistent, connect, idle, reconnect, large-beside-small, resync "
                    + "(default: all but resync)")
    private Set<String> only = Set.of();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "brokers that are compared with one, 2 to 9 (default: ${DEFAULT-VALUE})")
    private int nodes = 3;

    @Option(
            names = "--voters",
            paramLabel = "N",
            description = "voters of each range of stored sessions (default: 3 or the nodes)")
    private @Nullable Integer voters;

    @Option(
            names = "--sizes",
            paramLabel = "N,...",
            split = ",",
            description = "brokers of the row 'nodes', from 1 to 9 (default: 1,3,5,7)")
    private List<Integer> sizes = List.of(1, 3, 5, 7);

    @Option(
            names = "--scale",
            paramLabel = "S",
            description = "a part of the rates and connections, as 0.1 (default: 1)")
    private double scale = 1;

    @Option(
            names = {"--seconds", "--duration"},
            paramLabel = "TIME",
            converter = Durations.class,
            description = "time that is measured in each load (default: 10s)")
    private Duration duration = Duration.ofSeconds(10);

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "time of the same load before its measured time (default: 5s, or less if --seconds is less)")
    private @Nullable Duration warmUp;

    @Option(
            names = "--loops",
            paramLabel = "N",
            description = "event loops of this tool (default: one for every two cores; for reconnect one for each)")
    private @Nullable Integer loops;

    @Option(
            names = "--passes",
            paramLabel = "N",
            description = "how often all is measured; the table has medians (default: ${DEFAULT-VALUE})")
    private int passes = 1;

    @Option(names = "--out", paramLabel = "DIR", description = "where the reports go (default: ${DEFAULT-VALUE})")
    private Path out = Path.of("perf-reports");

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Override
    public Integer call() throws InterruptedException {
        RowRuns runs;
        try {
            if (nodes < 2) {
                throw new IllegalArgumentException(
                        "--nodes must be at least 2: they are compared with one, was " + nodes);
            }
            if (passes < 1 || passes > MOST_PASSES) {
                throw new IllegalArgumentException("--passes must be 1 to " + MOST_PASSES + ", was " + passes);
            }
            List<Setup> all = new ArrayList<>();
            for (int size : new TreeSet<>(sizes)) {
                all.add(new Setup(size, ClusterSetup.usualVoters(size), true));
            }
            Setup many = new Setup(nodes, voters != null ? voters : ClusterSetup.usualVoters(nodes), true);
            LoadTimes times = LoadTimes.of(warmUp, duration);
            ToolLoops clients = ToolLoops.of(loops, Runtime.getRuntime().availableProcessors());
            runs = new RowRuns(many, all, new LinkedHashSet<>(only), this::settings, scale, times, clients, System.out);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        runs.run(passes);
        return report(runs);
    }

    private ClusterSetup settings(Setup setup) {
        List<String> options = setup.isPushingEarly() ? List.of() : List.of("-Dinbox_store_early_push=false");
        return cluster.settings(setup.nodes(), setup.voters(), options);
    }

    private int report(RowRuns runs) {
        TableReport table = runs.table();
        System.out.println();
        System.out.print(table.toText());
        try {
            String stem = "cluster-rows-" + Runner.stamp();
            table.write(out, stem);
            System.out.println("report: " + out.resolve(stem + ".html") + " and " + out.resolve(stem + ".json"));
        } catch (IOException e) {
            System.err.println("perf.sh: the report could not be written: " + e.getMessage());
            return Verdict.FAILED;
        }
        return runs.lost() > 0 ? Verdict.FAULTS : runs.hasFailed() ? Verdict.FAILED : Verdict.OK;
    }
}
