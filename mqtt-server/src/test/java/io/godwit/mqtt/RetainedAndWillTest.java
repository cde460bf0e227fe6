package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Retained messages and wills, over real sockets. */
class RetainedAndWillTest {
    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private static Subscribe subscribe(int packetId, RetainHandling handling, boolean asPublished) {
        TopicFilter filter = TopicFilter.parse("a/#").orElseThrow();
        Subscription subscription = new Subscription(filter, Qos.AT_LEAST_ONCE, false, asPublished, handling);
        return new Subscribe(packetId, List.of(subscription), 5, List.of());
    }

    private static Message retained(String topic, String payload, Qos qos) {
        return new Message(topic, payload.getBytes(StandardCharsets.UTF_8), qos, true, 0, MessageProperties.NONE);
    }

    @Test
    void theThreeRetainHandlings() {
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "a/b", "x"));
            client.receive(PubAck.class);

            client.send(subscribe(2, RetainHandling.DO_NOT_SEND, false), new PingReq());
            client.receive(SubAck.class);
            client.receive(PingResp.class);
            client.send(subscribe(3, RetainHandling.SEND_IF_NEW, false), new PingReq());
            client.receive(SubAck.class);
            client.receive(PingResp.class);
            client.send(subscribe(4, RetainHandling.SEND, false));
            client.receive(SubAck.class);
            Publish publish = client.receive(Publish.class);
            assertThat(publish.retain()).isTrue();
            assertThat(publish.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
            assertThat(publish.subscriptionIds()).containsExactly(5);
        }
    }

    @Test
    void liveMessagesAreRetainedOnlyAsPublished() {
        try (TestClient plain = TestClient.clean(node.address, 5, "plain");
                TestClient exact = TestClient.clean(node.address, 5, "exact")) {
            plain.send(subscribe(1, RetainHandling.DO_NOT_SEND, false));
            plain.receive(SubAck.class);
            exact.send(subscribe(1, RetainHandling.DO_NOT_SEND, true));
            exact.receive(SubAck.class);
            plain.send(TestClient.publish(0, Qos.AT_MOST_ONCE, true, "a/b", "x"));
            assertThat(plain.receive(Publish.class).retain()).isFalse();
            assertThat(exact.receive(Publish.class).retain()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"4, true", "4, false", "5, true", "5, false"})
    void thousandsOfRetainedMessagesComeThroughFlowControl(int level, boolean isClean) {
        int count = 3000;
        for (int i = 0; i < count; i++) {
            node.retain.set(TenantId.DEFAULT, retained("a/" + i, "m" + i, Qos.AT_LEAST_ONCE));
        }
        try (TestClient client = isClean
                ? TestClient.clean(node.address, level, "c")
                : TestClient.persistent(node.address, level, "c")) {
            client.subscribe(1, "a/#", Qos.AT_LEAST_ONCE);
            Set<String> topics = new HashSet<>();
            for (int i = 0; i < count; i++) {
                Publish publish = client.receive(Publish.class);
                assertThat(publish.retain()).isTrue();
                topics.add(publish.topic());
                client.send(new PubAck(publish.packetId()));
            }
            assertThat(topics).hasSize(count);
        }
    }

    @Test
    void aRetainedMessageOlderThanALiveOneIsSkipped() {
        CompletableFuture<RetainClient.Page> page = new CompletableFuture<>();
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            node.retain.answerNextMatch(page);
            client.subscribe(1, "a/#", Qos.AT_MOST_ONCE);
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, true, "a/b", "new"));
            assertThat(client.receivePayload()).isEqualTo("new");
            page.complete(new RetainClient.Page(
                    List.of(retained("a/b", "old", Qos.AT_MOST_ONCE), retained("a/c", "other", Qos.AT_MOST_ONCE)),
                    null));
            assertThat(client.receivePayload()).isEqualTo("other");
        }
    }

    @Test
    void aPublishWaitsForTheRetainedOneBeforeIt() {
        CompletableFuture<Void> set = new CompletableFuture<>();
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(1, "a/#", Qos.AT_MOST_ONCE);
            node.retain.answerNextSet(set);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "a/b", "first"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a/b", "second"),
                    new PingReq());
            client.receive(PingResp.class);
            set.complete(null);
            assertThat(client.receivePayload()).isEqualTo("first");
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(1);
            assertThat(client.receivePayload()).isEqualTo("second");
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(2);
        }
    }

    /** A recorded message must be stored, or its connection would be closed each time it comes again. */
    @Test
    void aRecordedMessageIsRetainedOnALowDiskToo() {
        try (TestClient client = TestClient.persistent(node.address, 5, "c")) {
            node.retain.lowerDisk();
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "a", "refused"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            client.send(TestClient.publish(2, Qos.EXACTLY_ONCE, true, "b", "on record"));
            assertThat(client.receive(PubRec.class).reasonCode().isError()).isFalse();
            assertThat(node.retain.topics()).containsExactly("b");
        }
    }

    @Test
    void aWillIsOwedUnlessTheClientSaysGoodbye() {
        WillPacket will = new WillPacket("will", new byte[] {1}, Qos.AT_LEAST_ONCE, false, MessageProperties.NONE, 0);
        Connect connect = new Connect(5, true, 0, "c", null, null, will);
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect);
            client.send(Disconnect.NORMAL);
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(node.inbox.wills()).isEmpty();
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect);
            client.send(new Disconnect(ReasonCode.DISCONNECT_WITH_WILL, null));
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (TestClient client = new TestClient(node.address, 5)) {
            client.connect(connect); // waits until the session before has ended
            assertThat(node.inbox.wills()).hasSize(1);
        }
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            assertThat(node.inbox.wills()).hasSize(2);
            client.send(new PingReq());
            client.receive(PingResp.class);
        }
    }
}
