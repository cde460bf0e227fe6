package io.godwit.broker.conversion;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** The values of a YAML file by path. Bounded in depth and number; an alias counts each time it is used. */
final class FlatYaml {
    private static final int MAX_DEPTH = 20;
    private static final int MAX_NODES = 10_000;

    /** @param items the items of a list, or a single value; empty for no value */
    record Value(int line, List<String> items) {
        String text() {
            return items.isEmpty() ? "" : items.get(0);
        }
    }

    private record Open(String path, Node node, int line, int depth) {}

    private final Path file;
    private final Map<String, Value> values = new LinkedHashMap<>();

    private FlatYaml(Path file) {
        this.file = file;
    }

    /** @throws ConversionException if the file is no mapping, or larger than a configuration file */
    static Map<String, Value> read(Path file, String text) throws ConversionException {
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(MAX_DEPTH);
        options.setMaxAliasesForCollections(MAX_DEPTH);
        Node root;
        try {
            root = new Yaml(options).compose(new StringReader(text));
        } catch (YAMLException e) {
            throw new ConversionException(
                    file + ": not valid YAML: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
        if (root == null) {
            return Map.of();
        }
        if (!(root instanceof MappingNode)) {
            throw new ConversionException(file + ": must be a mapping of keys to values");
        }
        FlatYaml flat = new FlatYaml(file);
        flat.walk(root);
        return flat.values;
    }

    private void walk(Node root) throws ConversionException {
        Deque<Open> open = new ArrayDeque<>();
        open.push(new Open("", root, 1, 0));
        int count = 0;
        while (!open.isEmpty()) {
            Open next = open.pop();
            if (++count > MAX_NODES || next.depth() > MAX_DEPTH) {
                throw new ConversionException(
                        file + ": has more than " + MAX_NODES + " values, or more than " + MAX_DEPTH + " levels");
            }
            if (next.node() instanceof MappingNode mapping) {
                List<NodeTuple> tuples = mapping.getValue();
                for (int i = tuples.size() - 1; i >= 0; i--) { // so that the first is on top
                    open.push(child(next, tuples.get(i)));
                }
            } else {
                values.put(next.path(), new Value(next.line(), items(next)));
            }
        }
    }

    private Open child(Open at, NodeTuple tuple) throws ConversionException {
        int line = tuple.getKeyNode().getStartMark().getLine() + 1;
        if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
            throw new ConversionException(file + ": line " + line + ": a key must be a plain word");
        }
        String path = at.path().isEmpty() ? key.getValue() : at.path() + "." + key.getValue();
        return new Open(path, tuple.getValueNode(), line, at.depth() + 1);
    }

    private List<String> items(Open at) throws ConversionException {
        if (at.node() instanceof ScalarNode scalar) {
            String text = scalar.getValue().strip();
            return text.isEmpty() || text.equals("~") || text.equals("null") ? List.of() : List.of(text);
        }
        List<String> items = new ArrayList<>();
        if (at.node() instanceof SequenceNode sequence) {
            for (Node each : sequence.getValue()) {
                if (items.size() == MAX_NODES) {
                    throw new ConversionException(file + ": has a list of more than " + MAX_NODES + " values");
                }
                items.add(each instanceof ScalarNode scalar ? scalar.getValue() : "...");
            }
        }
        return items;
    }
}
