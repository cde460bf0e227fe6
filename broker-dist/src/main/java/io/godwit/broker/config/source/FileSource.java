package io.godwit.broker.config.source;

import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.KeySpec;
import io.godwit.broker.config.key.Level;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads the YAML file. Works on YAML nodes instead of constructed objects, so that each value stays the written text
 * (no {@code 8899} read as a sexagesimal number) and keeps its line. Finds all mistakes in one pass.
 */
public final class FileSource {
    private final Level root;
    private final Values values;
    private final Substitution substitution;
    private final UnaryOperator<String> foreign;
    private boolean hasForeign;

    /** @param foreign the message for a key that other brokers have; empty for any other key */
    public FileSource(Level root, Values values, Map<String, String> environment, UnaryOperator<String> foreign) {
        this.root = root;
        this.values = values;
        this.substitution = new Substitution(environment);
        this.foreign = foreign;
    }

    /** Limits the search for the nearest key: to the file, or to one of several sections of a kind. */
    private record Scope(Level level, String place) {
        String nearest(String path, Node node) {
            Set<String> sections = level.sectionPaths();
            Set<String> candidates = new HashSet<>();
            if (!(node instanceof ScalarNode)) {
                candidates.addAll(sections);
            }
            if (!(node instanceof MappingNode) || sections.isEmpty()) {
                candidates.addAll(level.paths());
            }
            return place + NearestKey.of(path.substring(place.length()), candidates);
        }
    }

    public void read(Path file) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Node node = new Yaml(new LoaderOptions()).compose(reader);
            if (node instanceof MappingNode mapping) {
                readMapping(new Scope(root, ""), root, "", mapping);
                if (hasForeign) {
                    values.error(file + ": has keys of BifroMQ; \"bin/godwit-admin config import --from bifromq\" makes"
                            + " a file of it that this broker reads");
                }
            } else if (node != null && !YamlNodes.isNothing(node)) {
                values.error(file + ": must be a mapping of keys to values");
            }
        } catch (NoSuchFileException e) {
            values.error(file + ": no such configuration file");
        } catch (YAMLException e) {
            // a message of several lines, which show the place
            values.error(file + ": not valid YAML:\n"
                    + String.valueOf(e.getMessage()).stripTrailing());
        } catch (IOException e) {
            values.error(file + ": cannot be read: " + e);
        }
    }

    /** @param place empty, or ends with a dot */
    private void readMapping(Scope scope, Level level, String place, MappingNode mapping) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
                String where = place.isEmpty() ? "the file" : place.substring(0, place.length() - 1);
                values.error(where, "a key must be a plain word" + YamlNodes.at(tuple.getKeyNode()));
            } else if (!seen.add(keyNode.getValue())) {
                values.error(place + keyNode.getValue(), "given twice" + YamlNodes.at(keyNode));
            } else {
                readEntry(scope, level, place, keyNode, tuple.getValueNode());
            }
        }
    }

    private void readEntry(Scope scope, Level level, String place, ScalarNode keyNode, Node node) {
        String name = keyNode.getValue();
        String path = place + name;
        KeySpec spec = level.keys().get(name);
        Level.Child child = level.sections().get(name);
        if (spec != null) {
            readValue(spec, path, node, YamlNodes.line(keyNode));
        } else if (level.open().contains(name)) {
            new OpenSectionReader(values, this::substituted).readAll(path, node);
        } else if (child == null) {
            unknown(scope, path, keyNode, node);
        } else if (child.isRepeated()) {
            readRepeated(child.level(), path, node, YamlNodes.at(keyNode));
        } else if (node instanceof MappingNode mapping) {
            readMapping(scope, child.level(), path + ".", mapping);
        } else if (!YamlNodes.isNothing(node)) {
            values.error(path, "must hold keys, not a value" + YamlNodes.at(keyNode));
        }
    }

    private void unknown(Scope scope, String path, Node keyNode, Node node) {
        String known = foreign.apply(path);
        hasForeign |= !known.isEmpty();
        values.error(
                path,
                "unknown key" + YamlNodes.at(keyNode) + ", "
                        + (known.isEmpty() ? "the nearest valid one is " + scope.nearest(path, node) : known));
    }

    /** Reads one mapping, or a list of mappings. */
    private void readRepeated(Level level, String path, Node node, String at) {
        if (node instanceof MappingNode mapping) {
            readInstance(level, path, path, mapping);
        } else if (node instanceof SequenceNode sequence) {
            int index = 0;
            for (Node item : sequence.getValue()) {
                String instance = path + "[" + index++ + "]";
                if (item instanceof MappingNode mapping) {
                    readInstance(level, path, instance, mapping);
                } else {
                    values.error(instance, "must hold keys" + YamlNodes.at(item));
                }
            }
        } else if (!YamlNodes.isNothing(node)) {
            values.error(path, "must hold keys, or be a list of such" + at);
        }
    }

    private void readInstance(Level level, String path, String instance, MappingNode mapping) {
        values.addInstance(path, instance);
        readMapping(new Scope(level, instance + "."), level, instance + ".", mapping);
    }

    private void readValue(KeySpec spec, String path, Node node, String origin) {
        if (node instanceof ScalarNode scalar) {
            put(spec, path, scalar.getValue(), origin);
        } else if (spec.isList()
                && node instanceof SequenceNode sequence
                && sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
            put(
                    spec,
                    path,
                    sequence.getValue().stream()
                            .map(item -> ((ScalarNode) item).getValue())
                            .collect(Collectors.joining("\n")),
                    origin);
        } else {
            values.error(
                    path, "must be a single value" + (spec.isList() ? " or a list of them" : "") + " (" + origin + ")");
        }
    }

    private void put(KeySpec spec, String path, String text, String origin) {
        Given given = substituted(path, text, origin, spec.key().secret());
        if (given != null) {
            values.put(path, given);
        }
    }

    /** The value with its variables substituted; null after an error, which is reported. */
    private @Nullable Given substituted(String path, String text, String origin, boolean isSecret) {
        if (!Substitution.hasVariables(text)) {
            return new Given(text.strip(), origin);
        }
        try {
            // text beside a variable, or its default, may contain the secret
            String written = isSecret ? "with variables" : text.strip();
            return new Given(substitution.apply(text).strip(), origin + ", " + written);
        } catch (IllegalArgumentException e) {
            values.error(path, e.getMessage() + " (" + origin + ")");
            return null;
        }
    }
}
