package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.ban.AddressBlock;
import io.godwit.mqtt.ban.BanSubject;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectionLimit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Whom operators have banned: refused, and disconnected. */
class OperatorBansTest {
    private static final BanSubject CLIENT = new BanSubject.OfClient(TenantId.DEFAULT, "c");
    private static final BanSubject USER = new BanSubject.OfUser(TenantId.DEFAULT, "u");
    private static final BanSubject LOOPBACK = new BanSubject.OfAddress(AddressBlock.parse("127.0.0.0/8"));

    private static TestNode node(MemoryAuth auth) {
        return new TestNode(BanConfig.DEFAULTS, auth, TestNode.onAnyPort(TestNode.LIMITS));
    }

    private static TestNode node() {
        return node(new MemoryAuth());
    }

    private static ReasonCode connect(TestNode node, int level, String clientId, String user) {
        try (TestClient client = new TestClient(node.address, level)) {
            return client.connect(new Connect(level, true, 0, clientId, user, null, null))
                    .reasonCode();
        }
    }

    private static TestClient connected(TestNode node, int level, String clientId, String user) {
        TestClient client = new TestClient(node.address, level);
        assertThat(client.connect(new Connect(level, true, 0, clientId, user, null, null))
                        .reasonCode())
                .isEqualTo(ReasonCode.SUCCESS);
        return client;
    }

    private static void assertTold(TestClient client) {
        assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
        assertThat(client.isClosedByServer()).isTrue();
    }

    @Test
    void aClientIdIsRefusedAndWhoHasItIsDisconnected() {
        try (TestNode node = node();
                TestClient banned = connected(node, 5, "c", null);
                TestClient other = connected(node, 5, "d", null)) {
            node.server.operatorBans().put(CLIENT, BanTable.NEVER);
            assertTold(banned);
            assertThat(connect(node, 5, "c", null)).isEqualTo(ReasonCode.BANNED);
            assertThat(connect(node, 4, "c", null)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(connect(node, 5, "e", null)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(other.isSilent()).isTrue();
            assertThat(node.count("godwit.mqtt.connects.refused")).isEqualTo(2);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectRefused.class::isInstance)
                    .hasSize(2);
            node.server.operatorBans().remove(CLIENT);
            assertThat(connect(node, 5, "c", null)).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    /** The name that the auth provider gives, not the one in the CONNECT. */
    @Test
    void aUserIsKnownByTheNameThatIsProven() {
        MemoryAuth auth = new MemoryAuth()
                .onConnect(request -> CompletableFuture.completedFuture(new ConnectResult.Accepted(
                        TenantId.DEFAULT,
                        "alias".equals(request.client().userName())
                                ? "u"
                                : request.client().userName())));
        try (TestNode node = node(auth);
                TestClient banned = connected(node, 5, "c", "alias");
                TestClient earlier = connected(node, 4, "e", "u");
                TestClient other = connected(node, 5, "d", "v")) {
            node.server.operatorBans().put(USER, BanTable.NEVER);
            assertTold(banned);
            assertThat(earlier.isClosedByServer()).isTrue();
            assertThat(connect(node, 5, "x", "alias")).isEqualTo(ReasonCode.BANNED);
            assertThat(connect(node, 5, "x", "v")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(other.isSilent()).isTrue();
        }
    }

    @Test
    void anAddressIsRefusedBeforeItHasSaidAnything() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CompletableFuture<ConnectResult> answer = new CompletableFuture<>();
        MemoryAuth auth = new MemoryAuth().onConnect(request -> {
            if (!"late".equals(request.client().userName())) {
                return CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client()));
            }
            isAsked.countDown();
            return answer;
        });
        try (TestNode node = node(auth);
                TestClient banned = connected(node, 5, "c", null);
                TestClient late = new TestClient(node.address, 5)) {
            late.send(new Connect(5, true, 0, "late", "late", null, null));
            assertThat(isAsked.await(30, TimeUnit.SECONDS)).isTrue();
            node.server.operatorBans().put(LOOPBACK, BanTable.NEVER);
            assertTold(banned);
            answer.complete(new ConnectResult.Accepted(TenantId.DEFAULT, "late"));
            assertThat(late.receive(ConnAck.class).reasonCode())
                    .as("a connection that was opened before the ban")
                    .isEqualTo(ReasonCode.BANNED);
            assertThat(connect(node, 5, "x", null)).isEqualTo(ReasonCode.BANNED);
            assertThat(connect(node, 3, "x", null)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectionRefused.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ConnectionRefused) event).limit())
                    .containsExactly(ConnectionLimit.BANNED, ConnectionLimit.BANNED);
            node.server.operatorBans().put(LOOPBACK, 1);
            assertThat(connect(node, 5, "x", null))
                    .as("a ban that has ended has no effect")
                    .isEqualTo(ReasonCode.SUCCESS);
        }
    }

    /** The ban comes when the client has been let in and has no session yet: it must not slip through. */
    @Test
    void aBanThatComesDuringAConnectCounts() throws Exception {
        CountDownLatch isLetIn = new CountDownLatch(1);
        CompletableFuture<Void> storeAnswers = new CompletableFuture<>() {
            @Override
            public <U> CompletableFuture<U> thenApply(Function<? super Void, ? extends U> then) {
                isLetIn.countDown();
                return super.thenApply(then);
            }
        };
        try (TestNode node = node();
                TestClient client = new TestClient(node.address, 5)) {
            node.inbox.answerDeletesWith(storeAnswers);
            client.send(new Connect(5, true, 0, "c", null, null, null));
            assertThat(isLetIn.await(30, TimeUnit.SECONDS)).isTrue();
            node.server.operatorBans().put(CLIENT, BanTable.NEVER);
            storeAnswers.complete(null);
            assertThat(client.receive(ConnAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertTold(client);
        }
    }

    @Test
    void aBanThatHasEndedDisconnectsNobody() {
        try (TestNode node = node();
                TestClient client = connected(node, 5, "c", "u")) {
            node.server.operatorBans().put(CLIENT, System.currentTimeMillis() - 1);
            node.server.operatorBans().put(USER, System.currentTimeMillis() - 1);
            assertThat(client.isSilent()).isTrue();
        }
    }
}
