package io.godwit.perf.curve;

import io.godwit.perf.report.CurvePlot;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The values measured at several loads, and their plot. Confined to one thread. */
public final class Curve {
    private final String name;
    private final String title;
    private final String load;
    private final boolean isLogarithmic;
    private final List<Panel> panels;
    private final List<Double> at = new ArrayList<>();
    private final List<Map<String, Double>> points = new ArrayList<>();

    /**
     * A plot of a curve.
     *
     * @param values the names of the values drawn in it, as given to {@link Curve#add}
     */
    public record Panel(String title, List<String> values) {
        public Panel {
            values = List.copyOf(values);
        }
    }

    /**
     * @param name of its files
     * @param load the quantity that grows, in words
     */
    public Curve(String name, String title, String load, boolean isLogarithmic, List<Panel> panels) {
        this.name = name;
        this.title = title;
        this.load = load;
        this.isLogarithmic = isLogarithmic;
        this.panels = List.copyOf(panels);
    }

    /** Adds the values measured at one load, which is larger than the one before; unknown values are left out. */
    public void add(double load, Map<String, Double> values) {
        at.add(load);
        points.add(new LinkedHashMap<>(values));
    }

    /** How much {@code value} grows per unit of the load, by least squares; NaN with fewer than two points. */
    public double slope(String value) {
        double n = 0;
        double sumX = 0;
        double sumY = 0;
        double sumXx = 0;
        double sumXy = 0;
        for (int i = 0; i < at.size(); i++) {
            Double y = points.get(i).get(value);
            if (y != null) {
                double x = at.get(i);
                n++;
                sumX += x;
                sumY += y;
                sumXx += x * x;
                sumXy += x * y;
            }
        }
        double spread = n * sumXx - sumX * sumX;
        return n < 2 || spread == 0 ? Double.NaN : (n * sumXy - sumX * sumY) / spread;
    }

    /** A Markdown table with a line for each point, for the terminal and for documents. */
    public String table() {
        if (points.isEmpty()) {
            return "";
        }
        List<String> columns = points.stream()
                .flatMap(point -> point.keySet().stream())
                .distinct()
                .toList();
        StringBuilder text = new StringBuilder("| " + load + " | " + String.join(" | ", columns) + " |\n|---");
        columns.forEach(column -> text.append("|---"));
        text.append("|\n");
        for (int i = 0; i < at.size(); i++) {
            text.append(String.format(Locale.ROOT, "| %,.0f ", at.get(i)));
            for (String column : columns) {
                Double value = points.get(i).get(column);
                text.append("| ").append(value == null ? "-" : rounded(value)).append(' ');
            }
            text.append("|\n");
        }
        return text.toString();
    }

    private static String rounded(double value) {
        return String.format(
                Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : Math.abs(value) >= 1 ? "%.2f" : "%.4f", value);
    }

    /**
     * Writes {@code name.json} and {@code name.svg}; {@code about} is added to the JSON and says where and how the
     * curve was measured.
     */
    public void write(Path directory, Map<String, Object> about) throws IOException {
        JsonArray measured = new JsonArray();
        for (int i = 0; i < at.size(); i++) {
            JsonObject point = new JsonObject().put("at", at.get(i));
            points.get(i).forEach(point::put);
            measured.add(point);
        }
        JsonObject json =
                new JsonObject().put("curve", name).put("title", title).put("load", load);
        about.forEach(json::put);
        json.put("points", measured);
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(name + ".json"), json.encodePrettily() + "\n");
        Files.writeString(directory.resolve(name + ".svg"), toSvg());
    }

    String toSvg() {
        CurvePlot plot = new CurvePlot(
                title, load, at.stream().mapToDouble(Double::doubleValue).toArray(), isLogarithmic);
        for (Panel panel : panels) {
            plot.panel(panel.title());
            for (String value : panel.values()) {
                plot.line(
                        value,
                        points.stream()
                                .map(point -> point.getOrDefault(value, Double.NaN))
                                .toList());
            }
        }
        return plot.toSvg();
    }
}
