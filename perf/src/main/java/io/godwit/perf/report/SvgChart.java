package io.godwit.perf.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A chart of lines over time as a self-contained SVG element. The vertical axis begins at 0. A time interval can be
 * shaded.
 */
final class SvgChart {
    private static final int WIDTH = 620;
    private static final int HEIGHT = 230;
    private static final int LEFT = 62;
    private static final int RIGHT = 22;
    private static final int TOP = 34;
    private static final int BOTTOM = 34;
    private static final List<String> COLOURS = List.of("#1f6feb", "#d1671a", "#1a8754", "#8250df");
    /** The most samples for which dots are drawn; more of them would merge into a band. */
    private static final int MOST_DOTS = 180;

    /** A value for each time; NaN: no value. */
    private static final class Line {
        private final String name;
        private final double[] values;

        private Line(String name, double[] values) {
            this.name = name;
            this.values = values;
        }
    }

    private final String title;
    private final DoubleFunction<String> label;
    private final double[] seconds;
    private final List<Line> lines = new ArrayList<>();
    private double shadedFrom = Double.NaN;
    private double shadedTo = Double.NaN;

    /** @param label formats a value for the axis */
    SvgChart(String title, double[] seconds, DoubleFunction<String> label) {
        this.title = title;
        this.seconds = seconds.clone();
        this.label = label;
    }

    SvgChart line(String name, double... values) {
        if (values.length != seconds.length) {
            throw new IllegalArgumentException(
                    name + ": " + values.length + " values for " + seconds.length + " times");
        }
        lines.add(new Line(name, values.clone()));
        return this;
    }

    SvgChart shade(double from, double to) {
        shadedFrom = from;
        shadedTo = to;
        return this;
    }

    String toSvg() {
        double most = lines.stream()
                .flatMapToDouble(line -> java.util.Arrays.stream(line.values))
                .filter(Double::isFinite)
                .max()
                .orElse(0);
        double top = ceiling(most);
        double end = seconds.length == 0 ? 1 : Math.max(seconds[seconds.length - 1], 1e-3);
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">",
                WIDTH, HEIGHT, escape(title)));
        svg.append(format("<text class=\"title\" x=\"%d\" y=\"18\">%s</text>", LEFT, escape(title)));
        if (Double.isFinite(shadedFrom) && shadedTo > shadedFrom) {
            svg.append(format(
                    "<rect class=\"measured\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                            + "height=\"%d\"><title>measured</title></rect>",
                    x(shadedFrom, end), TOP, x(shadedTo, end) - x(shadedFrom, end), HEIGHT - TOP - BOTTOM));
        }
        axes(svg, top, end);
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), COLOURS.get(i % COLOURS.size()), top, end);
        }
        legend(svg);
        return svg.append("</svg>").toString();
    }

    private void axes(StringBuilder svg, double top, double end) {
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            double y = y(value, top);
            svg.append(format(
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", LEFT, y, WIDTH - RIGHT, y));
            svg.append(format(
                    "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>",
                    LEFT - 6, y + 4, escape(label.apply(value))));
        }
        double step = ceiling(end / 6);
        for (double second = 0; second <= end; second += step) {
            svg.append(format(
                    "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s s</text>",
                    x(second, end), HEIGHT - BOTTOM + 16, RunColumns.plain(second)));
        }
    }

    private void draw(StringBuilder svg, Line line, String colour, double top, double end) {
        StringBuilder path = new StringBuilder();
        boolean isOpen = false;
        for (int i = 0; i < seconds.length; i++) {
            if (!Double.isFinite(line.values[i])) {
                isOpen = false;
                continue;
            }
            path.append(format("%s%.1f %.1f", isOpen ? " L" : " M", x(seconds[i], end), y(line.values[i], top)));
            isOpen = true;
        }
        svg.append(format(
                "<path class=\"line\" stroke=\"%s\" d=\"%s\"/>",
                colour, path.toString().strip()));
        if (seconds.length <= MOST_DOTS) {
            for (int i = 0; i < seconds.length; i++) {
                if (Double.isFinite(line.values[i])) {
                    svg.append(format(
                            "<circle r=\"2.2\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\"><title>%s at %s s: "
                                    + "%s</title></circle>",
                            colour,
                            x(seconds[i], end),
                            y(line.values[i], top),
                            escape(line.name),
                            RunColumns.plain(Math.round(seconds[i] * 10) / 10.0),
                            escape(label.apply(line.values[i]))));
                }
            }
        }
    }

    private void legend(StringBuilder svg) {
        if (lines.size() < 2) {
            return;
        }
        svg.append(format("<text class=\"legend\" text-anchor=\"end\" x=\"%d\" y=\"18\">", WIDTH - RIGHT));
        for (int i = 0; i < lines.size(); i++) {
            svg.append(format(
                    "<tspan%s style=\"fill:%s\">%s</tspan>",
                    i == 0 ? "" : " dx=\"14\"", COLOURS.get(i % COLOURS.size()), escape(lines.get(i).name)));
        }
        svg.append("</text>");
    }

    private static double x(double second, double end) {
        return LEFT + second / end * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double value, double top) {
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    }

    /** The smallest number of the form 1, 2, 2.5, 4, 5 or 8 times a power of ten that is not below {@code value}. */
    static double ceiling(double value) {
        if (!(value > 0)) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double digit : new double[] {1, 2, 2.5, 4, 5, 8, 10}) {
            if (value <= digit * power * (1 + 1e-9)) {
                return digit * power;
            }
        }
        return 10 * power;
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
