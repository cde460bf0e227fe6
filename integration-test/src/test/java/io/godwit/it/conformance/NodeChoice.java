package io.godwit.it.conformance;

import java.util.HashMap;
import java.util.Map;

/**
 * To which node each connection of one test goes. No client goes to the node where it was last: its session is resumed
 * elsewhere. Among the others it goes to one that has the fewest open connections of this test, in turn: publisher and
 * subscriber are on different nodes. Used by the thread of the test.
 */
final class NodeChoice {
    private final int[] open;
    private final Map<String, Integer> last = new HashMap<>();
    private int turn;

    /** @param turn the node that comes first */
    NodeChoice(int nodes, int turn) {
        this.open = new int[nodes];
        this.turn = turn;
    }

    /**
     * The node for a new connection, which counts as open from now on.
     *
     * @param clientId empty for a client without a name, or before its CONNECT
     */
    int next(String clientId) {
        int before = open.length == 1 || clientId.isEmpty() ? -1 : last.getOrDefault(clientId, -1);
        int chosen = -1;
        for (int i = 0; i < open.length; i++) {
            int node = (turn + i) % open.length;
            if (node != before && (chosen < 0 || open[node] < open[chosen])) {
                chosen = node;
            }
        }
        turn = chosen + 1;
        open[chosen]++;
        last.put(clientId, chosen);
        return chosen;
    }

    /** A connection to this node is closed. */
    void closed(int node) {
        open[node]--;
    }
}
