package io.godwit.broker.config.page;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.KeySpec;
import io.godwit.broker.config.key.Level;
import io.godwit.broker.config.key.OpenSections;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.source.EnvironmentSource;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/** Writes the reference page of all keys in Markdown. */
public final class Reference {
    private final List<String> lines = new ArrayList<>();

    private Reference() {}

    /**
     * The whole page.
     *
     * @param header Markdown for the beginning
     * @param fileType the record of the file
     * @param propertyType the record of the system properties
     */
    public static String of(String header, Class<? extends Record> fileType, Class<? extends Record> propertyType) {
        Reference reference = new Reference();
        reference.lines.addAll(header.stripTrailing().lines().toList());
        reference.record(fileType, "", "");
        reference.heading("System properties");
        reference.paragraph("Given in `JVM_OPTS` as `-Dname=value`.");
        reference.record(propertyType, "", "");
        return String.join("\n", reference.lines) + "\n";
    }

    private void record(Class<?> type, String place, String from) {
        List<RecordComponent> sections = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigKey key = component.getAnnotation(ConfigKey.class);
            Section section = component.getAnnotation(Section.class);
            if (key != null) {
                key(KeySpec.of(component, key, from), component.getType(), place);
            } else if (section != null && section.inline() && section.listed()) {
                paragraph(section.text());
                record(component.getType(), place, section.from());
            } else if (section != null && !section.inline() || component.getAnnotation(OpenSections.class) != null) {
                sections.add(component);
            }
        }
        sections.forEach(component -> section(component, place));
    }

    private void section(RecordComponent component, String place) {
        OpenSections open = component.getAnnotation(OpenSections.class);
        if (open != null) {
            heading("`" + place + component.getName() + "`");
            paragraph(open.text());
            return;
        }
        Section section = component.getAnnotation(Section.class);
        if (!section.listed()) {
            return; // the text of the outer section says where its keys are described
        }
        heading("`" + place + component.getName() + "`");
        paragraph(section.text());
        record(Level.recordType(component), place + component.getName() + ".", "");
    }

    private void key(KeySpec spec, Class<?> type, String place) {
        String path = place + spec.name();
        List<String> facts = new ArrayList<>();
        facts.add(defaultOf(spec));
        String values = spec.values(type);
        if (!values.isEmpty()) {
            facts.add(values);
        }
        if (!spec.key().unit().choices().isEmpty()) {
            facts.add("units " + spec.key().unit().choices());
        }
        facts.add(spec.key().reload() ? "changes while the broker runs" : "needs a restart");
        facts.add("`" + EnvironmentSource.name(path) + "`");
        lines.add("");
        lines.addAll(Prose.lines("**`" + path + "`**: " + String.join("; ", facts) + ".", ""));
        paragraph(
                spec.key().text().isEmpty() ? "See the key before." : spec.key().text());
    }

    private static String defaultOf(KeySpec spec) {
        if (!spec.from().isEmpty()) {
            return "default: the value of `" + spec.from() + "`";
        }
        return spec.key().value().isEmpty()
                ? "empty by default"
                : "default `" + spec.key().value() + "`";
    }

    private void heading(String text) {
        lines.add("");
        lines.add("## " + text);
    }

    /** Indented lines become a code block. */
    private void paragraph(String text) {
        if (text.isEmpty()) {
            return;
        }
        lines.add("");
        boolean wasIndented = false;
        for (String line : Prose.lines(text, "")) {
            boolean isIndented = line.startsWith(" ");
            if (isIndented != wasIndented) {
                lines.add("");
            }
            lines.add(isIndented ? "  " + line : escaped(line));
            wasIndented = isIndented;
        }
    }

    /** Escapes characters with a meaning in Markdown, since the texts are plain. */
    private static String escaped(String line) {
        return line.replace("*", "\\*").replace("<", "&lt;");
    }
}
