package io.godwit.it.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.RawConnection;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.testing.Await;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A packaged broker that asks certificates, a file, tokens and a service, in this order; the key server and the service
 * are this test's.
 */
@Tag("full")
@Timeout(240)
class ProvidersTest {
    private static final int BAD_USER_NAME_OR_PASSWORD = 0x86;
    private static final int NOT_AUTHORIZED = 0x87;
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final TokenKeys KEYS = new TokenKeys();
    private static final String RULES = """
            allow all user clerk desk/#
            allow all user gate-7 certificates/%c/#
            """;

    @TempDir
    private static Path directory;

    private static TokenKeys.Signer rsa;
    private static InetSocketAddress tls;
    private static AnswerService jwks;
    private static AnswerService service;
    private static BrokerProcess broker;

    private final List<Mqtt5AsyncClient> clients = new ArrayList<>();

    @BeforeAll
    static void setUp() throws Exception {
        rsa = TokenKeys.Signer.of("RS256");
        KEYS.publish("k1", rsa);
        jwks = new AnswerService(asked -> KEYS.jwks());
        service = new AnswerService(ProvidersTest::verdict);
        Path users = directory.resolve("passwd");
        addUser(users, "clerk", "wulp");
        Path rules = Files.writeString(directory.resolve("acl"), RULES);
        Path home = directory.resolve("broker");
        tls = Ports.free();
        broker = new BrokerProcess(home)
                .environment("SERVICE_TOKEN", "a-secret-of-the-environment")
                .mqttSetting(
                        "tlsListener",
                        "{port: " + tls.getPort() + ", sslConfig: {certFile: server.crt, keyFile: server.key, "
                                + "clientAuth: optional, trustCertsFile: root.crt}}")
                .setting(
                        "authConfig",
                        "{providers: [x509, file, jwt, http], file: " + users + ", aclFile: " + rules + "}")
                .setting(
                        "plugins",
                        "{jwt: {algorithms: [RS256, ES256, EdDSA], jwksUrl: \"" + jwks.url()
                                + "\", jwksRefetch: 1s, issuer: it, leeway: 0, atExpiry: reauthenticate, "
                                + "grace: 6s}, http: {connectUrl: \"" + service.url() + "\", aclUrl: \"" + service.url()
                                + "\", aclCache: 0, timeout: 2s, headers: [\"X-Token=${SERVICE_TOKEN}\"]}}");
        TestAuthority.write(home, "server", AUTHORITY.issue("CN=localhost"));
        TestAuthority.writePem(home.resolve("root.crt"), AUTHORITY.certificate());
        broker.start();
    }

