package io.godwit.it.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.RawConnection;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a cluster's nodes for one test, which ends them all with it, and what they expect. Used by one thread at a
 * time.
 */
public final class NodeClients implements AutoCloseable {
    /** For what happens within milliseconds, on a machine that is busy with other tests. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);
    /** How long to look out for what must not come. */
    public static final Duration QUIET = Duration.ofMillis(400);

    private final BrokerCluster cluster;
    private final List<Closeable> open = new ArrayList<>();

    public NodeClients(BrokerCluster cluster) {
        this.cluster = cluster;
    }

    /** A persistent one, not connected. */
    public ClientConfig config(int node, String id, int version) {
        return ClientConfig.of(cluster.node(node).address(), id, version);
    }

    /** Connected, with a session that ends with the connection. */
    public TestClient clean(int node, String id, int version) throws IOException {
        return connected(config(node, id, version).withCleanSession());
    }

    /** Connected, with a session that is stored. */
    public TestClient persistent(int node, String id, int version) throws IOException {
        return connected(config(node, id, version));
    }

    public TestClient connected(ClientConfig config) throws IOException {
        TestClient client = unconnected(config);
        assertThat(client.connect().code())
                .as("CONNACK of %s", config.clientId())
                .isZero();
        return client;
    }

    public TestClient unconnected(ClientConfig config) {
        TestClient client = new TestClient(config);
        open.add(client::close);
        return client;
    }

    /** The client goes to another node, where its session is. */
    public void resume(TestClient client, int node) throws IOException {
        client.moveTo(cluster.node(node).address());
        Packet.Connack reply = client.connect();
        assertThat(reply.code()).as("CONNACK on node %s", node).isZero();
        assertThat(reply.sessionPresent())
                .as("session present on node %s", node)
                .isTrue();
    }

    /** A connection of a 5.0 client with a stored session, on which the test sends and reads each packet. */
    public RawConnection raw(int node, String id, boolean sessionPresent) throws IOException {
        RawConnection connection = new RawConnection(cluster.node(node).address(), 5);
        open.add(connection::close);
        connection.send(
                new Packet.Connect(5, id, false, 300, Properties.NONE.with(Properties.SESSION_EXPIRY, 86_400), null));
        Packet.Connack reply = read(connection, Packet.Connack.class);
        assertThat(reply.code()).as("CONNACK on node %s", node).isZero();
        assertThat(reply.sessionPresent())
                .as("session present on node %s", node)
                .isEqualTo(sessionPresent);
        return connection;
    }

    public static <T extends Packet> T read(RawConnection connection, Class<T> type) throws IOException {
        Packet packet = connection.read();
        assertThat(packet).isInstanceOf(type);
        return type.cast(packet);
    }

    /** Publishes, and fails unless it is acknowledged as reaching somebody. */
    public static void publish(TestClient publisher, String topic, String text, int qos) throws Exception {
        assertAcknowledged(publisher.publish(topic, text, qos), topic);
    }

    public static void retain(TestClient publisher, String topic, String text) throws Exception {
        CompletableFuture<Packet.@Nullable Ack> ack =
                publisher.publish(topic, text.getBytes(UTF_8), 1, true, Properties.NONE);
        publisher.flush();
        assertThat(code(ack, topic)).as(topic).isLessThan(0x80); // perhaps nobody subscribes to it
    }

    public static void assertAcknowledged(CompletableFuture<Packet.@Nullable Ack> ack, String topic) throws Exception {
        assertThat(code(ack, topic)).as("acknowledgement of %s", topic).isZero();
    }

    /** The reason code of the acknowledgement; 0 for QoS 0. */
    public static int code(CompletableFuture<Packet.@Nullable Ack> ack, String topic) throws Exception {
        Packet.@Nullable Ack reply;
        try {
            reply = ack.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(topic + " is not acknowledged", e);
        }
        return reply == null ? 0 : reply.code();
    }

    public static Packet.Publish next(TestClient subscriber, String what) throws InterruptedException {
        return Objects.requireNonNull(subscriber.next(PATIENCE), () -> subscriber.clientId() + " is not given " + what);
    }

    public static void assertNothingMore(TestClient subscriber) throws InterruptedException {
        Packet.Publish more = subscriber.next(QUIET);
        assertThat(more)
                .as("%s is given also %s", subscriber.clientId(), more == null ? "" : more.topic())
                .isNull();
    }

    public static String text(Packet.Publish message) {
        return new String(message.payload(), UTF_8);
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }
}
