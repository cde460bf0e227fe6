package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that lose their broker, as seen by servers that act as the nodes. */
class ReconnectTest {
    private static final int CLIENTS = 60;

    private final FakeNodes nodes;

    ReconnectTest() throws Exception {
        nodes = new FakeNodes(3);
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    private Reconnect clients() throws Exception {
        Scenario scenario = Scenario.named("reconnect", Family.FREE, Topology.CONNECTIONS)
                .subscribers(CLIENTS)
                .qos(1)
                .build();
        LoadSettings settings = new LoadSettings(
                Duration.ZERO, Duration.ofSeconds(1), Duration.ZERO, 1, 10, 10, 2, false, Duration.ZERO);
        return new Reconnect(scenario, settings, nodes.settings(1), nodes.settings(0, 2));
    }

    private static List<String> roles(List<String> clientIds) {
        return clientIds.stream()
                .map(id -> id.substring(id.lastIndexOf('-') + 1))
                .toList();
    }

    private static String[] subscribers(int parity) {
        return IntStream.range(0, CLIENTS)
                .filter(i -> i % 2 == parity)
                .mapToObj(i -> "s" + i)
                .toArray(String[]::new);
    }

    @Test
    void whoLosesItsBrokerIsServedByTheOthersInTurn() throws Exception {
        try (Reconnect clients = clients()) {
            clients.open();
            assertThat(nodes.served(1)).hasSize(CLIENTS).doesNotHaveDuplicates();
            clients.losing();
            nodes.die(1);

            Reconnect.Outage outage = clients.awaitAllBack(Await.PATIENCE);

            assertThat(roles(nodes.served(0))).containsExactlyInAnyOrder(subscribers(1));
            assertThat(roles(nodes.served(2))).containsExactlyInAnyOrder(subscribers(0));
            assertThat(outage.refused()).isZero();
            assertThat(outage.firstSeconds()).isPositive().isLessThanOrEqualTo(outage.medianSeconds());
            assertThat(outage.medianSeconds()).isLessThanOrEqualTo(outage.lastSeconds());
        }
    }

    /** Includes the pause before the next attempt, in which clients are without service as well. */
    @Test
    void whoIsRefusedTriesAgainAndTheLastCounts() throws Exception {
        try (Reconnect clients = clients()) {
            clients.open();
            nodes.refusals.set(5);
            clients.losing();
            nodes.die(1);

            Reconnect.Outage outage = clients.awaitAllBack(Await.PATIENCE);

            assertThat(outage.refused()).isEqualTo(5);
            assertThat(outage.lastSeconds()).isGreaterThanOrEqualTo(0.1);
            assertThat(nodes.served(0).size() + nodes.served(2).size()).isEqualTo(CLIENTS);
        }
    }

    @Test
    void aSubscriptionThatIsRefusedIsNoService() throws Exception {
        try (Reconnect clients = clients()) {
            clients.open();
            nodes.refused = filter -> filter.endsWith("/7");
            clients.losing();
            nodes.die(1);

            assertThatThrownBy(() -> clients.awaitAllBack(Duration.ofSeconds(2)))
                    .isInstanceOf(LoadFailedException.class)
                    .hasMessageContaining("of 60 clients 60 have lost their broker and 59 are served again after 2 s");
        }
    }

    @Test
    void clientsThatCannotConnectAtFirstEndTheLoad() throws Exception {
        nodes.refusals.set(1);
        try (Reconnect clients = clients()) {
            assertThatThrownBy(clients::open)
                    .isInstanceOf(LoadFailedException.class)
                    .hasMessageContaining("clients cannot connect");
        }
    }

    /** Otherwise the time would not count from the loss. */
    @Test
    void aBrokerThatIsLostBeforeItIsToBeEndsTheLoad() throws Exception {
        try (Reconnect clients = clients()) {
            clients.open();
            nodes.die(1);

            Await.until("a client has noticed", () -> !roles(nodes.served(0)).isEmpty());
            assertThatThrownBy(clients::losing)
                    .isInstanceOf(LoadFailedException.class)
                    .hasMessageContaining("a client lost its broker too early");
        }
    }
}
