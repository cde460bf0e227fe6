package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What operators call the nodes: by the first letters of their store id, as many as tell them apart, or by their RPC
 * address.
 */
final class NodeNames {
    private static final int SHORTEST = 8;

    private final List<Messages.Node> nodes;
    private final int length;

    NodeNames(Messages.Nodes known) {
        this.nodes = known.nodes();
        int enough = SHORTEST;
        while (areSome(enough) && distinct(enough) < nodes.size()) {
            enough++;
        }
        this.length = enough;
    }

    private boolean areSome(int longerThan) {
        return nodes.stream().anyMatch(node -> node.storeId().length() > longerThan);
    }

    private long distinct(int prefix) {
        return nodes.stream()
                .map(node -> cut(node.storeId(), prefix))
                .distinct()
                .count();
    }

    private static String cut(String text, int length) {
        return text.substring(0, Math.min(text.length(), length));
    }

    /** For people. */
    String shortOf(String storeId) {
        return cut(storeId, length);
    }

    String shortOf(List<String> storeIds) {
        return storeIds.stream().map(this::shortOf).collect(Collectors.joining(","));
    }

    /** The store id of the one node that {@code name} means. */
    String resolve(String name) throws AdminException {
        List<Messages.Node> meant = nodes.stream()
                .filter(node -> node.storeId().startsWith(name) || name.equals(node.rpc()))
                .toList();
        if (meant.size() == 1 && !name.isEmpty()) {
            return meant.get(0).storeId();
        }
        String all = nodes.stream().map(node -> shortOf(node.storeId())).collect(Collectors.joining(", "));
        throw new AdminException(
                Kind.UNKNOWN,
                meant.isEmpty()
                        ? "there is no node \"" + name + "\", only " + all
                        : "\"" + name + "\" may be several nodes, which are " + all);
    }
}