    /** As an operator does it. */
    private static void addUser(Path users, String name, String password) throws Exception {
        Path output = directory.resolve("passwd.out");
        ProcessBuilder builder = new ProcessBuilder(
                        BrokerProcess.distribution()
                                .resolve("bin/godwit-passwd")
                                .toString(),
                        "--file",
                        users.toString(),
                        "add",
                        name)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().write((password + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
        jwks.close();
        service.close();
    }

    @AfterEach
    void disconnect() {
        service.manner(AnswerService.Manner.RIGHT);
        clients.forEach(Mqtt5AsyncClient::disconnect);
    }

    /** Lets in who knows the password, and allows topics below the user's name. */
    private static String verdict(String asked) {
        JsonObject question = JsonParser.parseString(asked).getAsJsonObject();
        String own = question.get("user").getAsString() + "/";
        boolean isYes = switch (question.get("check").getAsString()) {
            case "connect" -> question.get("password").getAsString().equals("sesame");
            case "publish" -> question.get("topic").getAsString().startsWith(own);
            default -> question.get("filter").getAsString().startsWith(own);
        };
        return "{\"result\": \"" + (isYes ? "allow" : "deny") + "\"}";
    }

    /** By the key that is published from the beginning. */
    private static String token(String issuer, long seconds) throws Exception {
        return rsa.token("k1", issuer, seconds);
    }

    private Mqtt5AsyncClient client(String clientId, BlockingQueue<MqttClientDisconnectedContext> ends) {
        Mqtt5AsyncClient client = Mqtt5Client.builder()
                .identifier(clientId)
                .serverAddress(broker.address())
                .addDisconnectedListener(ends::add)
                .buildAsync();
        clients.add(client);
        return client;
    }

    private static Mqtt5ConnAckReasonCode connect(Mqtt5AsyncClient client, String user, String password)
            throws Exception {
        try {
            return client.connectWith()
                    .simpleAuth()
                    .username(user)
                    .password(password.getBytes(StandardCharsets.UTF_8))
                    .applySimpleAuth()
                    .send()
                    .get(30, TimeUnit.SECONDS)
                    .getReasonCode();
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5ConnAckException.class);
            return ((Mqtt5ConnAckException) e.getCause()).getMqttMessage().getReasonCode();
        }
    }

    private Mqtt5ConnAckReasonCode connect(String user, String password) throws Exception {
        return connect(client("c-" + user, new LinkedBlockingQueue<>()), user, password);
    }

    private static Mqtt5PubAckReasonCode publish(Mqtt5AsyncClient client, String topic) throws Exception {
        try {
            client.publishWith().topic(topic).qos(MqttQos.AT_LEAST_ONCE).send().get(30, TimeUnit.SECONDS);
            return Mqtt5PubAckReasonCode.SUCCESS;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5PubAckException.class);
            return ((Mqtt5PubAckException) e.getCause()).getMqttMessage().getReasonCode();
        }
    }

    private static boolean maySubscribe(Mqtt5AsyncClient client, String filter) throws Exception {
        CompletableFuture<?> answer = client.subscribeWith().topicFilter(filter).send();
        try {
            answer.get(30, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5SubAckException.class);
            return false;
        }
    }

