package io.godwit.plugin.redirect;

import java.util.List;

/**
 * The nodes that serve clients.
 *
 * @param self the node that is asked, now
 * @param others all other nodes that have said within the last five seconds how they are; in the order of their ids
 */
public record NodeLoads(NodeLoad self, List<NodeLoad> others) {
    public NodeLoads {
        others = List.copyOf(others);
    }
}
