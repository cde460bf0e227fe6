package io.godwit.perf.rows;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Collects the figures of all loads on all clusters, of each as many as it was run. Owned by one thread. */
final class Measurements {
    /** Loads that are named beside what makes their figures doubtful. */
    private static final int MOST_PLACES = 3;

    private final Map<Setup, Map<Load, List<Figures>>> figures = new HashMap<>();
    private final Set<String> faults = new LinkedHashSet<>();

    void add(Setup setup, Load load, Figures told) {
        figures.computeIfAbsent(setup, none -> new EnumMap<>(Load.class))
                .computeIfAbsent(load, none -> new ArrayList<>())
                .add(told);
    }

    /** A load could not be run, for a reason that the user is told. */
    void addFault(String reason) {
        faults.add(reason);
    }

    /** Each reason once, in the order in which they came. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    private List<Figures> of(Setup setup, Load load) {
        return figures.getOrDefault(setup, Map.of()).getOrDefault(load, List.of());
    }

    /** The median of what was told; of an even number the mean of the two in the middle. Empty when nothing was. */
    OptionalDouble median(Setup setup, Load load, Value value) {
        double[] sorted = of(setup, load).stream()
                .filter(told -> told.values().containsKey(value))
                .mapToDouble(told -> told.values().get(value))
                .sorted()
                .toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }

    /** Of all times that it was run. */
    long lost(Setup setup, Load load) {
        return of(setup, load).stream().mapToLong(Figures::lost).sum();
    }

    /** In all loads on all clusters. */
    long lost() {
        return figures.values().stream()
                .flatMap(loads -> loads.values().stream())
                .flatMap(List::stream)
                .mapToLong(Figures::lost)
                .sum();
    }

    /** Each once, with the loads and clusters that it is about; with their number where these are many. */
    List<String> cautions() {
        Map<String, Set<String>> places = new TreeMap<>();
        figures.forEach((setup, loads) -> loads.forEach((load, all) -> all.forEach(told -> told.cautions()
                .forEach(caution -> places.computeIfAbsent(caution, none -> new TreeSet<>())
                        .add(load.title() + " on " + setup.describe())))));
        List<String> cautions = new ArrayList<>();
        places.forEach((caution, where) -> cautions.add(
                where.size() > MOST_PLACES
                        ? caution + " in " + where.size() + " loads"
                        : caution + ": " + String.join("; ", where)));
        return cautions;
    }
}
