package io.godwit.perf.report;

import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.RunProgress;
import io.godwit.perf.load.measure.Sample;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Consumer;

/** Shows the progress of a run: on a terminal one line that changes each second, else a new line every few seconds. */
public final class ProgressLine implements Consumer<RunProgress> {
    private static final int LINES_APART = 5;

    private final PrintStream out;
    private final boolean isTerminal;
    private int shown;
    private int width;

    public ProgressLine(PrintStream out, boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    @Override
    public void accept(RunProgress progress) {
        String line = text(progress);
        if (isTerminal) {
            out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
            width = line.length();
        } else if (shown++ % LINES_APART == 0) {
            out.println(line);
        }
        out.flush();
    }

    /** Ends the line. */
    public void end() {
        if (isTerminal && width > 0) {
            out.println();
            width = 0;
        }
    }

    static String text(RunProgress progress) {
        Sample sample = progress.sample();
        String what = progress.phase() == Phase.CONNECT || !progress.hasMessages()
                ? String.format(
                        Locale.ROOT,
                        "%,d of %,d connected  %,.0f/s  p50 %.1f p99 %.1f ms",
                        sample.connections(),
                        progress.wanted(),
                        sample.connectRate(),
                        sample.connect().p50(),
                        sample.connect().p99())
                : String.format(
                        Locale.ROOT,
                        "in %,.0f/s  out %,.0f/s  p50 %.2f p99 %.2f ms",
                        sample.rateIn(),
                        sample.rateOut(),
                        sample.latency().p50(),
                        sample.latency().p99());
        return String.format(
                Locale.ROOT,
                "%4.0f s  %-8s %s  errors %,d%s%s",
                sample.atSeconds(),
                progress.phase().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                what,
                sample.errors(),
                sample.brokerCores() < 0
                        ? ""
                        : String.format(Locale.ROOT, "  broker %.0f %%", sample.brokerCores() * 100),
                progress.remainingSeconds() <= 0
                        ? ""
                        : String.format(Locale.ROOT, "  ETA %.0f s", progress.remainingSeconds()));
    }
}
