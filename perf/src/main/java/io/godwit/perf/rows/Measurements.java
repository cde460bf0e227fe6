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

/** Collects the figures of all loads on all clusters, of each run. Confined to one thread. */
final class Measurements {
    /** The most loads that are named with a caution; if there are more, their number is given. */
    private static final int MOST_PLACES = 3;

    private final Map<Setup, Map<Load, List<Figures>>> figures = new HashMap<>();
    private final Set<String> faults = new LinkedHashSet<>();

    void add(Setup setup, Load load, Figures told) {
        figures.computeIfAbsent(setup, none -> new EnumMap<>(Load.class))
                .computeIfAbsent(load, none -> new ArrayList<>())
                .add(told);
    }

    /** Adds the reason, for the user, why a load could not be run. */
    void addFault(String reason) {
        faults.add(reason);
    }

    /** The reasons without repetition, in the order in which they were added. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    private List<Figures> of(Setup setup, Load load) {
        return figures.getOrDefault(setup, Map.of()).getOrDefault(load, List.of());
    }

    /** The median of a value over all runs ({@link Figures#median}). */
    OptionalDouble median(Setup setup, Load load, Value value) {
        return Figures.median(of(setup, load), value);
    }

    /** Lost messages in all runs of a load. */
    long lost(Setup setup, Load load) {
        return of(setup, load).stream().mapToLong(Figures::lost).sum();
    }

    /** Lost messages in all loads on all clusters. */
    long lost() {
        return figures.values().stream()
                .flatMap(loads -> loads.values().stream())
                .flatMap(List::stream)
                .mapToLong(Figures::lost)
                .sum();
    }

    /**
     * The cautions without repetition, each with the loads and clusters that it is about, or with their number if there
     * are many.
     */
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
