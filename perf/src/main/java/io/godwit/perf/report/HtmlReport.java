package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.scenario.Quantity;
import io.godwit.perf.scenario.Topology;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** A run as a single HTML file: verdict, table rows beside the published ones, charts over time, and findings. */
public final class HtmlReport {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final double MIB = 1 << 20;

    private final RunResult result;
    private final Verdict verdict;
    private final List<ResultTable> tables;
    private final double[] seconds;

    private HtmlReport(RunResult result, Verdict verdict, List<ResultTable> tables) {
        this.result = result;
        this.verdict = verdict;
        this.tables = tables;
        seconds = result.samples().stream().mapToDouble(Sample::atSeconds).toArray();
    }

    public static String of(RunResult result, Verdict verdict, List<ResultTable> tables) {
        return new HtmlReport(result, verdict, tables).page();
    }

    private String page() {
        StringBuilder body = new StringBuilder();
        body.append("<h1>").append(SvgChart.escape(Summary.heading(result))).append("</h1>\n");
        body.append("<p class=\"sub\">")
                .append(SvgChart.escape(Summary.description(result.scenario())))
                .append("<br>");
        body.append(SvgChart.escape("Broker " + String.join(", ", result.brokers()) + ", " + TIME.format(result.begun())
                        + ", " + Environment.describe()))
                .append("</p>\n");
        body.append(verdict());
        for (ResultTable table : tables) {
            body.append("<h2>")
                    .append(SvgChart.escape(table.title()))
                    .append("</h2>\n<div class=\"card scroll\"><table>\n");
            body.append(ReportPage.row("", "th", with("", table.columns())));
            body.append(ReportPage.row("ours", "td", with("this run", table.ours())));
            table.published().forEach(row -> body.append(ReportPage.row("", "td", with("published", row))));
            body.append("</table></div>\n");
        }
        body.append("<h2>Over time</h2>\n<p class=\"sub\">A point for each second; the shaded time is what is "
                + "measured. Point at a dot to read it.</p>\n<div class=\"charts\">\n");
        charts().forEach(chart ->
                body.append("<div class=\"card\">").append(chart.toSvg()).append("</div>\n"));
        body.append("</div>\n<h2>Found</h2>\n<div class=\"card\">")
                .append(ReportPage.list(Summary.findings(result)))
                .append("</div>\n");
        return ReportPage.of(Summary.heading(result), body.toString());
    }

    private String verdict() {
        StringBuilder html = new StringBuilder();
        List<String> wrong = new ArrayList<>(verdict.faults());
        wrong.addAll(verdict.shortfalls());
        if (wrong.isEmpty()) {
            boolean isChecked = result.delivery().isChecked();
            html.append("<div class=\"verdict good\">")
                    .append(
                            isChecked
                                    ? "Nothing was lost, and the rate was reached."
                                    : "The rate was reached; delivery has nobody to compare with.")
                    .append("</div>\n");
        } else {
            html.append("<div class=\"verdict bad\">Exit code ")
                    .append(verdict.exitCode())
                    .append(ReportPage.list(wrong))
                    .append("</div>\n");
        }
        List<String> cautions = Summary.cautions(result);
        if (!cautions.isEmpty()) {
            html.append("<div class=\"verdict warn\">")
                    .append(ReportPage.list(cautions))
                    .append("</div>\n");
        }
        return html.toString();
    }

    private static List<String> with(String first, List<String> rest) {
        List<String> cells = new ArrayList<>();
        cells.add(first);
        cells.addAll(rest);
        return cells;
    }

    private List<SvgChart> charts() {
        List<SvgChart> charts = new ArrayList<>();
        Topology topology = result.scenario().topology();
        boolean isConnecting = topology == Topology.CONNECTIONS || topology == Topology.CONNECT_AND_PUBLISH;
        DoubleFunction<String> count = Quantity::brief;
        DoubleFunction<String> millis = value -> RunColumns.plain(value) + " ms";
        if (isConnecting) {
            charts.add(chart("Connections open", count).line("open", values(Sample::connections)));
            charts.add(chart("Connections per second", count).line("per second", values(Sample::connectRate)));
            Predicate<Sample> has = s -> s.connect().count() > 0;
            charts.add(chart("TCP open to CONNACK, mean", millis)
                    .line("mean", values(s -> s.connect().mean(), has)));
            charts.add(chart("TCP open to CONNACK, p99 and maximum", millis)
                    .line("p99", values(s -> s.connect().p99(), has))
                    .line("max", values(s -> s.connect().max(), has)));
        } else {
            SvgChart rates = chart("Messages per second", count).line("in", values(Sample::rateIn));
            if (result.scenario().qos() > 0 && result.scenario().publishers() > 0) {
                rates.line("acknowledged", values(Sample::rateAcknowledged));
            }
            charts.add(rates.line("out", values(Sample::rateOut)));
            Predicate<Sample> has = s -> s.latency().count() > 0;
            charts.add(chart("Latency, mean", millis)
                    .line("mean", values(s -> s.latency().mean(), has)));
            charts.add(chart("Latency, p99", millis)
                    .line("p99", values(s -> s.latency().p99(), has)));
            charts.add(chart("Latency, maximum", millis)
                    .line("max", values(s -> s.latency().max(), has)));
        }
        if (result.broker().isWatched()) {
            Predicate<Sample> has = s -> s.brokerCores() >= 0;
            charts.add(chart("CPU of the broker", HtmlReport::cores).line("cores", values(Sample::brokerCores, has)));
            charts.add(chart("Memory of the broker", value -> RunColumns.plain(value) + " MiB")
                    .line("resident", values(s -> s.brokerBytes() / MIB, s -> s.brokerBytes() > 0)));
        }
        charts.add(chart("CPU of this tool", HtmlReport::cores)
                .line("all", values(Sample::toolCores))
                .line("busiest event loop", values(Sample::busiestLoop)));
        if (!isConnecting && result.scenario().isOpenLoop()) {
            charts.add(chart("Sent late, p99", millis).line("late", values(Sample::latenessP99)));
        }
        return charts;
    }

    private static String cores(double value) {
        return String.format(Locale.ROOT, "%.0f %%", value * 100);
    }

    private SvgChart chart(String title, DoubleFunction<String> label) {
        SvgChart chart = new SvgChart(title, seconds, label);
        double from = Double.NaN;
        double to = Double.NaN;
        double before = 0;
        for (Sample sample : result.samples()) {
            if (sample.phase() == Phase.MEASURE) {
                from = Double.isNaN(from) ? before : from;
                to = sample.atSeconds();
            }
            before = sample.atSeconds();
        }
        return chart.shade(from, to);
    }

    private double[] values(ToDoubleFunction<Sample> value) {
        return values(value, sample -> true);
    }

    private double[] values(ToDoubleFunction<Sample> value, Predicate<Sample> has) {
        return result.samples().stream()
                .mapToDouble(sample -> has.test(sample) ? value.applyAsDouble(sample) : Double.NaN)
                .toArray();
    }
}
