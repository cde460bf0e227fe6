package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.scenario.Scenario;
import java.util.List;

/** The text that is printed on the terminal after a run. */
public final class TextReport {
    private TextReport() {}

    public static String of(RunResult result, Verdict verdict, List<ResultTable> tables) {
        StringBuilder text = new StringBuilder("\n");
        tables.forEach(table -> text.append(table.toText()).append('\n'));
        Summary.findings(result).forEach(line -> text.append(line).append('\n'));
        Summary.cautions(result).forEach(line -> text.append("! ").append(line).append('\n'));
        verdict.faults().forEach(line -> text.append("FAULT: ").append(line).append('\n'));
        verdict.shortfalls()
                .forEach(line -> text.append("RATE MISSED: ").append(line).append('\n'));
        return text.toString();
    }

    /** The text before a run: scenario and brokers. */
    public static String before(Scenario scenario, List<String> brokers) {
        return scenario.name() + ": " + describe(scenario) + "; broker " + String.join(", ", brokers);
    }

    /** A scenario in words. */
    public static String describe(Scenario scenario) {
        return Summary.description(scenario);
    }
}
