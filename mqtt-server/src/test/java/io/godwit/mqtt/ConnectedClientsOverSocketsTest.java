package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientQuery;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operators' view of connected clients, and their actions on them, over real sockets. */
class ConnectedClientsOverSocketsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private static ClientKey key(String clientId) {
        return new ClientKey(TenantId.DEFAULT, new ClientId(clientId));
    }

    private List<ConnectedClient> all() {
        long until = System.nanoTime() + PATIENCE.toNanos();
        return node.server
                .clients()
                .page(new ClientQuery(ClientCriteria.ALL, null, 100, until), ForkJoinPool.commonPool())
                .orTimeout(10, TimeUnit.SECONDS)
                .join()
                .entries();
    }

    private ConnectedClient find(String clientId) {
        return node.server
                .clients()
                .find(key(clientId))
                .orTimeout(10, TimeUnit.SECONDS)
                .join()
                .orElseThrow();
    }

    private boolean disconnect(String clientId, ReasonCode code) {
        return node.server
                .clients()
                .disconnect(key(clientId), code)
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    private static WillPacket will(String topic) {
        return new WillPacket(
                topic, "gone".getBytes(StandardCharsets.UTF_8), Qos.AT_MOST_ONCE, false, MessageProperties.NONE, 0);
    }

    @Test
    void clientsOfAllVersionsAreListedWithWhatTheyAgreedOn() {
        long begun = System.currentTimeMillis();
        List<TestClient> clients = new ArrayList<>();
        for (int level = 3; level <= 5; level++) {
            TestClient client = new TestClient(node.address, level);
            client.connect(new Connect(level, true, 10 * level, "v" + level, "user" + level, null, null));
            clients.add(client);
        }
        clients.add(TestClient.persistent(node.address, 5, "kept"));
        assertThat(all()).extracting(c -> c.info().clientId().value()).containsExactly("kept", "v3", "v4", "v5");
        ConnectedClient three = find("v3");
        assertThat(three.info().protocolLevel()).isEqualTo(3);
        assertThat(three.info().userName()).isEqualTo("user3");
        assertThat(three.info().remoteAddress()).startsWith("127.0.0.1:");
        assertThat(three.listener()).startsWith("tcp 127.0.0.1:");
        assertThat(three.keepAliveSeconds()).isEqualTo(30);
        assertThat(three.cleanStart()).isTrue();
        assertThat(three.sessionExpirySeconds()).isZero();
        assertThat(three.connectedAtMillis()).isBetween(begun, System.currentTimeMillis());
        ConnectedClient kept = find("kept");
        assertThat(kept.cleanStart()).isFalse();
        assertThat(kept.sessionExpirySeconds()).isEqualTo(3600);
        clients.forEach(TestClient::close);
        Await.until("nobody is listed", PATIENCE, () -> all().isEmpty());
    }

    @Test
    void whatIsUnderWayIsCounted() {
        for (boolean isPersistent : List.of(false, true)) {
            String id = isPersistent ? "kept" : "clean";
            try (TestClient subscriber = isPersistent
                            ? TestClient.persistent(node.address, 5, id)
                            : TestClient.clean(node.address, 5, id);
                    TestClient publisher = TestClient.clean(node.address, 5, "publisher")) {
                subscriber.subscribe(1, id + "/#", Qos.AT_LEAST_ONCE);
                subscriber.subscribe(2, id + "/1", Qos.AT_LEAST_ONCE);
                publisher.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, id + "/1", "x"));
                publisher.send(TestClient.publish(2, Qos.EXACTLY_ONCE, false, id + "/1", "y"));
                subscriber.receive(Publish.class);
                subscriber.receive(Publish.class);
                Await.until("both are under way", PATIENCE, () -> find(id).inflightOut() == 2);
                assertThat(find(id).subscriptions()).isEqualTo(2);
                assertThat(find(id).queued()).isZero();
                Await.until(
                        "QoS 2 is not released",
                        PATIENCE,
                        () -> find("publisher").inflightIn() == 1);
            }
            Await.until("nobody is listed", PATIENCE, () -> all().isEmpty());
        }
    }

    @Test
    void messagesBeyondTheWindowOfTheClientAreQueued() {
        try (TestClient subscriber = new TestClient(node.address, 5);
                TestClient publisher = TestClient.clean(node.address, 5, "publisher")) {
            subscriber.connect(
                    new Connect(5, true, 0, "c", null, null, null, -1, 2, -1, -1, false, true, List.of(), null, null));
            subscriber.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            for (int i = 1; i <= 5; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "a", "x"));
            }
            Await.until("three wait", PATIENCE, () -> find("c").queued() == 3);
            assertThat(find("c").inflightOut()).isEqualTo(2);
        }
    }

    /** Its will goes out: only the client itself discards it [MQTT5-3.1.2-8]. */
    @Test
    void aClientOfVersion5IsToldWhyItGoesAndItsWillIsPublished() {
        try (TestClient other = TestClient.clean(node.address, 5, "other");
                TestClient client = new TestClient(node.address, 5)) {
            client.connect(new Connect(5, true, 0, "c", null, null, will("wills/c")));
            assertThat(disconnect("c", ReasonCode.ADMINISTRATIVE_ACTION)).isTrue();
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
            assertThat(client.isClosedByServer()).isTrue();
            awaitWills("wills/c");
            Await.until("the other one stays", PATIENCE, () -> all().size() == 1);
            assertThat(other.isSilent()).isTrue();
            assertThat(disconnect("c", ReasonCode.ADMINISTRATIVE_ACTION)).isFalse();
        }
    }

    private void awaitWills(String... topics) {
        Await.until(
                "wills at " + List.of(topics),
                PATIENCE,
                () -> node.inbox.wills().stream().map(Message::topic).toList().equals(List.of(topics)));
    }

    /** Even a normal end by the server: only a DISCONNECT of the client discards the will [MQTT5-3.14.4-3]. */
    @Test
    void aNormalEndByTheServerPublishesTheWillToo() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(new Connect(5, true, 0, "c", null, null, will("wills/c")));
            assertThat(disconnect("c", ReasonCode.SUCCESS)).isTrue();
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            awaitWills("wills/c");
        }
    }

    @ParameterizedTest
    @CsvSource({"3, ADMINISTRATIVE_ACTION", "4, ADMINISTRATIVE_ACTION", "3, SUCCESS", "4, SUCCESS"})
    void anEarlierClientIsClosedWithoutAWordWhateverTheReason(int level, ReasonCode code) {
        try (TestClient client = new TestClient(node.address, level)) {
            client.connect(new Connect(level, true, 0, "c", null, null, will("wills/c")));
            assertThat(disconnect("c", code)).isTrue();
            assertThat(client.isClosedByServer()).isTrue();
            awaitWills("wills/c");
        }
    }

    @Test
    void aSessionThatLastsIsThereForTheNextConnection() {
        try (TestClient client = TestClient.persistent(node.address, 5, "kept")) {
            client.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            assertThat(disconnect("kept", ReasonCode.ADMINISTRATIVE_ACTION)).isTrue();
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
        }
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(TestClient.persistent(5, "kept")).sessionPresent())
                    .isTrue();
            assertThat(find("kept").subscriptions()).isOne();
        }
    }

    @Test
    void afterATakeoverTheNewConnectionIsListed() {
        try (TestClient earlier = TestClient.clean(node.address, 5, "c");
                TestClient next = TestClient.persistent(node.address, 5, "c")) {
            assertThat(earlier.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
            assertThat(all())
                    .singleElement()
                    .satisfies(c -> assertThat(c.sessionExpirySeconds()).isEqualTo(3600));
            assertThat(disconnect("c", ReasonCode.ADMINISTRATIVE_ACTION)).isTrue();
            assertThat(next.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
        }
    }
}
