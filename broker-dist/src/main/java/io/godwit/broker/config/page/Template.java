package io.godwit.broker.config.page;

import io.godwit.broker.config.Binder;
import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.KeySpec;
import io.godwit.broker.config.key.Level;
import io.godwit.broker.config.key.OpenSections;
import io.godwit.broker.config.key.Section;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes the shipped configuration file: every key with its text and its default. A section that was explained before
 * is written without texts.
 */
public final class Template {
    private final List<String> lines = new ArrayList<>();
    private final Set<Class<?>> explained = new HashSet<>();
    /** The number of lines at the begin of the current section. */
    private int openedAt;

    private Template() {}

    /**
     * The whole file.
     *
     * @param header text for the beginning
     * @param fileType the record of the file
     * @param propertyType the record of the system properties, which come last
     */
    public static String of(String header, Class<? extends Record> fileType, Class<? extends Record> propertyType) {
        Template template = new Template();
        template.lines.addAll(Prose.lines(header, "# "));
        template.record(fileType, "");
        template.properties(propertyType);
        return String.join("\n", template.lines) + "\n";
    }

    private void record(Class<?> type, String indent) {
        boolean isNew = explained.add(type);
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigKey key = component.getAnnotation(ConfigKey.class);
            Section section = component.getAnnotation(Section.class);
            if (key != null) {
                key(KeySpec.of(component, key, ""), isNew, indent);
            } else if (section != null && section.listed()) {
                section(component, section, isNew, indent);
            } else if (component.getAnnotation(OpenSections.class) != null) {
                comment(component.getAnnotation(OpenSections.class).text(), indent);
                lines.add(indent + component.getName() + ":");
            }
        }
    }

    private void key(KeySpec spec, boolean isExplained, String indent) {
        if (isExplained) {
            comment(spec.key().text(), indent);
        }
        String shipped =
                spec.key().shipped().isEmpty() ? spec.key().value() : spec.key().shipped();
        boolean isEmpty = shipped.isEmpty() || !spec.from().isEmpty();
        lines.add(indent + spec.name() + ":" + (isEmpty ? "" : " " + (spec.isList() ? "[" + shipped + "]" : shipped)));
    }

    private void section(RecordComponent component, Section section, boolean isExplained, String indent) {
        if (isExplained || !section.inline()) {
            comment(section.text(), indent);
        }
        if (!section.inline()) {
            if (section.text().isEmpty()) {
                blank();
            }
            lines.add(indent + component.getName() + ":");
            openedAt = lines.size();
            record(Level.recordType(component), indent + "  ");
        } else if (section.from().isEmpty()) {
            record(component.getType(), indent);
        } else {
            Binder.level(component.getType()).keys().keySet().forEach(name -> lines.add(indent + name + ":"));
        }
    }

    private void properties(Class<?> type) {
        lines.add("");
        lines.add("# System properties (JVM_OPTS=\"-Dname=value ...\"), with their defaults:");
        Binder.level(type).keys().forEach((name, spec) -> {
            lines.add("#   " + name + "=" + spec.key().value());
            lines.addAll(Prose.lines(spec.key().text(), "#       "));
        });
    }

    private void comment(String text, String indent) {
        if (!text.isEmpty()) {
            blank();
            lines.addAll(Prose.lines(text, indent + "# "));
        }
    }

    /** Adds an empty line between keys, but not below the name of a section. */
    private void blank() {
        if (lines.size() != openedAt) {
            lines.add("");
        }
    }
}
