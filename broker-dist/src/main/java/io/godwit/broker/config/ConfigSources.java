package io.godwit.broker.config;

import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.Level;
import io.godwit.broker.config.source.EnvironmentSource;
import io.godwit.broker.config.source.FileSource;
import io.godwit.broker.config.source.NearestKey;
import io.godwit.broker.config.source.Values;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The sources of values: the file, the environment and the system properties. The environment overrides the file;
 * system properties override the environment.
 *
 * @param fileType the record of the file
 * @param propertyType the record of the system properties
 * @param prefixes an unknown system property that begins with one of these is an error
 * @param ofOthers environment variables with the prefix {@code GODWIT_} that something else reads
 * @param foreign the message for a key that other brokers have; empty for any other key
 */
public record ConfigSources<F extends Record, P extends Record>(
        Class<F> fileType,
        Class<P> propertyType,
        Set<String> prefixes,
        Set<String> ofOthers,
        UnaryOperator<String> foreign) {

    /** Without keys of other brokers. */
    public ConfigSources(Class<F> fileType, Class<P> propertyType, Set<String> prefixes, Set<String> ofOthers) {
        this(fileType, propertyType, prefixes, ofOthers, path -> "");
    }

    /** Never throws because of the input; see {@link Loaded#errors}. */
    public Loaded<F, P> load(Path file, Map<String, String> properties, Map<String, String> environment) {
        Level fileLevel = Binder.level(fileType);
        Level propertyLevel = Binder.level(propertyType);
        Values values = new Values();
        new FileSource(fileLevel, values, environment, foreign).read(file);
        List<String> paths = new ArrayList<>(fileLevel.paths());
        paths.addAll(propertyLevel.paths());
        new EnvironmentSource(paths, repeated(fileLevel), ofOthers, values).read(environment);
        readProperties(propertyLevel, properties, values);

        Binder fileBinder = new Binder(fileLevel, values);
        F boundFile = fileBinder.bind(fileType);
        Binder propertyBinder = new Binder(propertyLevel, values);
        P boundProperties = propertyBinder.bind(propertyType);
        List<Effective> effective = new ArrayList<>(fileBinder.effective());
        effective.addAll(propertyBinder.effective());
        return new Loaded<>(boundFile, boundProperties, effective, values.errors(), values::isFlawed);
    }

    private void readProperties(Level level, Map<String, String> properties, Values values) {
        for (String name : new TreeSet<>(properties.keySet())) {
            String text = properties.getOrDefault(name, "").strip();
            if (level.keys().containsKey(name)) {
                values.put(name, new Given(text, "system property"));
            } else if (prefixes.stream().anyMatch(name::startsWith)) {
                values.error(
                        name,
                        "unknown system property, the nearest valid one is "
                                + NearestKey.of(name, level.keys().keySet()));
            }
        }
    }

    private static Set<String> repeated(Level level) {
        Set<String> found = new HashSet<>();
        collect(level, "", found);
        return found;
    }

    private static void collect(Level level, String place, Set<String> found) {
        level.sections().forEach((name, child) -> {
            if (child.isRepeated()) {
                found.add(place + name);
            } else {
                collect(child.level(), place + name + ".", found);
            }
        });
    }
}