    @Test
    void aTokenLetsInAndSaysWhatIsAllowed() throws Exception {
        Mqtt5AsyncClient gate = client("g1", new LinkedBlockingQueue<>());
        assertThat(connect(gate, "whoever", token("it", 600))).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(publish(gate, "gates/g1/state")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(publish(gate, "gates/g2/state")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(gate, "gate/x"))
                .as("only the token decides, although the service would allow it")
                .isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(maySubscribe(gate, "gates/g1/#")).isTrue();
        assertThat(maySubscribe(gate, "gates/#")).isFalse();
    }

    /** The service would let in whoever says "sesame", but is not asked about tokens. */
    @Test
    void aTokenThatIsNotRightIsRefused() throws Exception {
        String right = token("it", 600);
        assertThat(connect("late", token("it", -60))).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(connect("other", token("other", 600))).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        String body = right.substring(right.indexOf('.'), right.lastIndexOf('.') + 1);
        String unsigned = TokenKeys.base64("{\"alg\": \"none\"}") + body;
        assertThat(connect("unsigned", unsigned)).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
    }

    @Test
    void aConnectionEndsWithItsTokenUnlessANewerOneComes() throws Exception {
        BlockingQueue<MqttClientDisconnectedContext> ends = new LinkedBlockingQueue<>();
        Mqtt5AsyncClient gate = client("short", ends);
        assertThat(connect(gate, "whoever", token("it", 15))).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        BlockingQueue<MqttClientDisconnectedContext> idleEnds = new LinkedBlockingQueue<>();
        Mqtt5AsyncClient idle = client("idle", idleEnds);
        connect(idle, new TokenMechanism(token("it", 6)));
        TokenMechanism tokens = new TokenMechanism(token("it", 6));
        BlockingQueue<MqttClientDisconnectedContext> renewedEnds = new LinkedBlockingQueue<>();
        Mqtt5AsyncClient renewed = client("renewed", renewedEnds);
        connect(renewed, tokens);
        assertThat(publish(renewed, "gates/renewed/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);

        Await.until(
                "its token is over", () -> publish(renewed, "gates/renewed/x") == Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(maySubscribe(renewed, "gates/renewed/#")).isFalse();
        tokens.token(token("it", 600));
        renewed.reauth().get(30, TimeUnit.SECONDS);
        assertThat(publish(renewed, "gates/renewed/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(maySubscribe(renewed, "gates/renewed/#")).isTrue();
        assertEndedByTime(idleEnds);
        assertEndedByTime(ends);
        assertThat(renewedEnds).isEmpty();
        assertThat(publish(renewed, "gates/renewed/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);

        tokens.token(token("other", 600));
        assertThatThrownBy(() -> renewed.reauth().get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(Mqtt5DisconnectException.class);
    }

    private static void connect(Mqtt5AsyncClient client, TokenMechanism tokens) throws Exception {
        client.connectWith().enhancedAuth(tokens).send().get(30, TimeUnit.SECONDS);
    }

    private static void assertEndedByTime(BlockingQueue<MqttClientDisconnectedContext> ends) throws Exception {
        MqttClientDisconnectedContext end = ends.poll(60, TimeUnit.SECONDS);
        assertThat(end).isNotNull();
        assertThat(end.getCause())
                .isInstanceOfSatisfying(
                        Mqtt5DisconnectException.class,
                        e -> assertThat(e.getMqttMessage().getReasonCode())
                                .isEqualTo(Mqtt5DisconnectReasonCode.MAXIMUM_CONNECT_TIME));
    }

    // ---- keys

    @ParameterizedTest
    @ValueSource(strings = {"ES256", "EdDSA"})
    void aTokenMayBeSignedByAnotherAlgorithm(String algorithm) throws Exception {
        TokenKeys.Signer signer = TokenKeys.Signer.of(algorithm);
        String keyId = "key-" + algorithm;
        KEYS.publish(keyId, signer);
        try {
            awaitAccepted(signer.token(keyId, "it", 600));
            Mqtt5AsyncClient gate = client("g-" + algorithm, new LinkedBlockingQueue<>());
            assertThat(connect(gate, "whoever", signer.token(keyId, "it", 600)))
                    .isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
            assertThat(publish(gate, "gates/g-" + algorithm + "/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
            assertThat(publish(gate, "gates/other/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
            assertThat(connect("forged", TokenKeys.Signer.of(algorithm).token(keyId, "it", 600)))
                    .as("signed by another key")
                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
            assertThat(connect("confused", signer.token("k1", "it", 600)))
                    .as("names a key that is for another algorithm")
                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        } finally {
            KEYS.withdraw(keyId);
        }
    }

    @Test
    void aNewKeyTakesThePlaceOfAnOldOne() throws Exception {
        TokenKeys.Signer next = TokenKeys.Signer.of("RS256");
        String newer = next.token("k2", "it", 600);
        assertThat(connect("rotated", newer))
                .as("before it is published")
                .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        KEYS.publish("k2", next);
        KEYS.withdraw("k1");
        try {
            awaitAccepted(newer);
            assertThat(connect("rotated", token("it", 600)))
                    .as("by the key that was withdrawn")
                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        } finally {
            KEYS.publish("k1", rsa);
            KEYS.withdraw("k2");
            awaitAccepted(token("it", 600));
        }
    }

    /** The keys are fetched at once for an unknown key, but not more often than once a second. */
    private void awaitAccepted(String token) throws Exception {
        Await.until("the key is fetched", () -> connect("fetched", token) == Mqtt5ConnAckReasonCode.SUCCESS);
    }

    // ---- the file, and certificates

    /** The service would let in whoever says "sesame", but is not asked about users of the file. */
    @Test
    void theFileDecidesAboutItsUsers() throws Exception {
        Mqtt5AsyncClient clerk = client("clerk", new LinkedBlockingQueue<>());
        assertThat(connect(clerk, "clerk", "wulp")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(publish(clerk, "desk/1")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(publish(clerk, "clerk/1")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        for (String wrong : List.of("sesame", token("it", 600))) {
            assertThat(connect("clerk", wrong)).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
    }

    @Test
    void aCertificateLetsInAndTheRulesOfTheFileSayWhatIsAllowed() throws Exception {
        try (RawConnection gate = secure(AUTHORITY.issue("CN=gate-7"))) {
            assertThat(connect(gate, "c7", null)).isZero();
            assertThat(publish(gate, "certificates/c7/x")).isLessThan(0x80);
            assertThat(publish(gate, "certificates/c8/x")).isEqualTo(NOT_AUTHORIZED);
        }
        try (RawConnection unclear = secure(AUTHORITY.issue("CN=gate-7,CN=gate-8"))) {
            assertThat(connect(unclear, "c8", null)).as("two names").isEqualTo(BAD_USER_NAME_OR_PASSWORD);
        }
        try (RawConnection clerk = secure(null)) {
            assertThat(connect(clerk, "without", new Packet.Login("clerk", "wulp")))
                    .as("without a certificate the next provider decides")
                    .isZero();
            assertThat(publish(clerk, "desk/1")).isLessThan(0x80);
        }
    }

    private static RawConnection secure(TestAuthority.@Nullable Issued own) throws Exception {
        return new RawConnection(
                AUTHORITY.clientContext(own).getSocketFactory().createSocket(tls.getAddress(), tls.getPort()), 5);
    }

    private static int connect(RawConnection connection, String clientId, Packet.@Nullable Login login)
            throws Exception {
        connection.send(new Packet.Connect(5, clientId, true, 0, Properties.NONE, null, login));
        Packet answer = connection.read();
        assertThat(answer).isInstanceOf(Packet.Connack.class);
        return ((Packet.Connack) answer).code();
    }

    private static int publish(RawConnection connection, String topic) throws Exception {
        connection.send(new Packet.Publish(topic, new byte[] {1}, 1, false, false, 1, Properties.NONE));
        Packet answer = connection.read();
        assertThat(answer).isInstanceOf(Packet.Ack.class);
        return ((Packet.Ack) answer).code();
    }

    // ---- the service

    @Test
    void theServiceDecidesAboutTheOthers() throws Exception {
        Mqtt5AsyncClient ann = client("ann", new LinkedBlockingQueue<>());
        assertThat(connect(ann, "ann", "sesame")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(publish(ann, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(publish(ann, "gates/ann/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(maySubscribe(ann, "ann/#")).isTrue();
        assertThat(maySubscribe(ann, "#")).isFalse();
        assertThat(connect("bob", "wrong")).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
    }

    @ParameterizedTest
    @EnumSource(
            value = AnswerService.Manner.class,
            names = {"RIGHT"},
            mode = EnumSource.Mode.EXCLUDE)
    void aServiceThatMisbehavesLetsNobodyIn(AnswerService.Manner manner) throws Exception {
        Mqtt5AsyncClient ann = client("ann-" + manner, new LinkedBlockingQueue<>());
        assertThat(connect(ann, "ann", "sesame")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        service.manner(manner);
        assertThat(connect("bob", "sesame")).isEqualTo(Mqtt5ConnAckReasonCode.SERVER_UNAVAILABLE);
        assertThat(publish(ann, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        service.manner(AnswerService.Manner.RIGHT);
        assertThat(publish(ann, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
    }

    @Test
    void neitherTokensNorPasswordsAreLogged() throws Exception {
        String token = token("other", 600);
        connect("log", token);
        connect("log", "a-password-that-is-wrong");
        service.manner(AnswerService.Manner.BROKEN);
        connect("log", "a-password-that-is-wrong");
        List<Path> files;
        try (var all = Files.walk(broker.log())) {
            files = all.filter(Files::isRegularFile).toList();
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            assertThat(Files.readString(file))
                    .doesNotContain(
                            "a-password-that-is-wrong",
                            "a-secret-of-the-environment",
                            token.substring(token.length() - 40));
        }
    }
}
