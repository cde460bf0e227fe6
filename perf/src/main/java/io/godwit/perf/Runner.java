package io.godwit.perf;

import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.LoadRun;
import io.godwit.perf.load.Preflight;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.report.HtmlReport;
import io.godwit.perf.report.JsonReport;
import io.godwit.perf.report.ProgressLine;
import io.godwit.perf.report.ResultTable;
import io.godwit.perf.report.TextReport;
import io.godwit.perf.report.Verdict;
import io.godwit.perf.scenario.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs one load, from the preflight check to the report files, and prints its progress and results. */
final class Runner {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final PrintStream out;
    private final PublishedReports published;

    Runner(PrintStream out, PublishedReports published) {
        this.out = out;
        this.published = published;
    }

    /** The current UTC time in a form for file names. */
    static String stamp() {
        return STAMP.format(Instant.now());
    }

    /** A load to run. */
    record Load(
            Scenario published,
            double scale,
            Scenario scenario,
            LoadSettings settings,
            ClientSettings clients,
            Optional<UsageSource> broker,
            @Nullable String topics) {}

    /** The result of a load. */
    record Outcome(RunResult result, Verdict verdict, List<ResultTable> tables) {
        /** A description of the scenario that was run. */
        String load() {
            return TextReport.describe(result.scenario());
        }
    }

    /**
     * Checks and runs a load, without writing reports.
     *
     * @throws LoadFailedException if limits of the system forbid it or clients could not be opened
     */
    Outcome run(Load load) throws LoadFailedException, InterruptedException {
        List<String> obstacles = Preflight.obstacles(load.scenario(), load.clients());
        if (!obstacles.isEmpty()) {
            throw new LoadFailedException(String.join("; ", obstacles));
        }
        out.println(TextReport.before(
                load.scenario(),
                load.clients().brokers().stream().map(String::valueOf).toList()));
        ProgressLine line = new ProgressLine(out, Boolean.getBoolean("perf.terminal"));
        try {
            RunResult result = new LoadRun(
                            load.published(),
                            load.scale(),
                            load.scenario(),
                            load.settings(),
                            load.clients(),
                            load.topics(),
                            load.broker(),
                            line)
                    .run();
            return new Outcome(result, Verdict.of(result), ResultTable.of(result, published));
        } finally {
            line.end();
        }
    }

    /** Runs a load, prints the result and writes the reports, unless {@code directory} is null. */
    Outcome runAndWrite(Load load, @Nullable Path directory)
            throws LoadFailedException, IOException, InterruptedException {
        Outcome outcome = run(load);
        out.print(TextReport.of(outcome.result(), outcome.verdict(), outcome.tables()));
        if (directory != null) {
            write(outcome, directory);
        }
        return outcome;
    }

    /** As {@link #runAndWrite}, but prints errors and returns the exit code. */
    int runAndReport(Load load, @Nullable Path directory) throws InterruptedException {
        try {
            return runAndWrite(load, directory).verdict().exitCode();
        } catch (LoadFailedException e) {
            System.err.println("perf.sh: " + e.getMessage());
            return Verdict.FAILED;
        } catch (IOException e) {
            System.err.println("perf.sh: the report could not be written: " + e.getMessage());
            return Verdict.FAILED;
        }
    }

    private void write(Outcome outcome, Path directory) throws IOException {
        Files.createDirectories(directory);
        String stem = outcome.result().scenario().name().replaceAll("[^A-Za-z0-9._-]", "_") + "-"
                + STAMP.format(outcome.result().begun());
        Path html = directory.resolve(stem + ".html");
        Path json = directory.resolve(stem + ".json");
        Files.writeString(html, HtmlReport.of(outcome.result(), outcome.verdict(), outcome.tables()));
        Files.writeString(json, JsonReport.of(outcome.result(), outcome.verdict(), outcome.tables()));
        out.println("report: " + html + " and " + json);
    }
}
