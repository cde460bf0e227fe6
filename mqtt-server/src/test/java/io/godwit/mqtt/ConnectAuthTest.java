package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which clients are let in, and with which will, over real sockets. */
class ConnectAuthTest {
    private final MemoryAuth auth = new MemoryAuth();
    private @Nullable TestNode node;

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
    }

    private TestNode node() {
        if (node == null) {
            node = new TestNode(auth, new AuthConfig(Duration.ofMillis(200), false, true));
        }
        return node;
    }

    private static Connect connect(int level, String user, String password, @Nullable String willTopic) {
        WillPacket will = willTopic == null
                ? null
                : new WillPacket(willTopic, new byte[0], Qos.AT_MOST_ONCE, false, MessageProperties.NONE, 0);
        return new Connect(level, true, 0, "c", user, password.getBytes(StandardCharsets.UTF_8), will);
    }

    private ConnAck answer(Connect connect) {
        try (TestClient client = new TestClient(node().address, connect.protocolLevel())) {
            ConnAck ack = client.connect(connect);
            if (ack.reasonCode().isError()) { // [MQTT5-3.2.2-7], [MQTT311-3.2.2-5]
                assertThat(client.isClosedByServer()).isTrue();
            }
            return ack;
        }
    }

    private static Function<ConnectRequest, CompletableFuture<ConnectResult>> always(ConnectResult result) {
        return request -> CompletableFuture.completedFuture(result);
    }

    @ParameterizedTest
    @CsvSource({
        "5,BAD_CREDENTIALS,BAD_USER_NAME_OR_PASSWORD",
        "5,NOT_AUTHORIZED,NOT_AUTHORIZED",
        "5,BANNED,BANNED",
        "5,BUSY,SERVER_BUSY",
        "5,UNAVAILABLE,SERVER_UNAVAILABLE",
        "4,BAD_CREDENTIALS,BAD_USER_NAME_OR_PASSWORD",
        "4,NOT_AUTHORIZED,NOT_AUTHORIZED",
        "4,BANNED,NOT_AUTHORIZED",
        "4,BUSY,SERVER_UNAVAILABLE",
        "3,BAD_CREDENTIALS,BAD_USER_NAME_OR_PASSWORD",
        "3,NOT_AUTHORIZED,NOT_AUTHORIZED",
        "3,UNAVAILABLE,SERVER_UNAVAILABLE"
    })
    @Clause({"MQTT5-3.1.4-2", "MQTT5-3.2.2-8", "MQTT31-3.2-3"})
    void aRefusalIsToldInTheWordsOfTheProtocol(int level, RefusalReason reason, ReasonCode code) {
        auth.onConnect(always(new ConnectResult.Refused(reason, "says the test")));
        ConnAck ack = answer(connect(level, "u", "p", null));
        assertThat(ack.reasonCode()).isEqualTo(code);
        assertThat(ack.reasonString()).isNull();
        assertThat(node().events)
                .filteredOn(BrokerEvent.ConnectDenied.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    BrokerEvent.ConnectDenied denied = (BrokerEvent.ConnectDenied) event;
                    assertThat(denied.reason()).isEqualTo(reason);
                    assertThat(denied.detail()).isEqualTo("says the test");
                });
        assertThat(node().count("godwit.mqtt.connects.denied")).isEqualTo(1);
        assertThat(node().count(
                                "godwit.mqtt.connects.denied",
                                "reason",
                                reason.name().toLowerCase(Locale.ROOT)))
                .isEqualTo(1);
        assertThat(node().directory.size()).as("client ids in use").isZero();
    }

    @Test
    void theProviderSeesUserAndPasswordAndDecidesTheName() {
        auth.onConnect(request -> {
            assertThat(request.password()).isEqualTo("secret".getBytes(StandardCharsets.UTF_8));
            assertThat(request.client().userName()).isEqualTo("u");
            return CompletableFuture.completedFuture(new ConnectResult.Accepted(TenantId.DEFAULT, "proven"));
        });
        assertThat(answer(connect(5, "u", "secret", null)).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(node().events)
                .filteredOn(BrokerEvent.ClientConnected.class::isInstance)
                .extracting(
                        event -> ((BrokerEvent.ClientConnected) event).client().userName())
                .containsExactly("proven");
    }

    /** Fail closed: anything but an explicit accept is refused. */
    @ParameterizedTest
    @ValueSource(strings = {"throws", "error", "null", "future of null", "fails", "never"})
    void whatIsNoAnswerRefuses(String how) {
        auth.onConnect(request -> switch (how) {
            case "throws" -> throw new IllegalStateException("broken");
            case "error" -> throw new NoClassDefFoundError("broken");
            case "null" -> null;
            case "future of null" -> CompletableFuture.completedFuture(null);
            case "fails" -> CompletableFuture.failedFuture(new IllegalStateException("broken"));
            default -> new CompletableFuture<>();
        });
        assertThat(answer(connect(5, "u", "p", null)).reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(node().events)
                .filteredOn(BrokerEvent.AuthFailed.class::isInstance)
                .extracting(event -> ((BrokerEvent.AuthFailed) event).check())
                .containsExactly(AuthCheck.CONNECT);
        assertThat(node().count("godwit.mqtt.auth.failures")).isEqualTo(1);
    }

    /**
     * Neither an earlier connection of the client id nor its session is touched by somebody who cannot prove to own it.
     */
    @Test
    void aRefusedClientTakesNothingOver() {
        auth.onConnect(request -> CompletableFuture.completedFuture(
                "owner".equals(request.client().userName())
                        ? ConnectResult.Accepted.as(request.client())
                        : new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "not the owner")));
        try (TestClient owner = new TestClient(node().address, 4)) {
            assertThat(owner.connect(connect(4, "owner", "p", null)).reasonCode())
                    .isEqualTo(ReasonCode.SUCCESS);
            assertThat(answer(connect(4, "thief", "p", null)).reasonCode())
                    .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            owner.send(new PingReq());
            owner.receive(PingResp.class);
        }
    }

    @Test
    void packetsBehindConnectWaitForALateAnswer() {
        CompletableFuture<ConnectResult> late = new CompletableFuture<>();
        CompletableFuture<ConnectRequest> asked = new CompletableFuture<>();
        auth.onConnect(request -> {
            asked.complete(request);
            return late;
        });
        node = new TestNode(auth, AuthConfig.DEFAULTS);
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(5, "u", "p", null), new PingReq());
            late.complete(ConnectResult.Accepted.as(asked.join().client()));
            assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            client.receive(PingResp.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 4})
    void aWillThatIsNotAllowedRefusesTheConnection(int level) {
        auth.onPublish(request -> {
            assertThat(request.isWill()).isTrue();
            return MemoryAuth.unlessNo(request.topic());
        });
        assertThat(answer(connect(level, "u", "p", "yes")).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(answer(connect(level, "u", "p", "no/will")).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(node().events)
                .filteredOn(BrokerEvent.PublishDenied.class::isInstance)
                .extracting(event -> ((BrokerEvent.PublishDenied) event).isWill())
                .containsExactly(true);
    }
}
