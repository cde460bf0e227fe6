package io.godwit.perf.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlacementTest {
    private static List<Integer> of(Placement placement, ClientRole role, int clients, int brokers) {
        return IntStream.range(0, clients)
                .map(i -> placement.brokerOf(role, i, brokers))
                .boxed()
                .toList();
    }

    @Test
    void acrossEachMessageOfAPairGoesToAnotherBroker() {
        assertThat(of(Placement.ACROSS, ClientRole.PUBLISHER, 7, 3)).containsExactly(0, 1, 2, 0, 1, 2, 0);
        assertThat(of(Placement.ACROSS, ClientRole.SUBSCRIBER, 7, 3)).containsExactly(1, 2, 0, 1, 2, 0, 1);
        assertThat(of(Placement.ACROSS, ClientRole.BACKGROUND, 4, 3)).containsExactly(0, 1, 2, 0);
    }

    @Test
    void atRandomAllBrokersHaveClientsAndSomePairsStayOnOne() {
        List<Integer> publishers = of(Placement.RANDOM, ClientRole.PUBLISHER, 3_000, 3);
        List<Integer> subscribers = of(Placement.RANDOM, ClientRole.SUBSCRIBER, 3_000, 3);

        for (int broker = 0; broker < 3; broker++) {
            int number = broker;
            assertThat(publishers.stream().filter(each -> each == number).count())
                    .isBetween(900L, 1_100L);
        }
        assertThat(IntStream.range(0, 3_000)
                        .filter(i -> publishers.get(i).equals(subscribers.get(i)))
                        .count())
                .isBetween(900L, 1_100L);
        assertThat(of(Placement.RANDOM, ClientRole.PUBLISHER, 3_000, 3))
                .as("the placement is the same in every run")
                .isEqualTo(publishers);
    }

    @Test
    void apartPublishersAreOnTheFirstAndSubscribersOnTheSecond() {
        assertThat(of(Placement.APART, ClientRole.PUBLISHER, 5, 3)).containsOnly(0);
        assertThat(of(Placement.APART, ClientRole.SUBSCRIBER, 5, 3)).containsOnly(1);
    }

    @ParameterizedTest
    @EnumSource(Placement.class)
    void oneBrokerHasAllClients(Placement placement) {
        for (ClientRole role : ClientRole.values()) {
            assertThat(of(placement, role, 20, 1)).containsOnly(0);
        }
    }

    @Test
    void overWebSocketBrokersAreTakenInTurn() {
        List<Endpoint> brokers = Endpoint.parseAll("ws://a,ws://b", 1_883);

        assertThatThrownBy(() -> ClientSettings.plain(brokers, Placement.RANDOM))
                .hasMessageContaining("over WebSocket clients take brokers in turn");
    }
}
