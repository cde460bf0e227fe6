package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Extended authentication (MQTT 5.0, 4.12) over real sockets, with a mechanism that does what the data says. */
class EnhancedAuthTest {
    private static final String METHOD = "TALK";

    private final List<ExchangeRequest> begun = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
    private final MemoryAuth auth = new MemoryAuth().onExchange(request -> {
        begun.add(request);
        return request.method().equals(METHOD) ? new Talk() : null;
    });
    private final TestNode node = new TestNode(auth, new AuthConfig(Duration.ofMillis(300), false, true));

    @AfterEach
    void close() {
        node.close();
    }

    /** "ask" challenges with "why", "silent" without data; "user NAME" accepts with "welcome". */
    private final class Talk implements AuthExchange {
        @Override
        public CompletableFuture<AuthStep> onData(byte[] data) {
            String said = new String(data, StandardCharsets.UTF_8);
            if (said.equals("throw")) {
                throw new IllegalStateException("broken");
            }
            if (said.equals("never")) {
                return new CompletableFuture<>();
            }
            return CompletableFuture.supplyAsync(() -> answer(said)); // on a thread of its own
        }

        private AuthStep answer(String said) {
            if (said.equals("ask")) {
                return new AuthStep.Challenge("why".getBytes(StandardCharsets.UTF_8));
            }
            if (said.isEmpty()) {
                return new AuthStep.Challenge(new byte[0]);
            }
            return said.startsWith("user ")
                    ? new ConnectResult.Accepted(
                            TenantId.DEFAULT, said.substring(5), "welcome".getBytes(StandardCharsets.UTF_8))
                    : new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "said " + said);
        }

