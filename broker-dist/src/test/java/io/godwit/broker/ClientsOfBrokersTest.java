package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.api.port.client.SessionAdmin;
import io.godwit.api.port.client.SessionView;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.api.port.client.SubscriptionAdmin.Receivers;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers that are a cluster, in one process: an operator asks either for the clients of both. */
@Tag("slow")
@Timeout(120)
class ClientsOfBrokersTest {
    private static final Duration WITHIN = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private record Node(Broker broker, int port) {
        ClientAdmin clients() {
            return broker.clients().orElseThrow();
        }

        SubscriptionAdmin subscriptions() {
            return broker.subscriptions().orElseThrow();
        }

        SessionAdmin sessions() {
            return broker.sessions().orElseThrow();
        }
    }

    private Node node(String name, int member, int seed) throws Exception {
        int port = freePort();
        Path file = Files.writeString(
                directory.resolve(name + ".yml"), """
                bootstrap: %s
                apiServerConfig: {enable: false}
                mqttServerConfig:
                  tcpListener: {host: 127.0.0.1, port: %d}
                clusterConfig:
                  env: test
                  host: 127.0.0.1
                  port: %d
                  rpcPort: %d
                  seedEndpoints: "127.0.0.1:%d"
                """.formatted(member == seed, port, member, freePort(), seed));
        Path data = Files.createDirectories(directory.resolve(name));
        return new Node(new Broker(ConfigLoader.load(file, Map.of()), data, directory.resolve("plugins")), port);
    }

    /** A connected client, of MQTT 5.0, with a clean session. */
    private static Socket connect(int port, String clientId) throws IOException {
        byte[] id = clientId.getBytes(StandardCharsets.US_ASCII);
        return connect(port, id, new byte[] {
            0x10, (byte) (13 + id.length), 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 60, 0, 0, (byte) id.length
        });
    }

    /** A connected client of MQTT 3.1.1, with a session that lasts. */
    private static Socket connectToStay(int port, String clientId) throws IOException {
        byte[] id = clientId.getBytes(StandardCharsets.US_ASCII);
        return connect(port, id, new byte[] {
            0x10, (byte) (12 + id.length), 0, 4, 'M', 'Q', 'T', 'T', 4, 0, 0, 60, 0, (byte) id.length
        });
    }

    private static Socket connect(int port, byte[] id, byte[] head) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(10_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
        socket.getOutputStream().write(head);
        socket.getOutputStream().write(id);
        byte[] connAck = packet(socket.getInputStream());
        assertThat(connAck[0]).isEqualTo((byte) 0x20);
        assertThat(connAck[2]).as("reason code of CONNACK").isZero();
        return socket;
    }

    /** The next packet: its first byte, and the bytes after the length. */
    private static byte[] packet(InputStream in) throws IOException {
        byte[] head = in.readNBytes(2);
        byte[] rest = in.readNBytes(head[1]);
        byte[] all = new byte[1 + rest.length];
        all[0] = head[0];
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    private static <T> T get(CompletableFuture<T> question) throws Exception {
        return question.get(30, TimeUnit.SECONDS);
    }

    private static List<String> list(Node node, int limit) throws Exception {
        List<String> ids = new ArrayList<>();
        ClientReference after = null;
        do {
            ClusterAnswer<Page<ClientView, ClientReference>> page =
                    get(node.clients().clients(ClientFilter.ALL, after, limit, WITHIN));
            assertThat(page.missingNodes()).isEmpty();
            for (ClientView client : page.value().items()) {
                ids.add(client.clientId());
            }
            after = page.value().next();
        } while (after != null);
        return ids;
    }

    @Test
    void eitherNodeListsFindsAndDisconnectsTheClientsOfBoth() throws Exception {
        int seed = freePort();
        Node first = node("first", seed, seed);
        Node second = node("second", freePort(), seed);
        try (Broker ofFirst = first.broker();
                Broker ofSecond = second.broker()) {
            ofFirst.start();
            ofSecond.start();
            List<Socket> sockets = new ArrayList<>();
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(String.format("c%02d", i));
                sockets.add(connect((i % 2 == 0 ? first : second).port(), ids.get(i)));
            }
            for (Node node : List.of(first, second)) {
                assertThat(list(node, 3)).isEqualTo(ids);
                assertThat(list(node, 1_000)).isEqualTo(ids);
            }
            subscriptions(first, second, sockets);
            ClientReference key = new ClientReference("default", "c04");
            ClientView seen = get(second.clients().client(key, WITHIN)).value().orElseThrow();
            assertThat(seen)
                    .isEqualTo(get(first.clients().client(key, WITHIN)).value().orElseThrow());
            assertThat(seen.port()).isEqualTo(sockets.get(4).getLocalPort());
            assertThat(seen.address()).isEqualTo("127.0.0.1");
            ClientView other = get(second.clients().client(new ClientReference("default", "c05"), WITHIN))
                    .value()
                    .orElseThrow();
            assertThat(other.node()).isNotEqualTo(seen.node());

            assertThat(get(second.clients().disconnect(key, 0x98, WITHIN))).isEqualTo(ClusterAnswer.complete(true));
            byte[] disconnect = packet(sockets.get(4).getInputStream());
            assertThat(disconnect[0]).isEqualTo((byte) 0xE0);
            assertThat(disconnect[1]).isEqualTo((byte) 0x98);
            ids.remove("c04");
            Await.until(
                    "it is gone on both nodes",
                    Await.PATIENCE,
                    () -> list(first, 1_000).equals(ids) && list(second, 1_000).equals(ids));
            assertThat(get(second.clients().disconnect(key, 0x98, WITHIN))).isEqualTo(ClusterAnswer.complete(false));
            for (Socket socket : sockets) {
                socket.close();
            }
            storedSessions(first, second);
        }
    }

