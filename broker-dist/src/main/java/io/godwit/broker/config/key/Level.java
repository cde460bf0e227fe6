package io.godwit.broker.config.key;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keys and sections at one level of the file: those of a record class and of its inline sections. */
public final class Level {
    private final Map<String, KeySpec> keys = new LinkedHashMap<>();
    private final Map<String, Child> sections = new LinkedHashMap<>();
    private final Set<String> open = new LinkedHashSet<>();

    /** @param isRepeated whether the file may have a list of these sections */
    public record Child(Level level, boolean isRepeated) {}

    private Level() {}

    public static Level of(Class<?> type) {
        Level level = new Level();
        level.add(type, "");
        return level;
    }

    private void add(Class<?> type, String from) {
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigKey key = component.getAnnotation(ConfigKey.class);
            Section section = component.getAnnotation(Section.class);
            if (key != null) {
                KeySpec spec = KeySpec.of(component, key, from);
                if (keys.put(spec.name(), spec) != null) {
                    throw new IllegalStateException(type + " has " + spec.name() + " twice");
                }
            } else if (section != null && section.inline()) {
                add(component.getType(), section.from());
            } else if (section != null) {
                sections.put(
                        component.getName(), new Child(of(recordType(component)), component.getType() == List.class));
            } else if (component.getAnnotation(OpenSections.class) != null) {
                open.add(component.getName());
            } else if (component.getAnnotation(Place.class) == null) {
                throw new IllegalStateException(type + "." + component.getName() + " is neither key nor section");
            }
        }
    }

    /** The record class of a section, whether it is repeated or not. */
    public static Class<?> recordType(RecordComponent component) {
        return component.getType() == List.class
                ? (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
                : component.getType();
    }

    /** By name, in the order of the file. */
    public Map<String, KeySpec> keys() {
        return keys;
    }

    /** By name, in the order of the file. */
    public Map<String, Child> sections() {
        return sections;
    }

    /** The names of {@link OpenSections}. */
    public Set<String> open() {
        return open;
    }

    /** The paths of all keys at this level and in its sections; a repeated section counts once. */
    public List<String> paths() {
        List<String> paths = new ArrayList<>();
        collect("", paths, new LinkedHashSet<>());
        return paths;
    }

    /** The paths of all sections at and below this level. */
    public Set<String> sectionPaths() {
        Set<String> found = new LinkedHashSet<>();
        collect("", new ArrayList<>(), found);
        return found;
    }

    private void collect(String place, List<String> keysFound, Set<String> sectionsFound) {
        keys.keySet().forEach(name -> keysFound.add(place + name));
        open.forEach(name -> sectionsFound.add(place + name));
        sections.forEach((name, child) -> {
            sectionsFound.add(place + name);
            child.level().collect(place + name + ".", keysFound, sectionsFound);
        });
    }
}
