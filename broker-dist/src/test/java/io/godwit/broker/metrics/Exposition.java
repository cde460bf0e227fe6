package io.godwit.broker.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A scrape, parsed as Prometheus parses its text format. */
public final class Exposition {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

    /** One metric with all its series. */
    public record Family(String name, String type, String help, List<Sample> samples) {
        /** Label keys, except for those of histogram buckets. */
        public Set<String> labels() {
            Set<String> keys = new LinkedHashSet<>();
            samples.forEach(sample -> keys.addAll(sample.labels().keySet()));
            keys.remove("le");
            return keys;
        }
    }

    /** One series. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    private final Map<String, Family> families = new LinkedHashMap<>();

    /** @param text as {@link io.godwit.api.port.figure.ScrapeFormat#TEXT} has it */
    public Exposition(String text) {
        Map<String, String> helps = new LinkedHashMap<>();
        Family current = null;
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                helps.put(words[2], words.length == 4 ? words[3] : "");
            } else if (line.startsWith("# TYPE ")) {
                current = new Family(words[2], words[3], helps.getOrDefault(words[2], ""), new ArrayList<>());
                families.put(words[2], current);
            } else if (!line.isBlank()) {
                Matcher sample = SAMPLE.matcher(line);
                if (current == null || !sample.matches() || !sample.group(1).startsWith(current.name())) {
                    throw new IllegalArgumentException("no sample of a metric: " + line);
                }
                current.samples().add(new Sample(sample.group(1), labels(sample.group(2)), value(sample.group(3))));
            }
        }
    }

    private static double value(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (text != null) {
            Matcher label = LABEL.matcher(text);
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
        }
        return labels;
    }

    /** The metrics by name, in the order of the text. */
    public Map<String, Family> families() {
        return Collections.unmodifiableMap(families);
    }

    /** The sum of all series with that name. */
    public double sum(String name) {
        return families.values().stream()
                .flatMap(family -> family.samples().stream())
                .filter(sample -> sample.name().equals(name))
                .mapToDouble(Sample::value)
                .sum();
    }
}
