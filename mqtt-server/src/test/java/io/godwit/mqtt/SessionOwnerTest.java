package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where users are known, a client id is no key to the session of another user. */
class SessionOwnerTest {
    private final MemoryAuth auth = new MemoryAuth();
    private @Nullable TestNode node;

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
    }

    private TestNode start(AuthConfig config) {
        auth.onConnect(request -> CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client())));
        node = new TestNode(auth, config);
        return node;
    }

    private static ConnAck answer(TestNode node, int level, @Nullable String user, boolean isClean) {
        try (TestClient client = new TestClient(node.address, level)) {
            return client.connect(connect(level, user, isClean));
        }
    }

    private static Connect connect(int level, @Nullable String user, boolean isClean) {
        return new Connect(
                level,
                isClean,
                0,
                "c",
                user,
                null,
                null,
                level == 5 && !isClean ? 3600 : -1,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    @ParameterizedTest
    @CsvSource({"5,bob,false", "5,bob,true", "4,bob,false", "4,bob,true", "5,,false", "5,,true"})
    void aStoredSessionIsKeptForItsUser(int level, @Nullable String other, boolean isClean) {
        TestNode node = start(AuthConfig.DEFAULTS);
        try (TestClient ann = new TestClient(node.address, 5)) {
            ann.connect(connect(5, "ann", false));
            ann.subscribe(1, "for/ann", Qos.AT_LEAST_ONCE);
        }
        long limit = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (node.directory.size() > 0) { // until then the connected client keeps others out
            assertThat(System.nanoTime()).isLessThan(limit);
            Thread.onSpinWait();
        }
        assertThat(answer(node, level, other, isClean).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        try (TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            publisher.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "for/ann", "m"));
            publisher.receive(PubAck.class);
        }
        try (TestClient ann = new TestClient(node.address, 5)) {
            assertThat(ann.connect(connect(5, "ann", false)).sessionPresent()).isTrue();
            assertThat(ann.receivePayload()).isEqualTo("m");
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.ConnectDenied.class::isInstance)
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"true,bob", "false,bob", "true,"})
    void aConnectedClientIsNotDrivenOutByAnotherUser(boolean isClean, @Nullable String other) {
        TestNode node = start(AuthConfig.DEFAULTS);
        try (TestClient ann = new TestClient(node.address, 5)) {
            ann.connect(connect(5, "ann", isClean));
            assertThat(answer(node, 5, other, true).reasonCode()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            ann.send(new PingReq());
            ann.receive(PingResp.class);
            assertThat(answer(node, 5, "ann", true).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    /** Like sessions from before users were checked. */
    @Test
    void aSessionOfNobodyIsBegunAnewByTheUserWhoComes() {
        TestNode node = start(AuthConfig.DEFAULTS);
        assertThat(answer(node, 5, null, false).sessionPresent()).isFalse();
        assertThat(answer(node, 5, null, false).sessionPresent()).isTrue();
        assertThat(answer(node, 5, "ann", false).sessionPresent()).isFalse();
        assertThat(answer(node, 5, "ann", false).sessionPresent()).isTrue();
    }

    @Test
    void aClientIdIsAllItTakesWhereTheOperatorSaysSo() {
        TestNode node = start(new AuthConfig(Duration.ofSeconds(10), false, false));
        try (TestClient ann = new TestClient(node.address, 5)) {
            ann.connect(connect(5, "ann", false));
            assertThat(answer(node, 5, "bob", false).sessionPresent()).isTrue();
            assertThat(ann.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
        }
    }
}
