package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans, and the answers that banned clients get. */
class BanTest {
    private static BanConfig bans(int logins, int violations, int flapsOfClient) {
        return new BanConfig(
                logins, violations, 0, flapsOfClient, Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1));
    }

    private static TestNode node(BanConfig bans, RefusalReason toMallory) {
        MemoryAuth auth = new MemoryAuth()
                .onConnect(request -> CompletableFuture.completedFuture(
                        "mallory".equals(request.client().userName())
                                ? new ConnectResult.Refused(toMallory, "test")
                                : ConnectResult.Accepted.as(request.client())));
        return new TestNode(bans, auth, TestNode.onAnyPort(TestNode.LIMITS));
    }

    private static ReasonCode connect(TestNode node, int level, String clientId, String user) {
        try (TestClient client = new TestClient(node.address, level)) {
            return client.connect(new Connect(level, true, 0, clientId, user, null, null))
                    .reasonCode();
        }
    }

    @Test
    void aSourceWhoseLoginsFailIsBannedAndWhoIsConnectedStays() {
        try (TestNode node = node(bans(2, 0, 0), RefusalReason.BAD_CREDENTIALS);
                TestClient before = TestClient.clean(node.address, 5, "before")) {
            for (int i = 0; i < 3; i++) {
                assertThat(connect(node, 5, "m", "mallory")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            }
            assertThat(connect(node, 5, "a", "alice")).isEqualTo(ReasonCode.BANNED);
            assertThat(connect(node, 4, "a", "alice")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            before.send(PingReq.INSTANCE);
            before.receive();
            assertThat(node.events)
                    .contains(new BrokerEvent.Banned(BanCause.SOURCE_FAILED_LOGINS, "127.0.0.1", Duration.ofHours(1)))
                    .filteredOn(BrokerEvent.ConnectionRefused.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ConnectionRefused) event).limit())
                    .containsExactly(ConnectionLimit.BANNED, ConnectionLimit.BANNED);
        }
    }

    /** The client makes the broker compute a challenge and hangs up. */
    @Test
    void anExchangeThatTheClientAbandonsIsAFailedLogin() throws Exception {
        CountDownLatch abandoned = new CountDownLatch(3);
        AuthExchange asking = new AuthExchange() {
            @Override
            public CompletableFuture<AuthStep> onData(byte[] data) {
                return CompletableFuture.completedFuture(new AuthStep.Challenge(new byte[] {1}));
            }

            @Override
            public void close() {
                abandoned.countDown();
            }
        };
        MemoryAuth auth = new MemoryAuth().onExchange(request -> asking);
        Connect begin =
                new Connect(5, true, 0, "m", null, null, null, -1, -1, -1, -1, false, true, List.of(), "ASK", null);
        try (TestNode node = new TestNode(bans(2, 0, 0), auth, TestNode.onAnyPort(TestNode.LIMITS))) {
            for (int i = 0; i < 3; i++) {
                try (TestClient client = new TestClient(node.address, 5)) {
                    client.send(begin);
                    client.receive(Auth.class);
                }
            }
            assertThat(abandoned.await(10, TimeUnit.SECONDS)).isTrue();
            ReasonCode code;
            long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            do { // the last one counts just after its exchange is closed
                code = connect(node, 5, "a", "alice");
            } while (code != ReasonCode.BANNED && System.nanoTime() < giveUp);
            assertThat(code).isEqualTo(ReasonCode.BANNED);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectDenied.class::isInstance)
                    .hasSize(3);
        }
    }

    /** Else one busy minute of the broker would ban its clients. */
    @ParameterizedTest
    @EnumSource(names = {"BUSY", "UNAVAILABLE"})
    void whatIsTheBrokersFaultDoesNotCount(RefusalReason reason) {
        try (TestNode node = node(bans(1, 0, 0), reason)) {
            for (int i = 0; i < 5; i++) {
                connect(node, 5, "m", "mallory");
            }
            assertThat(connect(node, 5, "a", "alice")).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    @Test
    void breachesOfTheProtocolCountWhereConfigured() {
        try (TestNode node = node(bans(0, 1, 0), RefusalReason.BUSY)) {
            for (int i = 0; i < 2; i++) {
                try (TestClient client = new TestClient(node.address, 5)) {
                    client.send(PingReq.INSTANCE);
                    assertThat(client.isClosedByServer()).isTrue();
                }
            }
            assertThat(connect(node, 5, "a", "alice")).isEqualTo(ReasonCode.BANNED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aClientIdThatFlapsIsBannedAndOthersAreNot(int level) {
        try (TestNode node = node(bans(0, 0, 2), RefusalReason.BUSY)) {
            for (int i = 0; i < 3; i++) {
                assertThat(connect(node, level, "flapper", "alice")).isEqualTo(ReasonCode.SUCCESS);
            }
            ReasonCode banned = level == 5 ? ReasonCode.BANNED : ReasonCode.NOT_AUTHORIZED;
            // the server learns of the end of a connection a little later than the client
            for (int attempt = 0; connect(node, level, "flapper", "alice") != banned; attempt++) {
                assertThat(attempt).isLessThan(1000);
            }
            assertThat(connect(node, level, "steady", "alice")).isEqualTo(ReasonCode.SUCCESS);
        }
    }
}
