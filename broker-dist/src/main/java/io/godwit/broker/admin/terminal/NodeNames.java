package io.godwit.broker.admin.terminal;

import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.util.List;
import java.util.stream.Collectors;

/** Names of nodes for operators: the first letters of the store id, as many as tell them apart, or the RPC address. */
public final class NodeNames {
    private static final int SHORTEST = 8;

    private final List<Named> nodes;
    private final int length;

    /**
     * A node.
     *
     * @param rpc its RPC address; empty if it has none
     */
    public record Named(String storeId, String rpc) {}

    public NodeNames(List<Named> nodes) {
        this.nodes = List.copyOf(nodes);
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

    /** The short name, for people. */
    public String shortOf(String storeId) {
        return cut(storeId, length);
    }

    public String shortOf(List<String> storeIds) {
        return storeIds.stream().map(this::shortOf).collect(Collectors.joining(","));
    }

    /** The store id of the only node that {@code name} refers to. */
    public String resolve(String name) throws AdminException {
        List<Named> meant = nodes.stream()
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
