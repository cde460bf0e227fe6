package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.figure.NodeFigures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FigureSumsTest {
    private static NodeFigures node(String id, Map<String, Number> figures) {
        return new NodeFigures(id, id, "Running", figures);
    }

    @Test
    void whatEachNodeHasOfItsOwnIsAddedUp() {
        Map<String, Number> sums = FigureSums.of(
                List.of(
                        node("a", Map.of("connections.count", 3L, "connections.max", 9L, "messages.publish", 10L)),
                        node("b", Map.of("connections.count", 4L, "connections.max", 5L, "messages.publish", 1L))),
                2);
        assertThat(sums)
                .containsEntry("connections.count", 7L)
                .containsEntry("connections.max", 14L)
                .containsEntry("messages.publish", 11L);
    }

    @Test
    void whatAllNodesKnowIsTakenOnce() {
        Map<String, Number> sums = FigureSums.of(
                List.of(
                        node("a", Map.of("topics.count", 100L, "routes.count", 200L)),
                        node("b", Map.of("topics.count", 99L, "routes.count", 201L))),
                1);
        assertThat(sums).containsEntry("topics.count", 100L).containsEntry("routes.count", 201L);
    }

    /** Every node counts the 50 subscriptions of stored sessions; the others are its own. */
    @Test
    void subscriptionsOfStoredSessionsCountOnce() {
        Map<String, Number> sums = FigureSums.of(
                List.of(
                        node("a", Map.of("subscriptions.count", 60L, "subscriptions_stored.count", 50L)),
                        node("b", Map.of("subscriptions.count", 53L, "subscriptions_stored.count", 50L))),
                1);
        assertThat(sums).containsEntry("subscriptions.count", 63L).containsEntry("subscriptions_stored.count", 50L);
    }

    @Test
    void aRetainedMessageCountsOnceHoweverManyHaveIt() {
        List<NodeFigures> nodes = List.of(
                node("a", Map.of("retained.count", 10L)),
                node("b", Map.of("retained.count", 8L)),
                node("c", Map.of("retained.count", 6L)),
                node("d", Map.of("retained.count", 6L)));
        assertThat(FigureSums.of(nodes, 3)).containsEntry("retained.count", 10L);
        assertThat(FigureSums.of(nodes, 1)).containsEntry("retained.count", 30L);
    }

    @Test
    void ratesStayFractions() {
        assertThat(FigureSums.of(
                        List.of(
                                node("a", Map.of("handshakings_rate.count", 1.25)),
                                node("b", Map.of("handshakings_rate.count", 2.5))),
                        1))
                .containsEntry("handshakings_rate.count", 3.75);
    }

    @Test
    void whatOneNodeLacksIsTheSumOfTheOthers() {
        assertThat(FigureSums.of(
                        List.of(node("a", Map.of("sessions.count", 4L)), node("b", Map.of("topics.count", 1L))), 1))
                .containsEntry("sessions.count", 4L)
                .containsEntry("topics.count", 1L);
    }
}
