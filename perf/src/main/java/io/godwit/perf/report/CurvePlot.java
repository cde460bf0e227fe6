package io.godwit.perf.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws plots of values over a load, one below the other, as an SVG file. The horizontal axis is the load, logarithmic
 * if asked for; vertical axes begin at 0. Measured points are dots.
 */
public final class CurvePlot {
    private static final int WIDTH = 640;
    private static final int PANEL = 190;
    private static final int LEFT = 66;
    private static final int RIGHT = 24;
    private static final int HEAD = 40;
    private static final int ABOVE = 26;
    private static final int BELOW = 24;
    private static final int FOOT = 24;
    private static final List<String> COLOURS = List.of("#1f6feb", "#d1671a", "#1a8754", "#8250df");
    private static final String STYLE =
            "text{font-family:sans-serif;font-size:11px;fill:#57606a}.title{font-size:14px;fill:#24292f}"
                    + ".panel{font-size:12px;fill:#24292f}.grid{stroke:#d0d7de;stroke-width:1}.line{fill:none;s"
                    + "troke-width:2}";

    private final String title;
    private final String load;
    private final double[] at;
    private final boolean isLogarithmic;
    private final List<Panel> panels = new ArrayList<>();

    private record Line(String name, List<Double> values) {}

    private record Panel(String title, List<Line> lines) {}

    /** @param load the quantity along the horizontal axis, in words */
    public CurvePlot(String title, String load, double[] at, boolean isLogarithmic) {
        this.title = title;
        this.load = load;
        this.at = at.clone();
        this.isLogarithmic = isLogarithmic;
    }

    /** Begins a panel, to which the following lines belong. */
    public CurvePlot panel(String name) {
        panels.add(new Panel(name, new ArrayList<>()));
        return this;
    }

    /** Adds a line with a value for each load; NaN: not measured. */
    public CurvePlot line(String name, List<Double> values) {
        if (values.size() != at.length) {
            throw new IllegalArgumentException(name + ": " + values.size() + " values for " + at.length + " loads");
        }
        panels.get(panels.size() - 1).lines.add(new Line(name, List.copyOf(values)));
        return this;
    }

    public String toSvg() {
        int height = HEAD + panels.size() * PANEL + FOOT;
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                        + "role=\"img\" aria-label=\"%s\">%n",
                WIDTH, height, WIDTH, height, SvgChart.escape(title)));
        svg.append("<style>").append(STYLE).append("</style>\n");
        svg.append(format("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", WIDTH, height));
        svg.append(format("<text class=\"title\" x=\"%d\" y=\"22\">%s</text>%n", LEFT, SvgChart.escape(title)));
        for (int i = 0; i < panels.size(); i++) {
            draw(svg, panels.get(i), HEAD + i * PANEL);
        }
        svg.append(format(
                "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>%n",
                (LEFT + WIDTH - RIGHT) / 2, height - 8, SvgChart.escape(load)));
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Panel panel, int top) {
        double most = panel.lines.stream()
                .flatMap(line -> line.values.stream())
                .mapToDouble(Double::doubleValue)
                .filter(Double::isFinite)
                .max()
                .orElse(0);
        double ceiling = SvgChart.ceiling(most);
        svg.append(format(
                "<text class=\"panel\" x=\"%d\" y=\"%d\">%s</text>%n", LEFT, top + 14, SvgChart.escape(panel.title)));
        for (int i = 0; i <= 4; i++) {
            double y = y(ceiling * i / 4, ceiling, top);
            svg.append(format(
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>%n", LEFT, y, WIDTH - RIGHT, y));
            svg.append(format(
                    "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>%n",
                    LEFT - 6, y + 4, number(ceiling * i / 4)));
        }
        for (double each : at) {
            svg.append(format(
                    "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                    x(each), top + PANEL - BELOW + 14, number(each)));
        }
        for (int i = 0; i < panel.lines.size(); i++) {
            draw(svg, panel.lines.get(i), COLOURS.get(i % COLOURS.size()), ceiling, top);
        }
        if (panel.lines.size() > 1) {
            legend(svg, panel, top);
        }
    }

    private void draw(StringBuilder svg, Line line, String colour, double ceiling, int top) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < at.length; i++) {
            double value = line.values.get(i);
            if (Double.isFinite(value)) {
                path.append(format("%s%.1f %.1f", path.length() == 0 ? "M" : " L", x(at[i]), y(value, ceiling, top)));
                svg.append(format(
                        "<circle r=\"3\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\"><title>%s at %s: %s</title></circle>%n",
                        colour,
                        x(at[i]),
                        y(value, ceiling, top),
                        SvgChart.escape(line.name),
                        number(at[i]),
                        number(value)));
            }
        }
        svg.append(format("<path class=\"line\" stroke=\"%s\" d=\"%s\"/>%n", colour, path));
    }

    private static void legend(StringBuilder svg, Panel panel, int top) {
        svg.append(format("<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT, top + 14));
        for (int i = 0; i < panel.lines.size(); i++) {
            svg.append(format(
                    "<tspan%s style=\"fill:%s\">%s</tspan>",
                    i == 0 ? "" : " dx=\"12\"",
                    COLOURS.get(i % COLOURS.size()),
                    SvgChart.escape(panel.lines.get(i).name)));
        }
        svg.append("</text>\n");
    }

    private double x(double value) {
        double first = at[0];
        double last = at[at.length - 1];
        double share = isLogarithmic
                ? last > first ? Math.log(value / first) / Math.log(last / first) : 0.5
                : last > 0 ? value / last : 0.5;
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28);
    }

    private static double y(double value, double ceiling, int top) {
        return top + PANEL - BELOW - value / ceiling * (PANEL - ABOVE - BELOW);
    }

    /** Three digits; thousands and millions have a letter. */
    static String number(double value) {
        if (Math.abs(value) >= 999_950) {
            return digits(value / 1e6) + "M";
        }
        return Math.abs(value) >= 1_000 ? digits(value / 1e3) + "k" : digits(value);
    }

    private static String digits(double value) {
        int decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
        String text = format("%." + decimals + "f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
