package io.godwit.perf;

import io.godwit.perf.option.ClusterOptions;
import io.godwit.perf.option.LoadOptions;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf.sh cluster published}: runs all published scenarios of several nodes. */
@Command(
        name = "published",
        mixinStandardHelpOptions = true,
        description = {
            "Runs all scenarios of published reports that had several nodes, each on a new cluster; in one table at "
                    + "the end.",
            "It takes about a minute for each; --seconds 10 makes it shorter."
        })
final class ClusterPublishedCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "REGEX", description = "only those whose arguments have this")
    private String only = "";

    @Mixin
    private ClusterLoadOptions options = new ClusterLoadOptions();

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Mixin
    private LoadOptions loadOptions = new LoadOptions();

    @Override
    public Integer call() throws InterruptedException {
        PublishedReports published = PublishedReports.load();
        List<ClusterLoads.Item> items = new ArrayList<>();
        try {
            for (Scenario scenario : severalNodes(published, only)) {
                items.add(new ClusterLoads.Item(
                        scenario,
                        options.scale(scenario),
                        loadOptions.settings(!scenario.isOpenLoop(), scenario.isConnecting()),
                        options.cluster(scenario, cluster)));
            }
        } catch (PatternSyntaxException e) {
            throw new ParameterException(spec.commandLine(), "not a regular expression: " + only, e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (items.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "no published scenario of several nodes has '" + only + "' in its arguments");
        }
        return options.loads(published).run(items);
    }

    /**
     * The published scenarios of several nodes whose arguments contain a match of {@code only}; each once, in the order
     * of the reports.
     *
     * @throws PatternSyntaxException if {@code only} is not a regular expression
     */
    static List<Scenario> severalNodes(PublishedReports published, String only) {
        Pattern wanted = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
        Set<String> seen = new HashSet<>();
        List<Scenario> scenarios = new ArrayList<>();
        for (PublishedTable table : published.tables()) {
            table.rows().stream()
                    .filter(row -> table.scenario(row).nodes() > 1)
                    .filter(row -> wanted.matcher(table.arguments(row)).find())
                    .filter(row -> seen.add(table.arguments(row)))
                    .forEach(row -> scenarios.add(table.scenario(row)));
        }
        return scenarios;
    }
}
