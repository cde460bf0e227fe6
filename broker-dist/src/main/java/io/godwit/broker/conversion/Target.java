package io.godwit.broker.conversion;

import io.godwit.broker.config.ConfigSources;
import io.godwit.broker.conversion.Note.Outcome;
import io.godwit.broker.settings.FileConfig;
import io.godwit.broker.settings.SystemProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** The configuration file that is being built, and the notes about it. For one thread. */
final class Target {
    private static final ConfigSources<FileConfig, SystemProperties> SOURCES =
            new ConfigSources<>(FileConfig.class, SystemProperties.class, Set.of(), Set.of());
    /** Keys of a listener that must be valid; otherwise the listener is switched off. */
    private static final Pattern ESSENTIAL = Pattern.compile("(mqttServerConfig\\.\\w+Listener(?:\\[\\d+])?)"
            + "\\.(?:enable|port|host|mountPoint|allowedOrigins|sslConfig\\..*)");

    /** @param note the note about this value; null if it is covered by another note */
    private record Given(Object value, @Nullable Note note) {}

    /** By path; sections of a list have an index: {@code mqttServerConfig.tcpListener[0].port}. */
    private final Map<String, Given> given = new LinkedHashMap<>();

    private final Map<String, String> besides = new LinkedHashMap<>();
    private final List<Note> notes = new ArrayList<>();

    void note(int line, String key, Outcome outcome, String text) {
        notes.add(new Note(line, key, outcome, text));
    }

    /** Sets a key that has the same meaning here. */
    void take(int line, String key, String path, Object value) {
        put(line, key, Outcome.TAKEN, path, value, "");
    }

    /** Sets a key that has another meaning here, which {@code text} explains. */
    void change(int line, String key, String path, Object value, String text) {
        put(line, key, Outcome.CHANGED, path, value, "; " + text);
    }

    private void put(int line, String key, Outcome outcome, String path, Object value, String text) {
        Note note = new Note(line, key, outcome, path + ": " + value + text);
        notes.add(note);
        given.put(path, new Given(value, note));
    }

    /** Sets a key without a note of its own. */
    void set(String path, Object value) {
        given.put(path, new Given(value, null));
    }

    boolean has(String path) {
        return given.containsKey(path);
    }

    @Nullable
    Object get(String path) {
        Given found = given.get(path);
        return found == null ? null : found.value();
    }

    void remove(String path) {
        given.remove(path);
    }

    void leaveOut(int line, String key, String why) {
        note(line, key, Outcome.LEFT_OUT, why);
    }

    /** Adds a file in the same directory that the configuration refers to. */
    void beside(String name, String text) {
        besides.put(name, text);
    }

    /** The file, without invalid values. */
    Converted converted(String header) {
        Map<String, String> wrong = errors();
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            Matcher essential = ESSENTIAL.matcher(each.getKey());
            Given found = given.remove(each.getKey());
            if (essential.matches()) {
                given.put(essential.group(1) + ".enable", new Given(false, null));
            }
            if (found != null && found.note() != null) {
                int index = notes.indexOf(found.note());
                Note was = found.note();
                String off = essential.matches() ? "; the listener is switched off" : "";
                notes.set(index, new Note(was.line(), was.key(), Outcome.LEFT_OUT, each.getValue() + off));
            }
        }
        if (!wrong.isEmpty() && !errors().isEmpty()) {
            throw new IllegalStateException("not valid without what is wrong: " + errors());
        }
        List<Note> sorted = new ArrayList<>(notes);
        sorted.sort(Comparator.comparingInt(Note::line)); // stable: notes of one line keep their order
        return new Converted(header + yaml(), besides, sorted);
    }

    /** The errors in values, by path. */
    private Map<String, String> errors() {
        Map<String, String> errors = new LinkedHashMap<>();
        try {
            Path file = Files.createTempFile("godwit", ".yml");
            try {
                Files.writeString(file, yaml());
                for (String error : SOURCES.load(file, Map.of(), Map.of()).errors()) {
                    String path = given.keySet().stream()
                            .filter(each -> error.startsWith(each + ": "))
                            .findFirst()
                            .orElseThrow(() -> new IllegalStateException(error));
                    errors.put(path, error);
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return errors;
    }

    private String yaml() {
        Map<String, Object> root = new LinkedHashMap<>();
        given.forEach((path, each) -> place(root, path.split("\\."), each.value()));
        if (root.isEmpty()) {
            return "";
        }
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndicatorIndent(2);
        options.setIndentWithIndicator(true);
        options.setWidth(1_000);
        return new Yaml(options).dump(root);
    }

    @SuppressWarnings("unchecked") // created by this method
    private static void place(Map<String, Object> root, String[] names, Object value) {
        Map<String, Object> at = root;
        for (int i = 0; i < names.length - 1; i++) {
            String name = names[i];
            int bracket = name.indexOf('[');
            if (bracket < 0) {
                at = (Map<String, Object>) at.computeIfAbsent(name, key -> new LinkedHashMap<>());
                continue;
            }
            List<Map<String, Object>> list = (List<Map<String, Object>>)
                    at.computeIfAbsent(name.substring(0, bracket), key -> new ArrayList<>());
            int index = Integer.parseInt(name.substring(bracket + 1, name.length() - 1));
            while (list.size() <= index) {
                list.add(new LinkedHashMap<>());
            }
            at = list.get(index);
        }
        at.put(names[names.length - 1], value instanceof String text ? text.replace("${", "$${") : value);
    }

    /** The first lines of the file. */
    static String header(String of) {
        return "# Made of " + of + " by godwit-admin config import, which has shown what became of each line.\n"
                + "# docs/configuration.md has all keys; bin/standalone.sh check shows errors.\n\n";
    }
}
