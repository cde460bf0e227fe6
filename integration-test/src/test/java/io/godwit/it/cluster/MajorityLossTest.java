package io.godwit.it.cluster;

import static io.godwit.it.cluster.NodeClients.PATIENCE;
import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static io.godwit.it.cluster.NodeClients.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two of three packaged brokers die. The third one acknowledges nothing, says so to its clients, and serves again when
 * the others are back.
 */
@Tag("full")
@Timeout(240)
class MajorityLossTest extends ClusterFixture {
    private static final int SERVER_UNAVAILABLE = 0x88;
    private static final int SERVER_UNAVAILABLE_V4 = 3;
    private static final int SERVER_SHUTTING_DOWN = 0x8B;
    private static final int REFUSED = 0x80;
    private static final Duration RECOVERY = Duration.ofSeconds(90);

    @BeforeAll
    @Timeout(180)
    static void start() throws Exception {
        cluster = new BrokerCluster(directory, 3);
        cluster.start();
        for (String store : List.of("dist", "inbox", "retain")) {
            cluster.awaitVoters(0, store, 1, 3);
        }
    }

    @Test
    void withoutAMajorityANodeRefusesInWordsAndServesAgainByItself() throws Exception {
        TestClient kept = clients.persistent(0, "kept", 5);
        TestClient publisher = clients.persistent(0, "publisher", 5);
        TestClient older = clients.persistent(0, "older", 4);
        // offline: what a connected client has acknowledged need not be stored
        TestClient away = clients.persistent(0, "away", 5);
        assertThat(away.subscribe("away/#", 1)).isEqualTo(1);
        away.disconnect();
        publish(publisher, "away/before", "before", 1);

        cluster.node(1).kill();
        cluster.node(2).kill();
        CompletableFuture<Packet.@Nullable Ack> unsure = publisher.publish("away/unsure", "unsure", 1);
        CompletableFuture<Packet.@Nullable Ack> unsureOlder = older.publish("away/older", "older", 1);
        assertThat(subscribed(kept)).as("SUBACK without a majority").isGreaterThanOrEqualTo(REFUSED);
        Await.until(
                "clients are disconnected", PATIENCE, () -> !kept.isOpen() && !publisher.isOpen() && !older.isOpen());
        assertThat(kept.lastDisconnectCode()).isEqualTo(SERVER_SHUTTING_DOWN);
        boolean isRefused = isRefused(unsure); // 5.0 has a code for it; an older client only loses its connection
        assertThat(isRefused(unsureOlder)).isFalse();

        Await.until("CONNECTs are refused in words", PATIENCE, () -> connack(5) == SERVER_UNAVAILABLE);
        for (int i = 0; i < 5; i++) {
            assertThat(connack(5)).isEqualTo(SERVER_UNAVAILABLE);
            assertThat(connack(4)).isEqualTo(SERVER_UNAVAILABLE_V4);
        }

        cluster.node(1).launch();
        cluster.node(2).launch();
        Await.until("node 0 serves again", RECOVERY, () -> connack(5) == 0);
        for (TestClient client : List.of(away, publisher, older)) { // they send again what is not acknowledged
            clients.resume(client, 0);
        }
        if (isRefused) {
            publish(publisher, "away/unsure", "unsure", 1);
        }
        publish(publisher, "away/after", "after", 1);
        Set<String> missing = new HashSet<>(Set.of("before", "unsure", "older", "after"));
        while (!missing.isEmpty()) {
            missing.remove(text(next(away, "each of " + missing)));
        }
        if (!isRefused) {
            assertThat(NodeClients.code(unsure, "away/unsure")).isZero();
        }
        assertThat(NodeClients.code(unsureOlder, "away/older")).isZero();
    }

    /** The code of SUBACK; 0x80 if the connection ends instead. */
    private static int subscribed(TestClient client) {
        try {
            return client.subscribe("more", 1);
        } catch (IOException e) {
            return REFUSED;
        }
    }

    /** Whether the message was refused; false while it is not answered. Fails if it was acknowledged. */
    private static boolean isRefused(CompletableFuture<Packet.@Nullable Ack> ack) throws Exception {
        if (!ack.isDone()) {
            return false;
        }
        assertThat(NodeClients.code(ack, "a message without a majority")).isGreaterThanOrEqualTo(REFUSED);
        return true;
    }

    /** The code of a CONNACK for a new client. */
    private int connack(int version) throws IOException {
        try (TestClient client =
                new TestClient(clients.config(0, "new-" + version, version).withCleanSession())) {
            return client.connect().code();
        }
    }
}
