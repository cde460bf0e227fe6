package io.godwit.it.cluster;

import static io.godwit.it.cluster.NodeClients.next;
import static io.godwit.it.cluster.NodeClients.publish;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.TestClient;
import io.godwit.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events, traces and lists of the slowest and busiest of three packaged brokers, asked for at one of them. */
@Tag("full")
@Timeout(120)
class WatchOverNodesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int NODES = 3;

    @TempDir
    private static Path directory;

    private static BrokerCluster cluster;
    private static String address = "";

    private NodeClients clients;

    /** A stream of server-sent events that is read by a thread of its own. */
    private static final class Stream implements AutoCloseable {
        private static final HttpClient CLIENT = HttpClient.newHttpClient();

        /** Closed by another thread than the one that reads, which does not keep it waiting. */
        private final InputStream body;

        private final Queue<JsonObject> told = new ConcurrentLinkedQueue<>();

        Stream(String path) throws IOException, InterruptedException {
            HttpResponse<InputStream> response = CLIENT.send(
                    HttpRequest.newBuilder(URI.create(address + path)).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            body = response.body();
            BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
            Thread reader = new Thread(() -> read(lines), "stream");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(BufferedReader lines) {
            String name = "";
            try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("event: ")) {
                        name = line.substring("event: ".length());
                    } else if (line.startsWith("data: ")) {
                        JsonObject data = JsonParser.parseString(line.substring("data: ".length()))
                                .getAsJsonObject();
                        data.addProperty("event", name);
                        told.add(data);
                    }
                }
            } catch (IOException | UncheckedIOException e) {
                // the test has closed it
            }
        }

        void await(String what, Predicate<JsonObject> wanted) {
            Await.until(
                    () -> what + " among " + told, PATIENCE, () -> told.stream().anyMatch(wanted));
        }

        /** Until all nodes are watched. */
        void awaitNodes() {
            for (int i = 0; i < NODES; i++) {
                String id = cluster.id(i);
                await("node " + id, each -> has(each, "event", "node") && has(each, "node", id));
            }
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    private static boolean has(JsonObject object, String name, String value) {
        JsonElement member = object.get(name);
        return member != null && member.getAsString().equals(value);
    }

    private static Predicate<JsonObject> entry(String type, String clientId, int node) {
        String id = cluster.id(node);
        return each -> has(each, "type", type) && has(each, "clientId", clientId) && has(each, "node", id);
    }

    private static JsonArray items(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(address + path).toURL().openConnection();
        try (InputStreamReader in = new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
            JsonObject answer = JsonParser.parseReader(in).getAsJsonObject();
            assertThat(answer.getAsJsonArray("missingNodes")).isEmpty();
            return answer.getAsJsonArray("items");
        }
    }

    @BeforeAll
    @Timeout(300)
    static void start() throws Exception {
        cluster = new BrokerCluster(directory, NODES);
        for (BrokerProcess node : cluster.nodes()) {
            int port = Ports.free().getPort();
            node.setting("apiServerConfig", "{port: " + port + ", checkAnswers: true}");
            if (address.isEmpty()) {
                address = "http://127.0.0.1:" + port;
            }
        }
        cluster.start();
    }

    @AfterAll
    static void end() throws Exception {
        cluster.close();
    }

    @BeforeEach
    void begin() {
        clients = new NodeClients(cluster);
    }

    @AfterEach
    void endClients() throws Exception {
        clients.close();
    }

    @Test
    void eventsOfOtherNodesAreSeen() throws Exception {
        try (Stream events = new Stream("/api/v1/events?type=client-connected,client-disconnected&tenant=default")) {
            events.awaitNodes();
            TestClient far = clients.clean(2, "far", 5);
            events.await("it connects", entry("client-connected", "far", 2));
            far.disconnect();
            events.await("it leaves", entry("client-disconnected", "far", 2));
        }
    }

    /** The publisher, the subscriber and the persistent subscriber are on three nodes. */
    @Test
    void aTraceFollowsATopicThroughAllNodes() throws Exception {
        TestClient publisher = clients.clean(0, "trace-out", 5);
        TestClient live = clients.clean(1, "trace-live", 5);
        TestClient stored = clients.persistent(2, "trace-stored", 5);
        try (Stream trace = new Stream("/api/v1/trace?topic=trace%2F%2B&seconds=120")) {
            trace.awaitNodes();
            assertThat(live.subscribe("trace/1", 1)).isEqualTo(1);
            assertThat(stored.subscribe("trace/1", 1)).isEqualTo(1);
            publish(publisher, "trace/1", "x", 1);
            next(live, "trace/1");
            next(stored, "trace/1");
            trace.await("the subscription", entry("subscribed", "trace-live", 1));
            trace.await("the publish", entry("published", "trace-out", 0));
            trace.await("its outcome", entry("distributed", "trace-out", 0));
            trace.await("the live receiver", entry("matched", "trace-live", 1));
            trace.await("the stored receiver", entry("matched", "trace-stored", 0));
            trace.await("its queue", entry("stored", "trace-stored", 0).and(each -> has(each, "outcome", "stored")));
            for (String type : List.of("sent", "acknowledged")) {
                trace.await(type, entry(type, "trace-live", 1));
                trace.await(type, entry(type, "trace-stored", 2));
            }
            publish0(publisher, "trace/nobody/x");
            publish0(publisher, "trace/9");
            trace.await(
                    "why not",
                    each -> has(each, "topic", "trace/9") && has(each, "outcome", "no-matching-subscribers"));
            assertThat(trace.told).noneMatch(each -> has(each, "topic", "trace/nobody/x"));
        }
    }

    private static void publish0(TestClient publisher, String topic) throws Exception {
        publisher.publish(topic, "x", 0).get();
        publisher.flush();
    }

    @Test
    void theSlowestAndTheBusiestAreNamed() throws Exception {
        List<Runnable> unanswered = new ArrayList<>();
        TestClient slow = clients.connected(clients.config(1, "top-slow", 5)
                .withCleanSession()
                .withReceiveMaximum(5)
                .withAcks(acknowledge -> {
                    synchronized (unanswered) {
                        unanswered.add(acknowledge);
                    }
                }));
        TestClient quick = clients.clean(2, "top-quick", 5);
        TestClient publisher = clients.clean(0, "top-out", 5);
        slow.subscribe("top/slow", 1);
        quick.subscribe("top/busy", 1);
        publish(publisher, "top/slow", "x", 1);
        for (int i = 0; i < 50; i++) {
            publish(publisher, "top/busy", "x".repeat(100), 1);
        }
        next(slow, "top/slow");
        Await.until("the slow one is first and the quick one behind it", () -> {
            JsonArray items = items("/api/v1/top/slow-subscribers?limit=5");
            JsonObject first = items.isEmpty() ? new JsonObject() : items.get(0).getAsJsonObject();
            return has(first, "clientId", "top-slow")
                    && has(first, "node", cluster.id(1))
                    && first.get("pendingMillis").getAsLong() > 300;
        });
        JsonObject topic = items("/api/v1/top/topics?limit=1").get(0).getAsJsonObject();
        assertThat(topic.get("topic").getAsString()).isEqualTo("top/busy");
        assertThat(topic.get("messages").getAsLong()).isBetween(20L, 50L); // a minute may have ended in between
        JsonObject client = items("/api/v1/top/clients?limit=1").get(0).getAsJsonObject();
        assertThat(client.get("clientId").getAsString()).isEqualTo("top-out");
        assertThat(items("/api/v1/top/clients?by=bytes&limit=2"))
                .extracting(each -> each.getAsJsonObject().get("clientId").getAsString())
                .containsExactlyInAnyOrder("top-out", "top-quick");
    }
}
