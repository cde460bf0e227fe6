package io.godwit.broker.config.source;

import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.key.OpenSections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads {@link OpenSections}: sections with keys, whose values are texts, lists of texts, or further keys. Aliases may
 * put a node in many places, or into itself, so depth and number are bounded. For one thread.
 */
final class OpenSectionReader {
    private static final int MAX_DEPTH = 6;
    private static final int MAX_VALUES = 1_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$.-]{1,128}");

    private final Values values;
    private final Texts texts;
    private int count;

    /** Substitutes variables in the written text. */
    interface Texts {
        /** Null after an error, which was reported. */
        @Nullable
        Given of(String path, String text, String origin, boolean isSecret);
    }

    OpenSectionReader(Values values, Texts texts) {
        this.values = values;
        this.texts = texts;
    }

    /** @param path of the {@link OpenSections} */
    void readAll(String path, Node node) {
        if (!(node instanceof MappingNode mapping)) {
            if (!YamlNodes.isNothing(node)) {
                values.error(path, "must hold names with keys, not a value" + YamlNodes.at(node));
            }
            return;
        }
        each(path, mapping, (name, value) -> {
            String section = path + "." + name;
            Map<String, Given> found = new LinkedHashMap<>();
            if (value instanceof MappingNode keys) {
                read(section, "", keys, found, 1);
            } else if (!YamlNodes.isNothing(value)) {
                values.error(section, "must hold keys, not a value" + YamlNodes.at(value));
            }
            values.putOpen(path, name, new OpenSection(section, found));
        });
    }

    private void read(String section, String place, MappingNode mapping, Map<String, Given> found, int depth) {
        each(section + (place.isEmpty() ? "" : "." + place.substring(0, place.length() - 1)), mapping, (name, node) -> {
            String path = section + "." + place + name;
            if (node instanceof MappingNode deeper) {
                if (depth == MAX_DEPTH) {
                    values.error(path, "is too deep" + YamlNodes.at(node));
                } else {
                    read(section, place + name + ".", deeper, found, depth + 1);
                }
            } else if (node instanceof ScalarNode scalar) {
                put(path, place + name, scalar.getValue(), node, found);
            } else if (node instanceof SequenceNode sequence
                    && sequence.getValue().size() <= MAX_VALUES
                    && sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
                String items = sequence.getValue().stream()
                        .map(item -> ((ScalarNode) item).getValue())
                        .collect(Collectors.joining("\n"));
                put(path, place + name, items, node, found);
            } else {
                values.error(
                        path,
                        "must be a value, a list of at most " + MAX_VALUES + " values, or hold keys"
                                + YamlNodes.at(node));
            }
        });
    }

    private void put(String path, String key, String text, Node node, Map<String, Given> found) {
        Given given = texts.of(path, text, YamlNodes.line(node), true);
        if (given != null && !Values.isNothing(given.text()) && found.put(key, given) != null) {
            values.error(path, "given twice" + YamlNodes.at(node)); // a name with a dot can equal a nested path
        }
    }

    private interface Entry {
        void read(String name, Node value);
    }

    private void each(String where, MappingNode mapping, Entry entry) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (++count > MAX_VALUES) {
                if (count == MAX_VALUES + 1) {
                    values.error(where, "there are more than " + MAX_VALUES + " keys");
                }
                return;
            }
            if (!(tuple.getKeyNode() instanceof ScalarNode key)
                    || !NAME.matcher(key.getValue()).matches()) {
                values.error(
                        where,
                        "a key must be a word of letters, digits, '-', '_', '$' and '.'"
                                + YamlNodes.at(tuple.getKeyNode()));
            } else if (!seen.add(key.getValue())) {
                values.error(where + "." + key.getValue(), "given twice" + YamlNodes.at(key));
            } else {
                entry.read(key.getValue(), tuple.getValueNode());
            }
        }
    }
}
