package io.godwit.it.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API of the packaged broker is held to the settings of a tenant, and its metrics show the tenant. */
class TenantOverApiTest {
    @TempDir
    private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private int port;
    private BrokerProcess broker;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(
                directory.resolve("tenants.yml"), "tenants: {birds: {maxQos: 1, maxPayloadBytes: 10}, fish: {}}");
        port = Ports.free().getPort();
        broker = new BrokerProcess(directory)
                .setting("apiServerConfig", "{port: " + port + ", checkAnswers: true}")
                .setting("tenantConfig", "{sources: user-name, file: tenants.yml, maxMeteredTenants: 2}");
        broker.start();
    }

    @AfterEach
    void stop() throws Exception {
        broker.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String path) throws Exception {
        return http.send(
                request.uri(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpResponse<String> publish(String tenant, int qos, String payload) throws Exception {
        String body = "{\"topic\":\"t\",\"qos\":" + qos + ",\"payload\":\"" + payload + "\"}";
        return send(
                HttpRequest.newBuilder()
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body)),
                "/api/v1/publish?tenant=" + tenant);
    }

    private String metrics() throws Exception {
        return send(HttpRequest.newBuilder().GET(), "/metrics").body();
    }

    @Test
    void whatTheTenantMayNotPublishIsAProblemThatNamesTheSetting() throws Exception {
        assertThat(publish("birds", 1, "x").statusCode()).isEqualTo(200);
        assertThat(publish("fish", 2, "x".repeat(11)).statusCode()).isEqualTo(200);
        HttpResponse<String> qos = publish("birds", 2, "x");
        assertThat(qos.statusCode()).isEqualTo(400);
        assertThat(qos.body()).contains("\"field\":\"qos\"", "maxQos of the tenant is 1");
        HttpResponse<String> size = publish("birds", 1, "x".repeat(11));
        assertThat(size.statusCode()).isEqualTo(413);
        assertThat(size.body()).contains("maxPayloadBytes of the tenant is 10");
        Await.until("both are counted", () -> metrics().contains("\ngodwit_mqtt_publishes_refused_total 2.0"));
    }

    @Test
    void theMetricsShowTheTenantsThatHaveAPlace() throws Exception {
        for (String user : new String[] {"birds/a", "fish/a"}) {
            try (TestClient client =
                    new TestClient(ClientConfig.of(broker.address(), user, 5).withLogin(user, "any"))) {
                assertThat(client.connect().code()).isZero();
                client.publish("t", "x", 1).get(20, TimeUnit.SECONDS);
                String tenant = user.startsWith("birds") ? "birds" : "(other)"; // default has the other place
                String series = "godwit_tenant_publishes_in_total{tenant=\"" + tenant + "\"} 1.0";
                Await.until(series, () -> metrics().contains(series));
            }
        }
        assertThat(metrics()).doesNotContain("tenant=\"fish\"");
    }
}