    /** One client of each node subscribes; both nodes then list both subscriptions. */
    private static void subscriptions(Node first, Node second, List<Socket> sockets) throws Exception {
        byte[] subscribe = {(byte) 0x82, 9, 0, 1, 0, 0, 3, 'a', '/', '+', 1};
        for (int i = 0; i < 2; i++) {
            sockets.get(i).getOutputStream().write(subscribe);
            assertThat(packet(sockets.get(i).getInputStream())[0]).isEqualTo((byte) 0x90);
        }
        for (Node node : List.of(first, second)) {
            for (ClusterAnswer<Receivers> answer : List.of(
                    get(node.subscriptions().receivers("default", "a/b", 10, WITHIN)),
                    get(node.subscriptions().subscribers("default", "a/+", 10, WITHIN)))) {
                assertThat(answer.missingNodes()).isEmpty();
                assertThat(answer.value().total()).isEqualTo(2);
                assertThat(answer.value().items())
                        .extracting(SubscriptionAdmin.Receiver::clientId)
                        .containsExactly("c00", "c01");
                assertThat(answer.value().items())
                        .extracting(SubscriptionAdmin.Receiver::node)
                        .doesNotHaveDuplicates();
            }
            for (String id : List.of("c00", "c01")) {
                ClientReference client = new ClientReference("default", id);
                assertThat(get(node.subscriptions().subscriptions(client, null, 10, WITHIN)))
                        .isEqualTo(ClusterAnswer.complete(Optional.of(new Page<>(
                                List.of(new SubscriptionAdmin.Subscription("a/+", 1, false, false, 0)), null))));
            }
            assertThat(get(node.subscriptions().receivers("default", "b", 10, WITHIN))
                            .value()
                            .total())
                    .isZero();
        }
    }

    /**
     * Both nodes list all stored sessions, no matter which node leads them and which one their clients were connected
     * to.
     */
    private static void storedSessions(Node first, Node second) throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ids.add("kept" + i);
            connectToStay((i % 2 == 0 ? first : second).port(), ids.get(i)).close();
        }
        SessionAdmin.Filter left = new SessionAdmin.Filter(Optional.empty(), Optional.empty(), true, 0);
        for (Node node : List.of(first, second)) {
            Await.until(
                    "all sessions are left",
                    Await.PATIENCE,
                    () -> sessions(node, left, 5).size() == ids.size());
            assertThat(sessions(node, left, 5)).containsExactlyInAnyOrderElementsOf(ids);
        }
        ClientReference key = new ClientReference("default", "kept3");
        SessionView seen = get(first.sessions().session(key, WITHIN)).orElseThrow();
        assertThat(seen.home()).isNotEmpty();
        assertThat(seen).isEqualTo(get(second.sessions().session(key, WITHIN)).orElseThrow());
        assertThat(get(first.sessions().purge(key, WITHIN))).contains(new SessionAdmin.Purged(0, 0));
        assertThat(get(second.sessions().purge(key, WITHIN))).contains(new SessionAdmin.Purged(0, 0));
        assertThat(get(second.subscriptions().subscriptions(key, null, 10, WITHIN))
                        .value()
                        .orElseThrow()
                        .items())
                .isEmpty();
        assertThat(get(first.sessions().delete(key, WITHIN))).isTrue();
        assertThat(get(second.sessions().purge(key, WITHIN))).isEmpty();
        assertThat(get(second.sessions().delete(key, WITHIN))).isFalse();
        assertThat(get(second.sessions().session(key, WITHIN))).isEmpty();
        assertThat(sessions(second, left, 1_000)).hasSize(ids.size() - 1);
    }

    private static List<String> sessions(Node node, SessionAdmin.Filter filter, int limit) throws Exception {
        List<String> ids = new ArrayList<>();
        String cursor = null;
        do {
            SessionAdmin.SessionPage page = get(node.sessions().sessions(filter, cursor, limit, WITHIN));
            page.items().forEach(session -> ids.add(session.clientId()));
            cursor = page.cursor();
        } while (cursor != null);
        return ids;
    }
}
