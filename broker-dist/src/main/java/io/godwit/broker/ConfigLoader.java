package io.godwit.broker;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * Reads the configuration file and the system properties. All errors are found in one pass. Works on YAML nodes rather than on
 * constructed objects: each value stays the text that was written (no {@code 8899} read as a sexagesimal number) and keeps its line.
 */
final class ConfigLoader {
    private final Map<String, Object> values = new HashMap<>();
    private final List<String> errors = new ArrayList<>();
    private final Map<String, Setting<?>> fileSettings =
            FileSettings.ALL.stream().collect(Collectors.toMap(Setting::key, setting -> setting));
    private final Set<String> sections = new HashSet<>();

    private ConfigLoader() {
        for (String key : fileSettings.keySet()) {
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                sections.add(key.substring(0, dot));
            }
        }
    }

    /**
     * @param properties the JVM's system properties; those without one of our prefixes are ignored
     */
    static BrokerConfig load(Path file, Map<String, String> properties) throws ConfigException {
        ConfigLoader loader = new ConfigLoader();
        loader.readFile(file);
        loader.readProperties(properties);
        if (!loader.errors.isEmpty()) {
            throw new ConfigException(loader.errors);
        }
        return BrokerConfig.of(loader.values);
    }

    private void readFile(Path file) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Node root = new Yaml(new LoaderOptions()).compose(reader);
            if (root instanceof MappingNode mapping) {
                readMapping("", mapping);
            } else if (root != null
                    && !(root instanceof ScalarNode scalar && scalar.getValue().isEmpty())) {
                errors.add(file + ": must be a mapping of keys to values");
            }
        } catch (NoSuchFileException e) {
            errors.add(file + ": no such configuration file");
        } catch (YAMLException e) {
            errors.add(
                    file + ": not valid YAML: " + String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " "));
        } catch (IOException e) {
            errors.add(file + ": cannot be read: " + e);
        }
    }

    private void readMapping(String path, MappingNode mapping) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            Node keyNode = tuple.getKeyNode();
            String at = " (line " + (keyNode.getStartMark().getLine() + 1) + ")";
            if (!(keyNode instanceof ScalarNode keyScalar)) {
                errors.add(path + ": a key must be a plain word" + at);
                continue;
            }
            String key = path.isEmpty() ? keyScalar.getValue() : path + "." + keyScalar.getValue();
            if (!seen.add(key)) {
                errors.add(key + ": given twice" + at);
            } else {
                readValue(key, tuple.getValueNode(), at);
            }
        }
    }

    private void readValue(String key, Node node, String at) {
        Setting<?> setting = fileSettings.get(key);
        if (setting != null) {
            if (node instanceof ScalarNode scalar) {
                parse(setting, scalar.getValue(), at);
            } else {
                errors.add(key + ": must be a single value" + at);
            }
        } else if (!sections.contains(key)) {
            errors.add(key + ": unknown key" + at + ", the nearest valid one is " + nearest(key, node));
        } else if (node instanceof MappingNode mapping) {
            readMapping(key, mapping);
        } else if (!(node instanceof ScalarNode scalar && isNothing(scalar.getValue()))) {
            errors.add(key + ": must hold keys, not a value" + at);
        }
    }

    private String nearest(String key, Node node) {
        return NearestKey.of(key, node instanceof MappingNode ? sections : fileSettings.keySet());
    }

    private void readProperties(Map<String, String> properties) {
        Map<String, Setting<?>> known =
                PropertySettings.ALL.stream().collect(Collectors.toMap(Setting::key, setting -> setting));
        for (String name : new TreeSet<>(properties.keySet())) {
            Setting<?> setting = known.get(name);
            String value = properties.get(name);
            if (setting != null && value != null) {
                parse(setting, value, " (system property)");
            } else if (PropertySettings.PREFIXES.stream().anyMatch(name::startsWith)) {
                errors.add(name + ": unknown system property, the nearest valid one is "
                        + NearestKey.of(name, known.keySet()));
            }
        }
    }

    /** An empty value leaves the default, so that a template with blanks is accepted. */
    private void parse(Setting<?> setting, String text, String at) {
        String stripped = text.strip();
        if (isNothing(stripped)) {
            return;
        }
        try {
            values.put(setting.key(), setting.parser().apply(stripped));
        } catch (IllegalArgumentException e) {
            errors.add(setting.key() + ": " + e.getMessage() + ", was \"" + stripped + "\"" + at);
        }
    }

    private static boolean isNothing(String text) {
        return text.isEmpty() || text.equals("~") || text.equals("null");
    }
}
