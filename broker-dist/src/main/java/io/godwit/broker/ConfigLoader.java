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
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads the configuration file and the system properties. All errors are found in one pass. Works on YAML nodes rather
 * than on constructed objects: each value stays the text that was written (no {@code 8899} read as a sexagesimal
 * number) and keeps its line.
 */
final class ConfigLoader {
    private static final Map<String, ListenerKind> LISTENERS =
            Stream.of(ListenerKind.values()).collect(Collectors.toMap(ListenerKind::path, kind -> kind));

    private final List<String> errors = new ArrayList<>();
    private final Keys fileKeys = new Keys("", FileSettings.ALL, LISTENERS.keySet());
    private final List<ListenerSection> listeners = new ArrayList<>();
    private final Set<ListenerSection> flawed = new HashSet<>();

    private ConfigLoader() {}

    /**
     * @param properties the JVM's system properties; those without one of our prefixes are ignored
     */
    static BrokerConfig load(Path file, Map<String, String> properties) throws ConfigException {
        ConfigLoader loader = new ConfigLoader();
        loader.readFile(file);
        loader.readProperties(properties);
        Path directory = file.toAbsolutePath().resolveSibling("");
        BrokerConfig config = BrokerConfig.of(loader.fileKeys.values, loader.listeners, directory);
        loader.errors.addAll(ListenerCheck.errors(config, loader.flawed));
        loader.errors.addAll(AuthProviders.errors(config));
        loader.errors.addAll(ClusterSettings.errors(config));
        if (!loader.errors.isEmpty()) {
            throw new ConfigException(loader.errors);
        }
        return config;
    }

