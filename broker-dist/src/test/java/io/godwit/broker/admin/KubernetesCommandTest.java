package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.godwit.broker.admin.terminal.Screen;
import io.godwit.mqtt.certificates.TestAuthority;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The queries of pods to an API server that answers as that of Kubernetes. */
@Timeout(120)
class KubernetesCommandTest {
    private static final String ID = "1c1d7a36-5d4c-4c7b-9f0f-0a8de7a7d1f2";
    private static final String OTHER_ID = "2c1d7a36-5d4c-4c7b-9f0f-0a8de7a7d1f2";

    @TempDir
    private Path account;

    private FakeApi api;

    @BeforeEach
    void serve() throws Exception {
        TestAuthority authority = new TestAuthority("kubernetes");
        TestAuthority.writePem(account.resolve("ca.crt"), authority.certificate());
        Files.writeString(account.resolve("token"), "of-the-account\n");
        Files.writeString(account.resolve("namespace"), "mqtt\n");
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(TestAuthority.keyManagers(authority.issue("CN=kubernetes")).getKeyManagers(), null, null);
        api = new FakeApi(context);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private ApiRun run(String... words) {
        URI url = URI.create(api.url);
        return run(
                Map.of("KUBERNETES_SERVICE_HOST", url.getHost(), "KUBERNETES_SERVICE_PORT", "" + url.getPort()), words);
    }

    private ApiRun run(Map<String, String> environment, String... words) {
        List<String> all = new ArrayList<>(List.of("kubernetes"));
        all.addAll(List.of(words));
        all.addAll(List.of("--service-account", account.toString()));
        return ApiRun.of(Screen.NONE, environment, all.toArray(String[]::new));
    }

    private static String status(int code, String reason, String message) {
        return "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"message\": \"" + message
                + "\", \"reason\": \"" + reason + "\", \"code\": " + code + "}";
    }

    @Test
    void theZoneIsTheLabelOfTheNode() {
        api.answers(
                200,
                "{\"metadata\": {\"annotations\": {\"topology.kubernetes.io/zone\": \"no\"},"
                        + " \"labels\": {\"topology.kubernetes.io/zone\": \"eu-1a\"}}}");
        ApiRun run = run("zone", "worker-3");
        assertThat(run.out()).isEqualTo("eu-1a\n");
        assertThat(run.code()).isZero();
        assertThat(api.last().path()).isEqualTo("/api/v1/nodes/worker-3");
        assertThat(api.last().token()).isEqualTo("Bearer of-the-account");
    }

    @Test
    void aNodeWithoutAZoneHasAnEmptyOne() {
        api.answers(200, "{\"metadata\": {}}");
        ApiRun run = run("zone", "worker-3");
        assertThat(run.out()).isEqualTo("\n");
        assertThat(run.err()).contains("worker-3 has no label topology.kubernetes.io/zone");
        assertThat(run.code()).isZero();
    }

    @Test
    void theClusterIsNotedInASecretThatNobodyCanChange() {
        api.handle(exchange -> {
            boolean isRead = exchange.getRequestMethod().equals("GET");
            FakeApi.answer(
                    exchange,
                    isRead ? 404 : 201,
                    isRead ? status(404, "NotFound", "no such Secret") : "{\"kind\": \"Secret\"}");
        });
        ApiRun run = run("note-cluster", ID, "--secret", "broker-cluster");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(api.last().method()).isEqualTo("POST");
        assertThat(api.last().path()).isEqualTo("/api/v1/namespaces/mqtt/secrets");
        assertThat(api.last().json())
                .isEqualTo(JsonParser.parseString("{\"apiVersion\": \"v1\", \"kind\": \"Secret\","
                        + " \"metadata\": {\"name\": \"broker-cluster\"},"
                        + " \"stringData\": {\"cluster-id\": \"" + ID + "\"}, \"immutable\": true}"));
    }

    private static String secretOf(String cluster) {
        String data = Base64.getEncoder().encodeToString(cluster.getBytes(StandardCharsets.UTF_8));
        return "{\"data\": {\"cluster-id\": \"" + data + "\"}}";
    }

    /** The chart takes away the right to create Secrets once this one exists. */
    @ParameterizedTest
    @CsvSource({ID + ",0", OTHER_ID + ",4"})
    void aSecondNoteMustBeOfTheSameCluster(String noted, int code) {
        api.handle(exchange -> {
            boolean isRead = exchange.getRequestMethod().equals("GET");
            FakeApi.answer(
                    exchange,
                    isRead ? 200 : 403,
                    isRead ? secretOf(noted) : status(403, "Forbidden", "it may not be created"));
        });
        ApiRun run = run("note-cluster", ID, "--secret", "broker-cluster");
        assertThat(run.code()).as(run.err()).isEqualTo(code);
        assertThat(api.last().path()).isEqualTo("/api/v1/namespaces/mqtt/secrets/broker-cluster");
        assertThat(run.out() + run.err()).contains(noted);
    }

    @ParameterizedTest
    @CsvSource({ID + ",0", OTHER_ID + ",4"})
    void aNoteThatAnotherOneMakesMeanwhileMustBeOfTheSameCluster(String noted, int code) {
        api.handle(exchange -> {
            switch (api.asked.size()) {
                case 1 -> FakeApi.answer(exchange, 404, status(404, "NotFound", "no such Secret"));
                case 2 -> FakeApi.answer(exchange, 409, status(409, "AlreadyExists", "it is there"));
                default -> FakeApi.answer(exchange, 200, secretOf(noted));
            }
        });
        ApiRun run = run("note-cluster", ID, "--secret", "broker-cluster");
        assertThat(run.code()).as(run.err()).isEqualTo(code);
        assertThat(api.asked).extracting(FakeApi.Asked::method).containsExactly("GET", "POST", "GET");
        assertThat(run.out() + run.err()).contains(noted);
    }

    @Test
    void aTextThatIsNoIdIsNotRecorded() {
        assertThat(run("note-cluster", "null", "--secret", "broker-cluster").code())
                .isEqualTo(2);
        assertThat(api.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "3, broker-2, staying",
        "3, broker-3, leaving",
        "3, broker-4, leaving",
        // All stop, so that no node takes over: their disks have all data when they are back.
        "0, broker-0, staying",
        "0, broker-2, staying",
        ", broker-0, staying",
        ", broker-1, leaving"
    })
    void aPodLeavesWhenItsSetWantsFewer(String replicas, String pod, String expected) {
        api.answers(200, "{\"spec\": {" + (replicas == null ? "" : "\"replicas\": " + replicas) + "}}");
        ApiRun run = run("leaving", "broker", pod);
        assertThat(run.out()).isEqualTo(expected + "\n");
        assertThat(api.last().path()).isEqualTo("/apis/apps/v1/namespaces/mqtt/statefulsets/broker");
    }

    @Test
    void aPodOfAnUninstalledReleaseDoesNotLeave() {
        api.answers(404, status(404, "NotFound", "no such set"));
        assertThat(run("leaving", "broker", "broker-0").out()).isEqualTo("staying\n");
        api.answers(
                200, "{\"metadata\": {\"deletionTimestamp\": \"2026-11-28T00:00:00Z\"}, \"spec\":{\"replicas\":0}}");
        assertThat(run("leaving", "broker", "broker-0").out()).isEqualTo("staying\n");
    }

    @Test
    void aPodOfAnotherSetIsWrongUsage() {
        assertThat(run("leaving", "broker", "other-0").code()).isEqualTo(2);
        assertThat(run("leaving", "broker", "broker-x").code()).isEqualTo(2);
    }

    @Test
    void aRefusalIsToldInTheWordsOfTheServer() {
        api.answers(403, status(403, "Forbidden", "nodes is forbidden: no such right"));
        ApiRun run = run("zone", "worker-3");
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("403: nodes is forbidden: no such right");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aServerThatNobodyVouchesForIsShownNoToken() throws Exception {
        TestAuthority.writePem(account.resolve("ca.crt"), new TestAuthority("others").certificate());
        api.answers(200, "{}");
        assertThat(run("zone", "worker-3").code()).isEqualTo(3);
        assertThat(api.asked).isEmpty();
    }

    @Test
    void outsideOfAPodItSaysSo() {
        ApiRun run = run(Map.of(), "zone", "worker-3");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("this is for a pod");
    }
}
