package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.broker.auth.remote.HttpStage;
import io.godwit.broker.auth.remote.HttpStage.Manner;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.testing.Await;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The provider "http" with a real service, as a configuration opens it. */
class HttpProviderTest {
    private static final String ALLOW = "{\"result\": \"allow\"}";
    private static final String DENY = "{\"result\": \"deny\", \"reason\": \"the rent is due\"}";

    @TempDir
    Path directory;

    private final HttpStage service =
            new HttpStage().content("/login", ALLOW).content("/acl", ALLOW).content("/elsewhere", ALLOW);

    @AfterEach
    void close() {
        service.close();
    }

    private AuthStage open(String settings) throws Exception {
        return new AuthStage(directory, """
                authConfig: {provider: http}
                plugins: {http: {connectUrl: "%s", %s}}
                """.formatted(service.url("/login"), settings));
    }

    private AuthStage openWithAcl(String settings) throws Exception {
        return open("aclUrl: \"" + service.url("/acl") + "\", " + settings);
    }

    private JsonObject lastBody() {
        return JsonParser.parseString(service.bodies.get(service.bodies.size() - 1))
                .getAsJsonObject();
    }

    // ---- logins

    @Test
    void theServiceGetsTheDetailsOfTheLogin() throws Exception {
        try (AuthStage stage = open("headers: ['Authorization=Bearer sesame']")) {
            assertThat(stage.accepted("ann", "s3cret \u00e4").userName()).isEqualTo("ann");
            JsonObject said = lastBody();
            assertThat(said.get("check").getAsString()).isEqualTo("connect");
            assertThat(said.get("clientId").getAsString()).isEqualTo("c1");
            assertThat(said.get("user").getAsString()).isEqualTo("ann");
            assertThat(said.get("password").getAsString()).isEqualTo("s3cret \u00e4");
            assertThat(said.get("tenant").getAsString()).isEqualTo("default");
            assertThat(said.get("address").getAsString()).isEqualTo("10.0.0.1");
            assertThat(service.authorizations).containsExactly("Bearer sesame");

            ConnectRequest binary =
                    new ConnectRequest(AuthStage.client(null), false, new byte[] {(byte) 0xFF, 1}, List.of());
            assertThat(stage.auth.connect(binary).get(60, TimeUnit.SECONDS)).isInstanceOf(ConnectResult.Accepted.class);
            assertThat(lastBody().get("password").isJsonNull()).isTrue();
            assertThat(lastBody().get("passwordBase64").getAsString()).isEqualTo("/wE=");

            X509Certificate shown = new TestAuthority("acme").issue("CN=gate").certificate();
            stage.auth
                    .connect(new ConnectRequest(AuthStage.client(null), false, null, List.of(), shown))
                    .get(60, TimeUnit.SECONDS);
            assertThat(lastBody().get("certificateSubject").getAsString()).isEqualTo("CN=gate");
            assertThat(lastBody().get("certificateIssuer").getAsString())
                    .as("serial numbers are unique only for one issuer")
                    .isEqualTo(shown.getIssuerX500Principal().getName());
        }
    }

    @Test
    void theServiceSaysUserTenantAndTime() throws Exception {
        service.content(
                "/login",
                "{\"result\": \"allow\", \"user\": \"gate\", \"tenant\": \"acme\", \"validSeconds\": 60.5, \"x\": 1}");
        try (AuthStage stage = open("connectCache: 1m")) {
            ConnectResult.Accepted accepted = stage.accepted("ann", "x");
            assertThat(accepted.userName()).isEqualTo("gate");
            assertThat(accepted.tenant().value()).isEqualTo("acme");
            assertThat(accepted.namesTenant()).isTrue();
            assertThat(accepted.validFor()).isEqualTo(Duration.ofSeconds(60));
            stage.accepted("ann", "x");
            assertThat(service.asked)
                    .as("an answer with a time limit must not be cached")
                    .hasSize(2);
        }
    }