    private void readFile(Path file) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Node root = new Yaml(new LoaderOptions()).compose(reader);
            if (root instanceof MappingNode mapping) {
                readMapping(fileKeys, "", mapping);
            } else if (root != null
                    && !(root instanceof ScalarNode scalar && scalar.getValue().isEmpty())) {
                errors.add(file + ": must be a mapping of keys to values");
            }
        } catch (NoSuchFileException e) {
            errors.add(file + ": no such configuration file");
        } catch (YAMLException e) {
            // of several lines, which show the place
            errors.add(file + ": not valid YAML:\n"
                    + String.valueOf(e.getMessage()).stripTrailing());
        } catch (IOException e) {
            errors.add(file + ": cannot be read: " + e);
        }
    }

    /** @param path of the mapping, relative to the place of {@code keys} */
    private void readMapping(Keys keys, String path, MappingNode mapping) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            Node keyNode = tuple.getKeyNode();
            if (!(keyNode instanceof ScalarNode keyScalar)) {
                errors.add(keys.shown(path) + ": a key must be a plain word" + line(keyNode));
                continue;
            }
            String key = path.isEmpty() ? keyScalar.getValue() : path + "." + keyScalar.getValue();
            if (!seen.add(key)) {
                errors.add(keys.shown(key) + ": given twice" + line(keyNode));
            } else {
                readValue(keys, key, tuple.getValueNode(), line(keyNode));
            }
        }
    }

    private void readValue(Keys keys, String key, Node node, String at) {
        Setting<?> setting = keys.settings.get(key);
        ListenerKind kind = keys == fileKeys ? LISTENERS.get(key) : null;
        String shown = keys.shown(key);
        if (setting != null) {
            readSetting(keys, setting, node, at);
        } else if (kind != null) {
            readListeners(kind, shown, node, at);
        } else if (!keys.sections.contains(key)) {
            errors.add(shown + ": unknown key" + at + ", the nearest valid one is " + keys.nearest(key, node));
        } else if (node instanceof MappingNode mapping) {
            readMapping(keys, key, mapping);
        } else if (!isNothing(node)) {
            errors.add(shown + ": must hold keys, not a value" + at);
        }
    }

    private void readSetting(Keys keys, Setting<?> setting, Node node, String at) {
        if (node instanceof ScalarNode scalar) {
            parse(setting, scalar.getValue(), at, keys);
        } else if (setting.isList()
                && node instanceof SequenceNode sequence
                && sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
            String items = sequence.getValue().stream()
                    .map(item -> ((ScalarNode) item).getValue())
                    .collect(Collectors.joining("\n"));
            parse(setting, items, at, keys);
        } else {
            errors.add(keys.shown(setting.key()) + ": must be a single value"
                    + (setting.isList() ? " or a list of them" : "") + at);
        }
    }

    /** One mapping, or a list of them. */
    private void readListeners(ListenerKind kind, String path, Node node, String at) {
        if (node instanceof MappingNode mapping) {
            readListener(kind, path, mapping);
        } else if (node instanceof SequenceNode sequence) {
            int index = 0;
            for (Node item : sequence.getValue()) {
                String itemPath = path + "[" + index++ + "]";
                if (item instanceof MappingNode mapping) {
                    readListener(kind, itemPath, mapping);
                } else {
                    errors.add(itemPath + ": must hold keys" + line(item));
                }
            }
        } else if (!isNothing(node)) {
            errors.add(path + ": must hold keys, or be a list of such" + at);
        }
    }

    private void readListener(ListenerKind kind, String path, MappingNode mapping) {
        int errorsBefore = errors.size();
        Keys keys = new Keys(path + ".", kind.settings(), Set.of());
        readMapping(keys, "", mapping);
        ListenerSection section = new ListenerSection(kind, path, keys.values);
        listeners.add(section);
        if (errors.size() > errorsBefore) {
            flawed.add(section);
        }
    }

    private void readProperties(Map<String, String> properties) {
        Keys keys = new Keys("", PropertySettings.ALL, Set.of());
        for (String name : new TreeSet<>(properties.keySet())) {
            Setting<?> setting = keys.settings.get(name);
            String value = properties.get(name);
            if (setting != null && value != null) {
                parse(setting, value, " (system property)", fileKeys);
            } else if (PropertySettings.PREFIXES.stream().anyMatch(name::startsWith)) {
                errors.add(name + ": unknown system property, the nearest valid one is "
                        + NearestKey.of(name, keys.settings.keySet()));
            }
        }
    }

    /** An empty value leaves the default, so that a template with blanks is accepted. */
    private void parse(Setting<?> setting, String text, String at, Keys keys) {
        String stripped = text.strip();
        if (isNothing(stripped)) {
            return;
        }
        try {
            keys.values.put(setting.key(), setting.parser().apply(stripped));
        } catch (IllegalArgumentException e) {
            errors.add(keys.shown(setting.key()) + ": " + e.getMessage() + ", was \"" + stripped + "\"" + at);
        }
    }

    private static String line(Node node) {
        return " (line " + (node.getStartMark().getLine() + 1) + ")";
    }

    private static boolean isNothing(Node node) {
        return node instanceof ScalarNode scalar && isNothing(scalar.getValue());
    }

    private static boolean isNothing(String text) {
        return text.isEmpty() || text.equals("~") || text.equals("null");
    }

    /** The keys that are valid at one place of the file, and the values read there. */
    private static final class Keys {
        private final String place;
        private final Map<String, Setting<?>> settings;
        private final Set<String> sections;
        private final Map<String, Object> values = new HashMap<>();

        /**
         * @param place what stands before its keys in messages: empty, or ends with a dot
         * @param more sections beside those that the settings stand in
         */
        Keys(String place, List<Setting<?>> settings, Set<String> more) {
            this.place = place;
            this.settings = settings.stream().collect(Collectors.toMap(Setting::key, Function.identity()));
            this.sections = new HashSet<>(more);
            for (String key : Stream.concat(this.settings.keySet().stream(), more.stream())
                    .toList()) {
                for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                    sections.add(key.substring(0, dot));
                }
            }
        }

        String shown(String key) {
            return place + key;
        }

        String nearest(String key, Node node) {
            Set<String> candidates = new HashSet<>();
            if (!(node instanceof ScalarNode)) {
                candidates.addAll(sections);
            }
            if (!(node instanceof MappingNode) || sections.isEmpty()) {
                candidates.addAll(settings.keySet());
            }
            return shown(NearestKey.of(key, candidates));
        }
    }
}
