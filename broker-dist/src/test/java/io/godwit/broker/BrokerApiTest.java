package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.PortHolders;
import io.godwit.broker.check.StartCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API of a whole broker; each answer is compared with the OpenAPI document. */
class BrokerApiTest {
    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    private Broker broker(String api) throws Exception {
        Path file = Files.writeString(
                directory.resolve("standalone.yml"),
                "mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}\napiServerConfig: {" + api + "}\n");
        return new Broker(
                ConfigLoader.load(file, Map.of()),
                Files.createDirectories(directory.resolve("data")),
                directory.resolve("plugins"));
    }

    private static String url(List<String> started) {
        return started.stream()
                .filter(line -> line.startsWith("API on "))
                .map(line -> line.substring("API on ".length()))
                .findFirst()
                .orElseThrow();
    }

    private HttpResponse<String> get(String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonObject json(String url) throws Exception {
        HttpResponse<String> response = get(url);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    @Test
    void aNodeIsSeenThroughIt() throws Exception {
        String url;
        try (Broker broker = broker("port: 0, checkAnswers: true")) {
            url = url(broker.start());
            assertThat(json(url + "/health/live").get("status").getAsString()).isEqualTo("ok");
            assertThat(json(url + "/health/ready").get("reasons").getAsJsonArray())
                    .isEmpty();

            JsonObject node =
                    json(url + "/api/v1/nodes").getAsJsonArray("items").get(0).getAsJsonObject();
            assertThat(node.get("thisNode").getAsBoolean()).isTrue();
            assertThat(node.get("version").getAsString()).isNotEmpty();
            assertThat(node.get("leaders").getAsInt()).isPositive();

            assertThat(json(url + "/api/v1/stores").getAsJsonArray("items"))
                    .extracting(store -> store.getAsJsonObject().get("name").getAsString())
                    .containsExactly("dist", "inbox", "retain");
            assertThat(json(url + "/api/v1/stores").getAsJsonArray("items"))
                    .allSatisfy(store -> assertThat(
                                    store.getAsJsonObject().get("state").getAsString())
                            .isEqualTo("serving"));
            JsonObject range = json(url + "/api/v1/ranges?store=retain")
                    .getAsJsonArray("items")
                    .get(0)
                    .getAsJsonObject();
            assertThat(range.get("leader")).isEqualTo(node.get("id"));
            assertThat(json(url + "/api/v1/log-levels").has("items")).isTrue();

            HttpResponse<String> metrics = get(url + "/metrics");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(metrics.body()).contains("# TYPE godwit_mqtt_connects_total counter");

            JsonObject ofNode = JsonParser.parseString(
                            get(url + "/api/v1/stats").body())
                    .getAsJsonArray()
                    .get(0)
                    .getAsJsonObject();
            assertThat(ofNode.getAsJsonObject("node").get("status").getAsString())
                    .isEqualTo("Running");
            assertThat(ofNode.getAsJsonObject("stats").get("connections.count").getAsInt())
                    .isZero();
            JsonObject sum = json(url + "/api/v1/stats/sum");
            assertThat(sum.getAsJsonObject("nodes").keySet())
                    .containsExactly(node.get("id").getAsString());
            assertThat(sum.getAsJsonObject("stats").has("connections.max")).isTrue();
            assertThat(json(url + "/api/v1/metrics/sum").has("messages.publish"))
                    .isTrue();
            assertThat(json(url + "/api/v1/metrics/" + node.get("id").getAsString())
                            .getAsJsonObject("metrics")
                            .has("client.connected"))
                    .isTrue();
        }
        String closed = url;
        assertThatThrownBy(() -> get(closed + "/health/live")).isInstanceOf(IOException.class);
    }

    private HttpResponse<String> send(String method, String url, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private int delete(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).DELETE().build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    /** Connects with MQTT 3.1.1 and a session that lasts, subscribes with QoS 1, and closes the connection. */
    private static void subscribeAndLeave(int port, String clientId, String filter) throws IOException {
        byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
        byte[] text = filter.getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(new byte[] {
                0x10, (byte) (12 + id.length), 0, 4, 'M', 'Q', 'T', 'T', 4, 0, 0, 60, 0, (byte) id.length
            });
            socket.getOutputStream().write(id);
            assertThat(socket.getInputStream().readNBytes(4)).containsExactly(0x20, 2, 0, 0);
            socket.getOutputStream()
                    .write(new byte[] {(byte) 0x82, (byte) (5 + text.length), 0, 1, 0, (byte) text.length});
            socket.getOutputStream().write(text);
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().readNBytes(5)).containsExactly(0x90, 3, 0, 1, 1);
            socket.getOutputStream().write(new byte[] {(byte) 0xE0, 0});
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void sessionsQueuesAndMessagesAreSteeredThroughIt() throws Exception {
        try (Broker broker = broker("port: 0, checkAnswers: true")) {
            List<String> started = broker.start();
            String url = url(started) + "/api/v1";
            String mqtt = started.stream()
                    .filter(line -> line.startsWith("listening on "))
                    .findFirst()
                    .orElseThrow();
            int port = Integer.parseInt(mqtt.replaceAll(".*:(\\d+).*", "$1"));
            subscribeAndLeave(port, "a/b", "t/+");
            String session = url + "/sessions/a%2Fb";
            assertThat(json(url + "/sessions").getAsJsonArray("items")).hasSize(1);
            assertThat(json(url + "/clients/a%2Fb/subscriptions")
                            .getAsJsonArray("items")
                            .get(0)
                            .getAsJsonObject()
                            .get("filter")
                            .getAsString())
                    .isEqualTo("t/+");
            assertThat(json(url + "/subscriptions?filter=t/%2B").get("total").getAsInt())
                    .isOne();
            assertThat(json(url + "/subscriptions/matching?topic=t/1")
                            .get("total")
                            .getAsInt())
                    .isOne();

            for (int i = 0; i < 3; i++) {
                HttpResponse<String> published = send(
                        "POST",
                        url + "/publish",
                        "{\"topic\":\"t/" + i + "\",\"payload\":\"x\",\"qos\":1,\"retain\":true}");
                assertThat(published.statusCode()).as(published.body()).isEqualTo(200);
                assertThat(published.body()).contains("delivered");
            }
            assertThat(send("POST", url + "/publish", "{\"topic\":\"u\",\"qos\":2}")
                            .body())
                    .contains("no-subscribers");
            assertThat(send("POST", url + "/publish", "{\"topic\":\"" + "/".repeat(1_000) + "\"}")
                            .statusCode())
                    .as("too many levels")
                    .isEqualTo(400);
            assertThat(json(session)
                            .getAsJsonObject("item")
                            .get("queuedMessages")
                            .getAsInt())
                    .isEqualTo(3); // what is answered is stored
            HttpResponse<String> purged = send("DELETE", session + "/queue", "");
            assertThat(purged.statusCode()).as(purged.body()).isEqualTo(200);
            assertThat(JsonParser.parseString(purged.body())
                            .getAsJsonObject()
                            .get("messages")
                            .getAsInt())
                    .isEqualTo(3);
            assertThat(json(session)
                            .getAsJsonObject("item")
                            .get("queuedMessages")
                            .getAsInt())
                    .isZero();
            assertThat(delete(session)).isEqualTo(204);
            assertThat(delete(session)).isEqualTo(404);

            JsonObject page = json(url + "/retained?filter=t/%2B&limit=2");
            assertThat(page.getAsJsonArray("items")).hasSize(2);
            JsonObject rest = json(url + "/retained?filter=t/%2B&limit=2&cursor="
                    + page.get("next").getAsString());
            assertThat(rest.getAsJsonArray("items")).hasSize(1);
            assertThat(get(url + "/retained?filter=t/%2B&cursor=%25%25").statusCode())
                    .isEqualTo(400);
            assertThat(get(url + "/sessions?cursor=%25%25").statusCode()).isEqualTo(400);
            assertThat(json(url + "/retained/t%2F1")
                            .getAsJsonObject("item")
                            .get("payload")
                            .getAsString())
                    .isEqualTo("x");
            assertThat(delete(url + "/retained/t%2F1")).isEqualTo(204);
            assertThat(get(url + "/retained/t%2F1").statusCode()).isEqualTo(404);
            assertThat(send("DELETE", url + "/retained?filter=t/%2B", "").body())
                    .contains("\"messages\":2");
            assertThat(json(url + "/retained?filter=%23").getAsJsonArray("items"))
                    .isEmpty();
        }
    }

    @Test
    void aTakenPortEndsTheStartAndNamesTheSetting() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Broker broker = broker("port: " + taken.getLocalPort())) {
            assertThatThrownBy(broker::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("apiServerConfig.port")
                    .satisfies(failure ->
                            assertThat(PortHolders.isBusyPort(failure)).isTrue());
        }
        try (Broker again = broker("port: 0")) {
            assertThat(url(again.start())).startsWith("http://127.0.0.1:");
        }
    }

    @Test
    void whatStrangersCouldUseUnaskedIsNotStarted() throws Exception {
        try (Broker broker = broker("host: 0.0.0.0, port: 0")) {
            assertThatThrownBy(broker::start).hasMessageContaining("apiServerConfig.tokensFile");
        }
    }

    @Test
    void switchedOffItIsNotThere() throws Exception {
        try (Broker broker = broker("enable: false")) {
            assertThat(broker.start()).noneMatch(line -> line.startsWith("API"));
        }
    }

    @Test
    void mistakesAreFoundBeforeAStart() throws Exception {
        Files.writeString(directory.resolve("tokens"), "ann:king::sha256:00\n");
        Path file = Files.writeString(
                directory.resolve("standalone.yml"),
                "apiServerConfig: {tokensFile: tokens, tls: {certFile: none.crt, clientCaFile: none.ca}}\n");
        assertThat(StartCheck.errors(ConfigLoader.load(file, Map.of()), directory.resolve("plugins")))
                .anySatisfy(line -> assertThat(line).contains("apiServerConfig.tokensFile", "line 1", "the role"))
                .anySatisfy(line -> assertThat(line).contains("apiServerConfig.tls.certFile", "none.crt"))
                .anySatisfy(line -> assertThat(line).contains("apiServerConfig.tls.keyFile", "must name a file"))
                .anySatisfy(line -> assertThat(line).contains("apiServerConfig.tls.clientCaFile", "none.ca"));
        Path open = Files.writeString(directory.resolve("open.yml"), "apiServerConfig: {host: 0.0.0.0}\n");
        assertThat(StartCheck.errors(ConfigLoader.load(open, Map.of()), directory.resolve("plugins")))
                .anySatisfy(line -> assertThat(line).contains("apiServerConfig.host", "apiServerConfig.tokensFile"));
    }
}