        @Override
        public void close() {
            ended.add("ended");
        }
    }

    private static Connect connect(@Nullable String method, @Nullable String data) {
        return new Connect(
                5, true, 0, "c", null, null, null, -1, -1, -1, -1, false, true, List.of(), method, bytes(data));
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static Auth auth(ReasonCode code, String method, @Nullable String data) {
        return new Auth(code, method, bytes(data), null, List.of());
    }

    private static Auth more(String data) {
        return auth(ReasonCode.CONTINUE_AUTHENTICATION, METHOD, data);
    }

    private TestClient connected(String user) {
        TestClient client = new TestClient(node.address, 5);
        assertThat(client.connect(connect(METHOD, "user " + user)).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private void endedTimes(int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            assertThat(ended.poll(10, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(ended).isEmpty();
    }

    /** [MQTT5-4.12.0-1]. */
    @Test
    @Clause("MQTT5-4.12.0-1")
    void anUnknownMethodIsRefused() {
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck ack = client.connect(connect("OTHER", "x"));
            assertThat(ack.reasonCode()).isEqualTo(ReasonCode.BAD_AUTHENTICATION_METHOD);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** [MQTT5-4.12.0-2], [MQTT5-4.12.0-3], [MQTT5-4.12.0-5]. */
    @Test
    @Clause({"MQTT5-4.12.0-2", "MQTT5-4.12.0-5"})
    void challengesAndAnswersLeadToConnAck() throws Exception {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, "ask"));
            Auth challenge = client.receive(Auth.class);
            assertThat(challenge.reasonCode()).isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
            assertThat(challenge.authenticationMethod()).isEqualTo(METHOD);
            assertThat(challenge.authenticationData()).isEqualTo(bytes("why"));
            client.send(more(""));
            Auth second = client.receive(Auth.class);
            assertThat(second.reasonCode()).isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
            assertThat(second.authenticationData()).isNull();
            client.send(more("user ann"));
            ConnAck ack = client.receive(ConnAck.class);
            assertThat(ack.reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(ack.authenticationMethod()).isEqualTo(METHOD);
            assertThat(ack.authenticationData()).isEqualTo(bytes("welcome"));
            client.send(new PingReq());
            client.receive(PingResp.class);
        }
        assertThat(begun)
                .singleElement()
                .satisfies(request -> assertThat(request.isReauthentication()).isFalse());
        assertThat(node.events)
                .filteredOn(BrokerEvent.ClientConnected.class::isInstance)
                .extracting(
                        event -> ((BrokerEvent.ClientConnected) event).client().userName())
                .containsExactly("ann");
        endedTimes(1);
    }

    @Test
    void aConnectMayBringNoDataYet() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, null));
            assertThat(client.receive(Auth.class).authenticationData()).isNull();
            client.send(more("user ann"));
            assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    /** [MQTT5-4.12.0-4]. */
    @Test
    @Clause({"MQTT5-4.12.0-4", "MQTT5-3.1.4-2"})
    void aWrongAnswerIsRefused() throws Exception {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, "ask"));
            client.receive(Auth.class);
            client.send(more("nonsense"));
            assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(node.directory.size()).isZero();
        endedTimes(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "never"})
    void whatIsNoAnswerRefuses(String data) throws Exception {
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck ack = client.connect(connect(METHOD, data));
            assertThat(ack.reasonCode()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        }
        assertThat(node.events).hasAtLeastOneElementOfType(BrokerEvent.AuthFailed.class);
        endedTimes(1);
    }

    /** [MQTT5-4.12.0-3]: the answer to a challenge says "continue". */
    @ParameterizedTest
    @EnumSource(
            value = ReasonCode.class,
            names = {"SUCCESS", "RE_AUTHENTICATE"})
    @Clause("MQTT5-4.12.0-3")
    void anAnswerThatDoesNotContinueIsAnError(ReasonCode code) {
        breaksTheProtocolInTheExchange(auth(code, METHOD, "user ann"));
    }

    /** [MQTT5-4.12.0-5]. */
    @Test
    @Clause("MQTT5-4.12.0-5")
    void anAnswerByAnotherMethodIsAnError() {
        breaksTheProtocolInTheExchange(auth(ReasonCode.CONTINUE_AUTHENTICATION, "OTHER", "user ann"));
    }

    /** [MQTT5-3.1.2-30]: nothing but AUTH and DISCONNECT before CONNACK. */
    @Test
    @Clause("MQTT5-3.1.2-30")
    void anotherPacketBeforeConnAckIsAnError() {
        breaksTheProtocolInTheExchange(new PingReq());
    }

    private void breaksTheProtocolInTheExchange(Packet packet) {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, "ask"));
            client.receive(Auth.class);
            client.send(packet);
            assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aClientMayGiveUpAnExchange() throws Exception {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, "ask"));
            client.receive(Auth.class);
            client.send(Disconnect.NORMAL);
            assertThat(client.isClosedByServer()).isTrue();
        }
        endedTimes(1);
        assertThat(node.events)
                .filteredOn(BrokerEvent.ConnectAbandoned.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        BrokerEvent.ConnectAbandoned.class,
                        event -> assertThat(event.progress()).isEqualTo(ConnectProgress.NOT_ANSWERED));
    }

    @Test
    void anExchangeHasAnEnd() {
        try (TestClient client = new TestClient(node.address, 5)) {
            client.send(connect(METHOD, "ask"));
            int steps = 0;
            Packet answer = client.receive();
            for (; answer instanceof Auth && steps < 1000; steps++) {
                client.send(more("ask"));
                answer = client.receive();
            }
            assertThat(answer).isInstanceOf(ConnAck.class);
            assertThat(((ConnAck) answer).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    /** [MQTT5-4.12.0-6], [MQTT5-4.12.0-7]. */
    @Test
    @Clause({"MQTT5-4.12.0-6", "MQTT5-4.12.0-7"})
    void withoutAMethodThereIsNoAuth() {
        try (TestClient client = new TestClient(node.address, 5)) {
            assertThat(client.connect(connect(null, null)).authenticationMethod())
                    .isNull();
            client.send(auth(ReasonCode.RE_AUTHENTICATE, METHOD, "user ann"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
        assertThat(begun).isEmpty();
    }

    /** MQTT 5.0, 4.12.1: other packets go on meanwhile; the end is an AUTH with "success" [MQTT5-4.12.0-5]. */
    @Test
    @Clause({"MQTT5-4.12.1-1", "MQTT5-4.12.0-5"})
    void aConnectedClientAuthenticatesAgain() throws Exception {
        try (TestClient client = connected("ann")) {
            for (int round = 0; round < 2; round++) {
                client.send(auth(ReasonCode.RE_AUTHENTICATE, METHOD, "ask"));
                assertThat(client.receive(Auth.class).reasonCode()).isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
                client.send(new PingReq());
                client.receive(PingResp.class);
                client.send(more("user ann"));
                Auth done = client.receive(Auth.class);
                assertThat(done.reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                assertThat(done.authenticationMethod()).isEqualTo(METHOD);
                assertThat(done.authenticationData()).isEqualTo(bytes("welcome"));
            }
        }
        assertThat(begun).extracting(ExchangeRequest::isReauthentication).containsExactly(false, true, true);
        assertThat(begun.get(1).client().userName()).isEqualTo("ann");
        endedTimes(3);
    }

    /** [MQTT5-4.12.1-2]. */
    @Test
    @Clause("MQTT5-4.12.1-2")
    void whoFailsToAuthenticateAgainIsDisconnected() {
        try (TestClient client = connected("ann")) {
            client.send(auth(ReasonCode.RE_AUTHENTICATE, METHOD, "nonsense"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(client.isClosedByServer()).isTrue();
            Await.until(
                    "the event gives the cause",
                    () -> node.events.stream()
                            .anyMatch(event -> event instanceof BrokerEvent.ClientDisconnected ended
                                    && ended.cause() == DisconnectCause.REAUTHENTICATION_FAILED));
        }
    }

    @Test
    void nobodyBecomesAnotherUser() {
        try (TestClient client = connected("ann")) {
            client.send(auth(ReasonCode.RE_AUTHENTICATE, METHOD, "user bob"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
    }

    /** [MQTT5-4.12.1-1]. */
    @Test
    @Clause("MQTT5-4.12.1-1")
    void theMethodStaysTheOneOfTheConnect() {
        try (TestClient client = connected("ann")) {
            client.send(auth(ReasonCode.RE_AUTHENTICATE, "OTHER", "user ann"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ReasonCode.class,
            names = {"SUCCESS", "CONTINUE_AUTHENTICATION"})
    void onlyReAuthenticateBeginsAnother(ReasonCode code) {
        try (TestClient client = connected("ann")) {
            client.send(auth(code, METHOD, "user ann"));
            assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
    }

    @Test
    void anExchangeEndsWithItsConnection() throws Exception {
        try (TestClient client = connected("ann")) {
            client.send(auth(ReasonCode.RE_AUTHENTICATE, METHOD, "ask"));
            client.receive(Auth.class);
        }
        endedTimes(2);
    }
}
