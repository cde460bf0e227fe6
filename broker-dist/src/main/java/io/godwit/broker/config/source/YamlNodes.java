package io.godwit.broker.config.source;

import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** Describes nodes of a YAML file. */
final class YamlNodes {
    private YamlNodes() {}

    /** The line of a node, for the end of a message. */
    static String at(Node node) {
        return " (" + line(node) + ")";
    }

    static String line(Node node) {
        return "line " + (node.getStartMark().getLine() + 1);
    }

    /** Whether a node has no value. */
    static boolean isNothing(Node node) {
        return node instanceof ScalarNode scalar && Values.isNothing(scalar.getValue());
    }
}
