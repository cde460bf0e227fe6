package io.godwit.it.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt3.message.connect.connack.Mqtt3ConnAckReturnCode;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.suback.Mqtt5SubAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker with users and rules, set up as its operator would and used by HiveMQ's clients. */
class AuthTest {
    private static final String RULES = """
            # the shop
            allow all user ann ann/#
            allow publish all in/%c/+
            deny subscribe all secret/#
            allow subscribe all #
            """;

    /** Written by mosquitto_passwd for the password "secret1". */
    private static final String MOSQUITTO_USER = "alice:$7$101$anT2zS1pL5jq981F$"
            + "yL58mBe9BcvdUQboC99d4TscEt7VHKUWaLpys/x4hC1ifad8l8DtjNda7og9UyRItv54J5mj3lGC7y6HGlRxaA==\n";

    @TempDir
    private static Path directory;

    private static Path passwords;
    private static Path rules;
    private static BrokerProcess broker;

    private final List<Mqtt5AsyncClient> clients = new ArrayList<>();

    @BeforeAll
    static void setUp() throws Exception {
        passwords = directory.resolve("passwd");
        rules = directory.resolve("acl");
        Path mosquitto = Files.writeString(directory.resolve("mosquitto"), MOSQUITTO_USER);
        assertThat(passwd("grutto\n", "add", "ann")).contains("added ann");
        assertThat(passwd("wulp\n", "add", "--scram", "gate")).contains("added gate");
        assertThat(passwd("", "import", mosquitto.toString())).contains("imported 1 users");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(passwords)))
                .isEqualTo("rw-------");
        Files.writeString(rules, RULES);
        broker = new BrokerProcess(directory.resolve("broker"))
                .setting("authConfig", "{provider: file, file: " + passwords + ", aclFile: " + rules + "}");
        broker.start();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    @AfterEach
    void disconnect() {
        clients.forEach(Mqtt5AsyncClient::disconnect);
    }

    /** Runs the tool as a user does; returns what it prints. */
    private static String passwd(String input, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(BrokerProcess.distribution().resolve("bin/godwit-passwd").toString());
        command.addAll(List.of("--file", passwords.toString()));
        command.addAll(List.of(words));
        Path output = directory.resolve("passwd.out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String said = Files.readString(output);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    private Mqtt5AsyncClient client(String clientId) {
        Mqtt5AsyncClient client = Mqtt5Client.builder()
                .identifier(clientId)
                .serverAddress(broker.address())
                .buildAsync();
        clients.add(client);
        return client;
    }

    private static void connect(Mqtt5AsyncClient client, String user, String password, @Nullable String willTopic)
            throws Exception {
        var connect = client.connectWith()
                .simpleAuth()
                .username(user)
                .password(password.getBytes(StandardCharsets.UTF_8))
                .applySimpleAuth();
        if (willTopic != null) {
            connect = connect.willPublish().topic(willTopic).applyWillPublish();
        }
        connect.send().get(10, TimeUnit.SECONDS);
    }

    private Mqtt5AsyncClient connected(String clientId, String user, String password) throws Exception {
        Mqtt5AsyncClient client = client(clientId);
        connect(client, user, password, null);
        return client;
    }

    /** What CONNACK says to one that is not let in. */
    private Mqtt5ConnAckReasonCode refused(String user, String password, @Nullable String willTopic) throws Exception {
        try {
            connect(client("refused-" + user), user, password, willTopic);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5ConnAckException.class);
            return ((Mqtt5ConnAckException) e.getCause()).getMqttMessage().getReasonCode();
        }
        return Mqtt5ConnAckReasonCode.SUCCESS;
    }

    /** What PUBACK says. */
    private static Mqtt5PubAckReasonCode publish(Mqtt5AsyncClient client, String topic) throws Exception {
        try {
            client.publishWith().topic(topic).qos(MqttQos.AT_LEAST_ONCE).send().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5PubAckException.class);
            return ((Mqtt5PubAckException) e.getCause()).getMqttMessage().getReasonCode();
        }
        return Mqtt5PubAckReasonCode.SUCCESS;
    }

    @Test
    void aClientIdInUseIsOutOfReachOfOtherUsers() throws Exception {
        Mqtt5AsyncClient ann = connected("owned", "ann", "grutto");
        assertThatThrownBy(() -> connected("owned", "gate", "wulp"))
                .cause()
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        e -> assertThat(e.getMqttMessage().getReasonCode())
                                .isEqualTo(Mqtt5ConnAckReasonCode.NOT_AUTHORIZED));
        assertThat(publish(ann, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
    }

    @Test
    void passwordsAreChecked() throws Exception {
        assertThat(refused("ann", "grutto", null)).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(refused("ann", "wulp", null)).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(refused("nobody", "grutto", null)).isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(refused("gate", "wulp", null))
                .as("a SCRAM user may log in with the plain password")
                .isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(refused("alice", "secret1", null))
                .as("a user imported from mosquitto may log in")
                .isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThatThrownBy(() -> client("anonymous").connect().get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        e -> assertThat(e.getMqttMessage().getReasonCode())
                                .isEqualTo(Mqtt5ConnAckReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void mqtt3IsToldByReturnCodes() {
        var v3 = Mqtt3Client.builder()
                .identifier("v3")
                .serverAddress(broker.address())
                .buildBlocking();
        assertThatThrownBy(() -> v3.connectWith()
                        .simpleAuth()
                        .username("ann")
                        .password("wrong".getBytes(StandardCharsets.UTF_8))
                        .applySimpleAuth()
                        .send())
                .isInstanceOfSatisfying(
                        Mqtt3ConnAckException.class,
                        e -> assertThat(e.getMqttMessage().getReturnCode())
                                .isEqualTo(Mqtt3ConnAckReturnCode.BAD_USER_NAME_OR_PASSWORD));
        assertThatThrownBy(v3::connect)
                .isInstanceOfSatisfying(
                        Mqtt3ConnAckException.class,
                        e -> assertThat(e.getMqttMessage().getReturnCode())
                                .isEqualTo(Mqtt3ConnAckReturnCode.NOT_AUTHORIZED));
    }

    @Test
    void rulesHoldForPublishesSubscriptionsAndWills() throws Exception {
        Mqtt5AsyncClient gate = connected("g1", "gate", "wulp");
        assertThat(publish(gate, "in/g1/state")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        assertThat(publish(gate, "in/g2/state")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(publish(gate, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        assertThat(subscribed(gate, "in/+/state")).isEqualTo(Mqtt5SubAckReasonCode.GRANTED_QOS_2);
        assertThat(subscribed(gate, "#")).isEqualTo(Mqtt5SubAckReasonCode.NOT_AUTHORIZED);
        assertThat(subscribed(gate, "$share/g/secret/plan")).isEqualTo(Mqtt5SubAckReasonCode.NOT_AUTHORIZED);
        assertThat(refused("ann", "grutto", "ann/will")).isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        assertThat(refused("ann", "grutto", "bob/will")).isEqualTo(Mqtt5ConnAckReasonCode.NOT_AUTHORIZED);
    }

    private static Mqtt5SubAckReasonCode subscribed(Mqtt5AsyncClient client, String filter) throws Exception {
        try {
            return client.subscribeWith()
                    .topicFilter(filter)
                    .send()
                    .get(10, TimeUnit.SECONDS)
                    .getReasonCodes()
                    .get(0);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Mqtt5SubAckException.class);
            return ((Mqtt5SubAckException) e.getCause())
                    .getMqttMessage()
                    .getReasonCodes()
                    .get(0);
        }
    }

    @Test
    void changedFilesTakeEffectWhileClientsAreConnected() throws Exception {
        Mqtt5AsyncClient ann = connected("reload", "ann", "grutto");
        assertThat(publish(ann, "new/topic")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);
        replace(rules, RULES + "permit something\n");
        replace(rules, RULES + "allow publish user ann new/#\n");
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (publish(ann, "new/topic") == Mqtt5PubAckReasonCode.NOT_AUTHORIZED) {
            assertThat(System.nanoTime())
                    .as("the change takes effect within twenty seconds")
                    .isLessThan(giveUp);
        }

        passwd("kievit\n", "add", "--cost", "5", "new");
        while (refused("new", "kievit", null) != Mqtt5ConnAckReasonCode.SUCCESS) {
            assertThat(System.nanoTime())
                    .as("the change takes effect within twenty seconds")
                    .isLessThan(giveUp);
        }
        passwd("", "delete", "new");
        while (refused("new", "kievit", null) == Mqtt5ConnAckReasonCode.SUCCESS) {
            assertThat(System.nanoTime())
                    .as("the change takes effect within twenty seconds")
                    .isLessThan(giveUp);
        }
        assertThat(publish(ann, "new/topic")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
    }

    private static void replace(Path file, String text) throws IOException {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void scramProvesThePasswordAndDoesSoAgain() throws Exception {
        ScramMechanism scram = new ScramMechanism("gate", "wulp");
        Mqtt5AsyncClient gate = client("scram");
        gate.connectWith().enhancedAuth(scram).send().get(10, TimeUnit.SECONDS);
        assertThat(publish(gate, "in/scram/state")).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
        gate.reauth().get(10, TimeUnit.SECONDS);
        gate.reauth().get(10, TimeUnit.SECONDS);
        assertThat(publish(gate, "ann/x")).isEqualTo(Mqtt5PubAckReasonCode.NOT_AUTHORIZED);

        scram.password("grutto");
        assertThatThrownBy(() -> gate.reauth().get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        Mqtt5DisconnectException.class,
                        e -> assertThat(e.getMqttMessage().getReasonCode())
                                .isEqualTo(Mqtt5DisconnectReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void scramWithAWrongPasswordOrForAUserWithoutItIsRefused() {
        for (ScramMechanism wrong : List.of(
                new ScramMechanism("gate", "grutto"),
                new ScramMechanism("ann", "grutto"),
                new ScramMechanism("nobody", "x"))) {
            assertThatThrownBy(() -> client("wrong")
                            .connectWith()
                            .enhancedAuth(wrong)
                            .send()
                            .get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            Mqtt5ConnAckException.class,
                            e -> assertThat(e.getMqttMessage().getReasonCode())
                                    .isEqualTo(Mqtt5ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD));
        }
    }
}
