package io.godwit.broker.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ByConnectionsTest {
    private static final ConnectingClient CLIENT = client(5);

    private final ByConnections balancer = new ByConnections(20, 10, new Random(17)::nextDouble);

    private static ConnectingClient client(int level) {
        ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "10.0.0.1:1", level);
        return new ConnectingClient(info, true, List.of());
    }

    private static NodeLoads loads(long own, NodeLoad... others) {
        return new NodeLoads(new NodeLoad("a", "a:1", own), Stream.of(others).toList());
    }

    private static NodeLoad other(String id, long connections) {
        return new NodeLoad(id, id + ":1", connections);
    }

    private Placement place(NodeLoads loads) {
        return balancer.place(CLIENT, loads).getNow(null);
    }

    @Test
    void aNodeThatIsAloneServesAll() {
        assertThat(place(loads(1_000_000))).isEqualTo(Placement.HERE);
    }

    @Test
    void uptoTheBoundNobodyIsSentAway() {
        assertThat(place(loads(120, other("b", 80))))
                .as("the node is 20 % above the mean of 100")
                .isEqualTo(Placement.HERE);
        assertThat(place(loads(121, other("b", 79)))).isEqualTo(new Placement.UseAnother("b:1"));
        assertThat(place(loads(50, other("b", 500)))).isEqualTo(Placement.HERE);
    }

    @Test
    void withFewConnectionsNobodyIsSentAway() {
        assertThat(place(loads(9, other("b", 0)))).isEqualTo(Placement.HERE);
        assertThat(place(loads(10, other("b", 0)))).isEqualTo(new Placement.UseAnother("b:1"));
    }

    @Test
    void nobodyIsSentWhereNoReferenceIsKnownOrWhereTheMeanIsReached() {
        NodeLoad nameless = new NodeLoad("b", "", 0);
        assertThat(place(loads(500, nameless))).isEqualTo(Placement.HERE);
        for (int i = 0; i < 200; i++) {
            assertThat(place(loads(900, nameless, other("c", 600), other("d", 10))))
                    .isEqualTo(new Placement.UseAnother("d:1"));
        }
    }

    /**
     * Each client connects where the balancer of one of three nodes sends it, with figures that are 300 clients old.
     */
    @Test
    void manyClientsAtOneNodeEndUpEvenlyAndNobodyGoesToAndFro() {
        Map<String, Integer> connections = new HashMap<>(Map.of("a", 3_000, "b", 0, "c", 1_000));
        Map<String, Integer> known = Map.copyOf(connections);
        for (int i = 0; i < 6_000; i++) {
            if (i % 300 == 0) {
                known = Map.copyOf(connections);
            }
            String node = "a";
            for (int hops = 0; ; hops++) {
                assertThat(hops).isLessThan(4);
                String next = next(node, connections.get(node), known);
                if (next.equals(node)) {
                    break;
                }
                node = next;
            }
            connections.merge(node, 1, Integer::sum);
        }
        double mean = 10_000 / 3.0;
        assertThat(connections.values())
                .allSatisfy(each -> assertThat((double) each).isBetween(mean * 0.75, mean * 1.25));
    }

    private String next(String node, int own, Map<String, Integer> known) {
        NodeLoad[] others = known.entrySet().stream()
                .filter(each -> !each.getKey().equals(node))
                .map(each -> other(each.getKey(), each.getValue()))
                .toArray(NodeLoad[]::new);
        return place(loads(own, others)) instanceof Placement.UseAnother another
                ? another.serverReference().substring(0, 1)
                : node;
    }

    @Test
    void olderClientsAreAskedForWhereTheyAreRefusedOnly() {
        CompletableFuture<Placement> away = CompletableFuture.completedFuture(new Placement.UseAnother("b:1"));
        Placements lenient = new Placements((client, nodes) -> away, false, () -> loads(1));
        Placements strict = new Placements((client, nodes) -> away, true, () -> loads(1));
        assertThat(lenient.place(client(4))).isCompletedWithValue(Placement.HERE);
        assertThat(lenient.place(client(5))).isSameAs(away);
        assertThat(strict.place(client(4))).isSameAs(away);
    }
}
