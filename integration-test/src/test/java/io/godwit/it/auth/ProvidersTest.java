package io.godwit.it.auth;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A packaged broker that asks tokens first and a service next; both services are this test's. */
@Tag("full")
@Timeout(240)
class ProvidersTest {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    @TempDir
    private static Path directory;

    private static KeyPair key;
    private static AnswerService jwks;
    private static AnswerService service;
    private static BrokerProcess broker;

    private final List<Mqtt5AsyncClient> clients = new ArrayList<>();

    @BeforeAll
    static void setUp() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        key = generator.generateKeyPair();
        RSAPublicKey published = (RSAPublicKey) key.getPublic();
        String set = "{\"keys\": [{\"kty\": \"RSA\", \"kid\": \"k1\", \"n\": \"" + base64(published.getModulus())
                + "\", \"e\": \"" + base64(published.getPublicExponent()) + "\"}]}";
        jwks = new AnswerService(asked -> set);
        service = new AnswerService(ProvidersTest::verdict);
        broker = new BrokerProcess(directory.resolve("broker"))
                .environment("SERVICE_TOKEN", "a-secret-of-the-environment")
                .setting("authConfig", "{providers: [jwt, http]}")
                .setting(
                        "plugins",
                        "{jwt: {algorithms: [RS256], jwksUrl: \"" + jwks.url() + "\", issuer: it, leeway: 0}, "
                                + "http: {connectUrl: \"" + service.url() + "\", aclUrl: \"" + service.url()
                                + "\", aclCache: 0, timeout: 2s, headers: [\"X-Token=${SERVICE_TOKEN}\"]}}");
        broker.start();
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

    private static String base64(BigInteger number) {
        byte[] bytes = number.toByteArray();
        int sign = bytes[0] == 0 ? 1 : 0;
        return BASE64.encodeToString(Arrays.copyOfRange(bytes, sign, bytes.length));
    }

    private static String base64(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String token(String issuer, long seconds) throws Exception {
        long end = System.currentTimeMillis() / 1_000 + seconds;
        String signed = base64("{\"alg\": \"RS256\", \"kid\": \"k1\"}") + "."
                + base64("{\"iss\": \"" + issuer + "\", \"sub\": \"gate\", \"exp\": " + end
                        + ", \"acl\": {\"all\": [\"gates/%c/#\"]}}");
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key.getPrivate());
        signature.update(signed.getBytes(StandardCharsets.UTF_8));
        return signed + "." + BASE64.encodeToString(signature.sign());
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
        String unsigned = base64("{\"alg\": \"none\"}") + body;
        assertThat(connect("unsigned", unsigned)).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
    }

    @Test
    void aConnectionEndsWithItsToken() throws Exception {
        BlockingQueue<MqttClientDisconnectedContext> ends = new LinkedBlockingQueue<>();
        Mqtt5AsyncClient gate = client("short", ends);
        assertThat(connect(gate, "whoever", token("it", 15))).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        MqttClientDisconnectedContext end = ends.poll(60, TimeUnit.SECONDS);
        assertThat(end).isNotNull();
        assertThat(end.getCause())
                .isInstanceOfSatisfying(
                        Mqtt5DisconnectException.class,
                        e -> assertThat(e.getMqttMessage().getReasonCode())
                                .isEqualTo(Mqtt5DisconnectReasonCode.MAXIMUM_CONNECT_TIME));
    }

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
