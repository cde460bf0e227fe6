package io.godwit.perf.option;

import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import io.godwit.perf.scenario.Topology;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The properties of a scenario that its name does not contain. */
public final class ScenarioOptions {
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

    /**
     * The scenario with this name and these options.
     *
     * @throws IllegalArgumentException if the name has no known form, or an option does not apply to the scenario
     */
    public Scenario scenario(String name, PublishedReports published) {
        Scenario named = ScenarioName.parse(name)
                .orElseThrow(() -> new IllegalArgumentException("'" + name
                        + "' is not the name of a scenario; perf.sh list shows those of "
                        + "published reports, perf.sh run --help the forms of names"));
        boolean isPublishedShared = published.tables().stream()
                .filter(PublishedTable::isShared)
                .anyMatch(table -> !table.rowsOf(name).isEmpty());
        if (isShared && (named.isConnecting() || named.subscribers() == 0)) {
            throw new IllegalArgumentException("--shared: " + name + " has no subscribers of messages");
        }
        if (isShared && named.topology() == Topology.RANDOM) {
            throw new IllegalArgumentException("--shared: subscribers of " + name + " have a topic each");
        }
        if (background != null && named.isConnecting()) {
            throw new IllegalArgumentException("--background: " + name + " only opens connections");
        }
        return named.with(s -> s.cleanSession(isClean != null ? isClean : named.isCleanSession())
                .topology(isShared || isPublishedShared ? Topology.SHARED : named.topology())
                .cold(isCold)
                .background(background != null ? background : named.background()));
    }
}
