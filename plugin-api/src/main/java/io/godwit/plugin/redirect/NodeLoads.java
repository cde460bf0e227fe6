package io.godwit.plugin.redirect;

import java.util.List;

/**
 * The nodes that serve clients.
 *
 * @param self the node that asks, as it is now
 * @param others all other nodes that have reported within the last five seconds, ordered by id
 */
public record NodeLoads(NodeLoad self, List<NodeLoad> others) {
    public NodeLoads {
        others = List.copyOf(others);
    }
}
