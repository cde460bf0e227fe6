package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The grant of a provider at login, its time limit, and "undecided"; over real sockets. */
class GrantTest {
    private static final String METHOD = "GRANT";

    /** Grants the topic in the user name, for the seconds in the password. */
    private final MemoryAuth auth = new MemoryAuth()
            .onConnect(request -> {
                String user = Objects.requireNonNull(request.client().userName());
                return CompletableFuture.completedFuture(
                        user.equals("nobody") ? ConnectResult.UNDECIDED : granting(user, request.password()));
            })
            .onExchange(request -> request.method().equals(METHOD)
                    ? data -> CompletableFuture.<AuthStep>completedFuture(exchanged(data))
                    : null)
            .onPublish(request -> CompletableFuture.completedFuture(decided(request.grant(), request.topic())))
            .onSubscribe(request -> CompletableFuture.completedFuture(
                    decided(request.grant(), request.filter().text())));

    private final TestNode node = new TestNode(auth, new AuthConfig(Duration.ofSeconds(10), false, true));

    @AfterEach
    void close() {
        node.close();
    }

    /** {@code topic}, or {@code topic seconds}; the user is always the same. */
    private static AuthStep exchanged(byte[] data) {
        String[] words = new String(data, StandardCharsets.UTF_8).split(" ", -1);
        ConnectResult.Accepted accepted = new ConnectResult.Accepted(TenantId.DEFAULT, "ann").granting(words[0]);
        if (words[0].equals("nothing")) {
            return ConnectResult.UNDECIDED;
        }
        return words.length == 1 ? accepted : accepted.lasting(Duration.ofSeconds(Long.parseLong(words[1])));
    }

    private static ConnectResult granting(String topic, byte @Nullable [] password) {
        ConnectResult.Accepted accepted = new ConnectResult.Accepted(TenantId.DEFAULT, topic).granting(topic);
        return password == null
                ? accepted
                : accepted.lasting(Duration.ofSeconds(Long.parseLong(new String(password, StandardCharsets.UTF_8))));
    }

    private static AuthDecision decided(@Nullable Object grant, String topic) {
        if (topic.equals("undecided")) {
            return AuthDecision.UNDECIDED;
        }
        return topic.equals(grant) ? AuthDecision.ALLOWED : new AuthDecision.Denied("granted is " + grant);
    }

    private static Connect connect(int level, String user, @Nullable String seconds, @Nullable String willTopic) {
        WillPacket will = willTopic == null
                ? null
                : new WillPacket(willTopic, new byte[0], Qos.AT_MOST_ONCE, false, MessageProperties.NONE, 0);
        byte[] password = seconds == null ? null : seconds.getBytes(StandardCharsets.UTF_8);
        return new Connect(level, true, 0, "c", user, password, will);
    }

    private TestClient exchanged(String data) {
        TestClient client = new TestClient(node.address, 5);
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        Connect connect =
                new Connect(5, true, 0, "c", null, null, null, -1, -1, -1, -1, false, true, List.of(), METHOD, bytes);
        assertThat(client.connect(connect).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static ReasonCode published(TestClient client, String topic) {
        client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "x"));
        ReasonCode code = client.receive(PubAck.class).reasonCode();
        return code == ReasonCode.NO_MATCHING_SUBSCRIBERS ? ReasonCode.SUCCESS : code;
    }

    private static Auth again(String data) {
        return new Auth(ReasonCode.RE_AUTHENTICATE, METHOD, data.getBytes(StandardCharsets.UTF_8), null, List.of());
    }

    @Test
    void theProviderSeesAtEachCheckWhatItHasGranted() {
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(connect(5, "mine", null, "mine")).reasonCode())
                    .isEqualTo(ReasonCode.SUCCESS);
            assertThat(published(client, "mine")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(published(client, "yours")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(client.subscribe(2, "mine", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.SUCCESS);
            assertThat(client.subscribe(3, "yours", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.NOT_AUTHORIZED);
        }
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(connect(5, "mine", null, "yours")).reasonCode())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    /** Also for the topic whose decision was remembered. */
    @Test
    void anotherAuthenticationBringsAnotherGrant() {
        try (TestClient client = exchanged("first")) {
            assertThat(published(client, "first")).isEqualTo(ReasonCode.SUCCESS);
            client.send(again("second"));
            assertThat(client.receive(Auth.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(published(client, "first")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(published(client, "second")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(client.subscribe(2, "second", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.SUCCESS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void undecidedIsANo(int level) {
        try (TestClient client = new TestClient(node.address, level)) {
            assertThat(client.connect(connect(level, "nobody", null, null)).reasonCode())
                    .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (TestClient client = new TestClient(node.address, level)) {
            assertThat(client.connect(connect(level, "mine", null, "undecided")).reasonCode())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect(5, "mine", null, null));
            assertThat(published(client, "undecided")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(client.subscribe(2, "undecided", Qos.AT_MOST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void anUndecidedReauthenticationIsARefusal() {
        try (TestClient client = exchanged("first")) {
            client.send(again("nothing"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    @Test
    void aLoginThatIsOverEndsTheConnection() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect(5, "mine", "1", null));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.MAXIMUM_CONNECT_TIME);
            assertThat(client.isClosedByServer()).isTrue();
            Await.until(
                    "the event gives the cause",
                    () -> node.events.stream()
                            .anyMatch(event -> event instanceof BrokerEvent.ClientDisconnected ended
                                    && ended.cause() == DisconnectCause.LOGIN_EXPIRED));
        }
        try (TestClient client = new TestClient(node.address, 4)) {
            client.connect(connect(4, "mine", "0", null));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** A day in between is longer than the test waits. */
    @Test
    void anotherAuthenticationBringsAnotherTime() {
        try (TestClient client = exchanged("first 86400")) {
            client.send(again("first 1"));
            assertThat(client.receive(Auth.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.MAXIMUM_CONNECT_TIME);
        }
        try (TestClient client = exchanged("first 1");
                TestClient clock = new TestClient(node.address, 5)) {
            client.send(again("first"));
            assertThat(client.receive(Auth.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            Connect second = new Connect(5, true, 0, "clock", "mine", "3".getBytes(StandardCharsets.UTF_8), null);
            clock.connect(second);
            assertThat(clock.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.MAXIMUM_CONNECT_TIME);
            assertThat(published(client, "first")).isEqualTo(ReasonCode.SUCCESS);
        }
    }
}