    @Test
    void theServiceMayRefuseOrLeaveUndecided() throws Exception {
        try (AuthStage stage = open("")) {
            service.content("/login", DENY);
            ConnectResult.Refused refused = stage.refused("ann", "sesame");
            assertThat(refused.reason()).isEqualTo(RefusalReason.BAD_CREDENTIALS);
            assertThat(refused.detail()).contains("the rent is due").doesNotContain("sesame");
            service.content("/login", "{\"result\": \"pass\"}");
            assertThat(stage.connect("ann", "x")).isEqualTo(ConnectResult.UNDECIDED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "allow",
                "\"allow\"",
                "true",
                "[]",
                "{}",
                "null",
                "{\"result\": true}",
                "{\"result\": \"ALLOW\"}",
                "{\"result\": \"allowed\"}",
                "{\"result\": [\"allow\"]}",
                "{\"result\": \"allow\"",
                "{\"result\": \"allow\"} {\"result\": \"deny\"}",
                "{\"result\": \"allow\", \"tenant\": \"no tenant\"}",
                "{\"result\": \"allow\", \"tenant\": 7}",
                "{\"result\": \"allow\", \"user\": \"\"}",
                "{\"result\": \"allow\", \"user\": [\"root\"]}",
                "{\"result\": \"allow\", \"validSeconds\": -1}",
                "{\"result\": \"allow\", \"validSeconds\": \"soon\"}",
                "{\"result\": \"allow\", \"validSeconds\": {}}",
                "{\"result\": \"allow\", \"user\": \"half \\ud800\"}",
                "{\"result\": \"deny\", \"result\": \"allow\"}",
                "{result: \"allow\"}",
                "{\"result\": allow}",
                "{'result': 'allow'}",
                "{\"result\" = \"allow\"}",
                "{\"result\": \"allow\"; \"x\": 1}",
                "{\"result\": \"allow\", \"x\": NaN}",
                "{\"result\": \"allow\"} # done",
                ")]}'\n{\"result\": \"allow\"}"
            })
    void whatIsNotUnderstoodIsANo(String answer) throws Exception {
        try (AuthStage stage = open("")) {
            service.content("/login", answer);
            assertThat(stage.refused("ann", "x").reason()).isEqualTo(RefusalReason.UNAVAILABLE);
        }
    }

    @Test
    void aDeeplyNestedAnswerIsARefusal() throws Exception {
        try (AuthStage stage = open("")) {
            service.content("/login", "[".repeat(60_000));
            assertThat(stage.refused("ann", "x").reason()).isEqualTo(RefusalReason.UNAVAILABLE);
        }
    }

    /** Each of these answers has "allow" in its body, or would have it after a redirection. */
    @ParameterizedTest
    @EnumSource(
            value = Manner.class,
            names = {"RIGHT", "HELD"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatIsNoAnswerIsANo(Manner manner) throws Exception {
        service.manner(manner);
        boolean isSlow = manner == Manner.SILENT || manner == Manner.SLOW_BODY;
        try (AuthStage stage = openWithAcl("timeout: " + (isSlow ? "1s" : "20s"))) {
            ConnectResult.Refused refused = stage.refused("ann", "sesame");
            assertThat(refused.reason()).isEqualTo(RefusalReason.UNAVAILABLE);
            assertThat(refused.detail()).doesNotContain("sesame", "127.0.0.1");
            ConnectResult.Accepted client = ConnectResult.Accepted.as(AuthStage.client("ann"));
            assertThat(catchThrowableOf(() -> stage.publish(client, "t")))
                    .as("the future fails, so the broker denies access")
                    .isNotNull();
            assertThat(service.asked).doesNotContain("/elsewhere");
        }
    }

    private interface Call {
        Object run() throws Exception;
    }

    private static Throwable catchThrowableOf(Call call) {
        return catchThrowable(call::run);
    }

    @Test
    void anyOtherStatusIsARefusal() throws Exception {
        try (AuthStage stage = new AuthStage(directory, """
                authConfig: {provider: http}
                plugins: {http: {connectUrl: "%s"}}
                """.formatted(service.url("/gone")))) {
            assertThat(stage.refused("ann", "x").detail()).contains("status 404");
        }
    }

    // ---- checks

    @Test
    void theServiceIsAskedWhatClientsMayDo() throws Exception {
        try (AuthStage stage = openWithAcl("aclCache: 0")) {
            ConnectResult.Accepted client = stage.accepted("ann", "x");
            assertThat(stage.publish(client, "a/b")).isEqualTo(AuthDecision.ALLOWED);
            assertThat(lastBody().get("check").getAsString()).isEqualTo("publish");
            assertThat(lastBody().get("topic").getAsString()).isEqualTo("a/b");
            assertThat(lastBody().get("user").getAsString()).isEqualTo("ann");
            assertThat(lastBody().has("password")).isFalse();
            assertThat(stage.subscribe(client, "$share/g/a/+")).isEqualTo(AuthDecision.ALLOWED);
            assertThat(lastBody().get("check").getAsString()).isEqualTo("subscribe");
            assertThat(lastBody().get("filter").getAsString()).isEqualTo("a/+");
            assertThat(lastBody().get("subscription").getAsString()).isEqualTo("$share/g/a/+");
            service.content("/acl", DENY);
            assertThat(stage.publish(client, "a/b")).isInstanceOf(AuthDecision.Denied.class);
            service.content("/acl", "{\"result\": \"pass\"}");
            assertThat(stage.publish(client, "a/b")).isEqualTo(AuthDecision.UNDECIDED);
            assertThat(stage.auth.rulesVersion())
                    .as("answers of the service must not be cached")
                    .isNotEqualTo(stage.auth.rulesVersion());
        }
    }

    @Test
    void decisionsAreRememberedForAWhileAndUpToANumber() throws Exception {
        try (AuthStage stage = openWithAcl("aclCache: 1h, cacheEntries: 2")) {
            ConnectResult.Accepted client = stage.accepted("ann", "x");
            stage.publish(client, "1");
            stage.publish(client, "2");
            int before = service.asked.size();
            service.content("/acl", DENY);
            assertThat(stage.publish(client, "1")).isEqualTo(AuthDecision.ALLOWED);
            assertThat(stage.publish(client, "2")).isEqualTo(AuthDecision.ALLOWED);
            assertThat(service.asked).hasSize(before);
            assertThat(stage.publish(client, "3")).isInstanceOf(AuthDecision.Denied.class);
            int beforeAll = service.asked.size();
            for (String topic : List.of("1", "2", "3")) {
                stage.publish(client, topic);
            }
            assertThat(service.asked).as("the cache has two of three decisions").hasSizeGreaterThan(beforeAll);
            ConnectResult.Accepted other = new ConnectResult.Accepted(client.tenant(), "bob");
            assertThat(stage.publish(other, "2"))
                    .as("the decision for another user is not cached")
                    .isInstanceOf(AuthDecision.Denied.class);
        }
        service.content("/acl", ALLOW);
        try (AuthStage stage = openWithAcl("aclCache: 1s")) {
            ConnectResult.Accepted client = stage.accepted("ann", "x");
            stage.publish(client, "1");
            service.content("/acl", DENY);
            Await.until("it is forgotten", () -> stage.publish(client, "1") instanceof AuthDecision.Denied);
        }
    }

    @Test
    void anAcceptedLoginIsRememberedAndNoOther() throws Exception {
        try (AuthStage stage = open("connectCache: 1h")) {
            stage.accepted("ann", "right");
            service.content("/login", DENY);
            stage.accepted("ann", "right");
            stage.refused("ann", "wrong");
            stage.refused("bob", "right");
            service.content("/login", ALLOW);
            stage.accepted("ann", "wrong");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pass", "allow", "deny"})
    void withoutAUrlForThemThereAreNoChecks(String setting) throws Exception {
        try (AuthStage stage = open("withoutAcl: " + setting)) {
            ConnectResult.Accepted client = stage.accepted("ann", "x");
            AuthDecision decision = stage.publish(client, "t");
            switch (setting) {
                case "pass" -> assertThat(decision).isEqualTo(AuthDecision.UNDECIDED);
                case "allow" -> assertThat(stage.auth.checks()).hasSize(1);
                default -> assertThat(decision).isInstanceOf(AuthDecision.Denied.class);
            }
            assertThat(service.asked).containsExactly("/login");
        }
    }

    // ---- a service in trouble

    @Test
    void aServiceThatDoesNotAnswerIsLeftAloneForAWhile() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        try (AuthStage stage = new AuthStage(directory, """
                authConfig: {provider: http}
                plugins: {http: {connectUrl: "http://127.0.0.1:%d/"}}
                """.formatted(closed))) {
            for (int i = 0; i < 10; i++) {
                assertThat(stage.refused("ann", "x").detail()).contains("cannot be asked");
            }
            assertThat(stage.refused("ann", "x").detail()).contains("not asked for a while");
        }
    }

    /** One client that makes the service fail must not shut out the others. */
    @Test
    void statusFiveHundredDoesNotOpenTheCircuit() throws Exception {
        service.manner(Manner.BROKEN);
        try (AuthStage stage = open("")) {
            for (int i = 0; i < 30; i++) {
                assertThat(stage.refused("ann", "x").detail()).contains("status 500");
            }
            service.manner(Manner.RIGHT);
            stage.accepted("ann", "x");
        }
    }

    private static CompletableFuture<ConnectResult> login(AuthStage stage, String address) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c1"), "ann", address, 5);
        return stage.auth.connect(new ConnectRequest(client, false, "x".getBytes(StandardCharsets.UTF_8), List.of()));
    }

    private static String refusal(CompletableFuture<ConnectResult> login) throws Exception {
        return ((ConnectResult.Refused) login.get(60, TimeUnit.SECONDS)).detail();
    }

    /** Otherwise a source that can make the service late would shut out all others. */
    @Test
    void lateAnswersShutOutTheirSourceOnly() throws Exception {
        service.manner(Manner.SILENT);
        try (AuthStage stage = open("timeout: 1s")) {
            List<CompletableFuture<ConnectResult>> late = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                late.add(login(stage, "10.0.0.1:5000"));
            }
            for (CompletableFuture<ConnectResult> each : late) {
                assertThat(refusal(each)).contains("does not answer in 1 s");
            }
            assertThat(refusal(login(stage, "10.0.0.1:5000"))).contains("not asked for a while");
            service.manner(Manner.RIGHT);
            assertThat(login(stage, "10.0.0.2:5000").get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ConnectResult.Accepted.class);
        }
    }

    @Test
    void lateAnswersOfSeveralSourcesOpenTheCircuitOfAll() throws Exception {
        service.manner(Manner.SILENT);
        try (AuthStage stage = open("timeout: 1s")) {
            List<CompletableFuture<ConnectResult>> late = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                late.add(login(stage, "10.0.0." + (1 + i / 2) + ":5000"));
            }
            for (CompletableFuture<ConnectResult> each : late) {
                assertThat(refusal(each)).contains("does not answer in 1 s");
            }
            assertThat(refusal(login(stage, "10.0.0.9:5000"))).contains("not asked for a while");
        }
    }

    @Test
    void requestsUnderWayAndLoginsThatWaitAreBounded() throws Exception {
        service.manner(Manner.SILENT);
        List<CompletableFuture<ConnectResult>> waiting = new ArrayList<>();
        try (AuthStage stage = open("maxRequests: 2, timeout: 30s")) {
            for (int i = 0; i < 2 + 500; i++) {
                waiting.add(login(stage, "10.0.0.1:5000"));
            }
            assertThat(stage.refused("ann", "x").reason()).isEqualTo(RefusalReason.BUSY);
            assertThat(waiting.subList(0, 2)).noneMatch(CompletableFuture::isDone);
            assertThat(service.asked).hasSizeLessThanOrEqualTo(2);
        }
    }

    /** A source with many logins, or with logins that the service is slow at. */
    @Test
    void oneSourceKeepsNoOtherOut() throws Exception {
        service.manner(Manner.HELD);
        try (AuthStage stage = open("maxRequests: 2, timeout: 30s")) {
            List<CompletableFuture<ConnectResult>> flood = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                flood.add(login(stage, "10.0.0.1:5000"));
            }
            CompletableFuture<ConnectResult> other = login(stage, "10.0.0.2:5000");
            assertThat(other).isNotDone();
            service.letGo(4); // two of the flood that are under way, then one of each source
            assertThat(other.get(60, TimeUnit.SECONDS)).isInstanceOf(ConnectResult.Accepted.class);
            assertThat(flood)
                    .filteredOn(each -> each.isDone() && each.join() instanceof ConnectResult.Accepted)
                    .hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void aCheckTellsWhatIsWrongWithItsSettings() throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                authConfig: {provider: http}
                plugins:
                  http:
                    aclUrl: "https://user:sesame@auth.example/acl"
                    headers: ["no header", "X=right", "Host=other.example"]
                    tls: {key: broker.key}
                    timout: 3
                """);
        List<String> errors = StartCheck.errors(ConfigLoader.load(file, Map.of()), directory.resolve("plugins"));
        assertThat(errors)
                .anyMatch(error -> error.contains("plugins.http.connectUrl: has to be given"))
                .anyMatch(error -> error.contains("plugins.http.aclUrl"))
                .anyMatch(error -> error.contains("plugins.http.headers") && error.contains("NAME=VALUE"))
                .anyMatch(error -> error.contains("plugins.http.headers") && error.contains("Host"))
                .anyMatch(error -> error.contains("plugins.http.tls.certificate"))
                .anyMatch(error -> error.contains("plugins.http.timout") && error.contains("plugins.http.timeout"))
                .noneMatch(error -> error.contains("sesame"));
    }
}
