package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.Placement;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.FunctionCounter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that may connect but are redirected to another server, over real sockets. */
class RedirectTest {
    private static final String OTHER = "other.example:1883";

    private TestNode node;
    private final List<ConnectingClient> asked = new CopyOnWriteArrayList<>();
    private CompletableFuture<Placement> answer = new CompletableFuture<>();

    @BeforeEach
    void open() {
        node = new TestNode();
        node.server.placeClients(client -> {
            asked.add(client);
            return answer;
        });
    }

    @AfterEach
    void close() {
        node.close();
    }

    private ConnAck connect(TestClient client, int level) {
        return client.connect(new Connect(level, true, 0, "c", "ann", new byte[0], null));
    }

    private double redirected(String code) {
        return node.meters.get("godwit.mqtt.clients.redirected").tag("code", code).meters().stream()
                .mapToDouble(each -> ((FunctionCounter) each).count())
                .sum();
    }

    @ParameterizedTest
    @CsvSource({
        "5,false,USE_ANOTHER_SERVER",
        "5,true,SERVER_MOVED",
        "4,false,SERVER_UNAVAILABLE",
        "4,true,SERVER_UNAVAILABLE",
        "3,false,SERVER_UNAVAILABLE"
    })
    void isToldInTheWordsOfTheProtocol(int level, boolean isMoved, ReasonCode code) {
        answer.complete(isMoved ? new Placement.Moved(OTHER) : new Placement.UseAnother(OTHER));
        try (TestClient client = new TestClient(node.address, level)) {
            ConnAck ack = connect(client, level);
            assertThat(ack.reasonCode()).isEqualTo(code);
            assertThat(ack.serverReference()).isEqualTo(level == 5 ? OTHER : null);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(asked).singleElement().satisfies(client -> {
            assertThat(client.client().userName()).isEqualTo("ann");
            assertThat(client.isCleanStart()).isTrue();
            assertThat(client.canBeTold()).isEqualTo(level == 5);
        });
        assertThat(node.events)
                .filteredOn(event -> event instanceof BrokerEvent.ClientRedirected)
                .singleElement()
                .isEqualTo(new BrokerEvent.ClientRedirected(asked.get(0).client(), OTHER, isMoved));
        assertThat(redirected(isMoved ? "server_moved" : "use_another_server")).isEqualTo(1);
        assertThat(redirected(isMoved ? "use_another_server" : "server_moved")).isZero();
        assertThat(node.server.connections()).isZero();
    }

    @Test
    void aFailureLetsTheClientIn() {
        answer.completeExceptionally(new IllegalStateException("no idea"));
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(connect(client, 5).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(node.server.connections()).isEqualTo(1);
        }
    }

    @Test
    void whoIsToBeHereIsServedHere() {
        answer.complete(Placement.HERE);
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(connect(client, 5).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        }
        assertThat(node.events).noneMatch(event -> event instanceof BrokerEvent.ClientRedirected);
    }

    /** The client has left before the answer comes: it is neither let in nor counted. */
    @Test
    void anAnswerForAClientThatHasGoneHasNoEffect() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(new Connect(5, true, 0, "c", "ann", new byte[0], null));
            Await.until("asked", () -> asked.size() == 1);
        }
        Await.until("gone", () -> node.meters.get("godwit.mqtt.sockets").gauge().value() == 0);
        answer.complete(new Placement.UseAnother(OTHER));

        answer = CompletableFuture.completedFuture(Placement.HERE);
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(connect(client, 5).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        }
        assertThat(redirected("use_another_server")).isZero();
        assertThat(node.events).noneMatch(event -> event instanceof BrokerEvent.ClientRedirected);
    }
}
