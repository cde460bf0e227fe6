package io.godwit.broker.config.source;

import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.OpenSections;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values from all sources, by path, and the errors. For one thread. */
public final class Values {
    private final Map<String, Given> given = new HashMap<>();
    /** The paths of the instances of repeated sections, by the section's path, in the order of the file. */
    private final Map<String, Set<String>> instances = new LinkedHashMap<>();

    /** By the path of the {@link OpenSections}, then by name. */
    private final Map<String, Map<String, OpenSection>> open = new HashMap<>();

    private final List<String> errors = new ArrayList<>();
    private final Set<String> flawed = new LinkedHashSet<>();

    /**
     * A later source overrides an earlier one. Empty text counts as not given, so that a template with blanks is
     * accepted.
     */
    public void put(String path, Given value) {
        if (!isNothing(value.text())) {
            given.put(path, value);
        }
    }

    @Nullable
    public Given get(String path) {
        return given.get(path);
    }

    void addInstance(String section, String instance) {
        instances.computeIfAbsent(section, path -> new LinkedHashSet<>()).add(instance);
    }

    public Set<String> instances(String section) {
        return instances.getOrDefault(section, Set.of());
    }

    /** @param path of the {@link OpenSections} */
    void putOpen(String path, String name, OpenSection section) {
        open.computeIfAbsent(path, each -> new LinkedHashMap<>()).put(name, section);
    }

    public Map<String, OpenSection> open(String path) {
        return open.getOrDefault(path, Map.of());
    }

    /** @param path where the error is; the message begins with it */
    public void error(String path, String message) {
        flawed.add(path);
        errors.add(path + ": " + message);
    }

    /** Adds an error that belongs to no key. */
    void error(String message) {
        errors.add(message);
    }

    public List<String> errors() {
        return List.copyOf(errors);
    }

    /** Whether there is an error at or below a path. */
    public boolean isFlawed(String path) {
        return flawed.stream().anyMatch(each -> each.equals(path) || each.startsWith(path + "."));
    }

    static boolean isNothing(String text) {
        return text.isEmpty() || text.equals("~") || text.equals("null");
    }
}
