package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that outlive their connection, over real sockets, on an inbox store in memory. */
class PersistentSessionTest {
    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void whatArrivesWhileAwayIsDeliveredOnReturn(int level) {
        try (TestClient subscriber = TestClient.persistent(node.address, level, "s")) {
            subscriber.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            subscriber.send(Disconnect.NORMAL);
            assertThat(subscriber.isClosedByServer()).isTrue();
        }
        try (TestClient publisher = TestClient.clean(node.address, level, "p")) {
            for (int i = 1; i <= 3000; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "a", "m" + i));
                assertThat(publisher.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            }
        }
        try (TestClient subscriber = new TestClient(node.address, level)) {
            ConnAck ack = subscriber.connect(TestClient.persistent(level, "s"));
            assertThat(ack.sessionPresent()).isTrue();
            for (int i = 1; i <= 3000; i++) {
                Publish publish = subscriber.receive(Publish.class);
                assertThat(TestClient.payload(publish)).isEqualTo("m" + i);
                subscriber.send(new PubAck(publish.packetId()));
            }
            subscriber.send(new PingReq());
            subscriber.receive(PingResp.class);
            assertThat(node.inbox.queued("s")).isZero();
        }
    }

    @Test
    @Clause({"MQTT311-3.3.1-1", "MQTT311-4.4.0-1"})
    void anUnacknowledgedMessageComesAgainWithItsPacketIdAndDup() {
        int packetId;
        try (TestClient subscriber = TestClient.persistent(node.address, 4, "s")) {
            subscriber.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            publishFromOutside("a", Qos.AT_LEAST_ONCE);
            Publish publish = subscriber.receive(Publish.class);
            assertThat(publish.dup()).isFalse();
            packetId = publish.packetId();
        }
        try (TestClient subscriber = TestClient.persistent(node.address, 4, "s")) {
            Publish publish = subscriber.receive(Publish.class);
            assertThat(publish.dup()).isTrue();
            assertThat(publish.packetId()).isEqualTo(packetId);
        }
    }

    @Test
    @Clause("MQTT311-4.4.0-1")
    void outboundQos2GoesOnWhereItWasInterrupted() {
        int packetId;
        try (TestClient subscriber = TestClient.persistent(node.address, 4, "s")) {
            subscriber.subscribe(1, "a", Qos.EXACTLY_ONCE);
            publishFromOutside("a", Qos.EXACTLY_ONCE);
            packetId = subscriber.receive(Publish.class).packetId();
            subscriber.send(new PubRec(packetId));
            assertThat(subscriber.receive(PubRel.class).packetId()).isEqualTo(packetId);
        }
        try (TestClient subscriber = TestClient.persistent(node.address, 4, "s")) {
            assertThat(subscriber.receive(PubRel.class).packetId()).isEqualTo(packetId);
            subscriber.send(new PubComp(packetId, ReasonCode.SUCCESS), new PingReq());
            subscriber.receive(PingResp.class);
            assertThat(node.inbox.queued("s")).isZero();
        }
    }

    /** Its client may have it, and would take the next message of the packet id for a repetition [MQTT5-4.3.3-5]. */
    @Test
    void aRepeatedQos2MessageThatHasBecomeTooLargeIsOverForTheStoreBeforeItsPubrel() {
        int packetId;
        try (TestClient publisher = TestClient.clean(node.address, 5, "p");
                TestClient first = TestClient.persistent(node.address, 5, "s")) {
            first.subscribe(1, "a", Qos.EXACTLY_ONCE);
            publisher.send(TestClient.publish(1, Qos.EXACTLY_ONCE, false, "a", "x".repeat(200)));
            packetId = first.receive(Publish.class).packetId();
        }
        try (TestClient second = new TestClient(node.address, 5)) {
            second.connect(new Connect(
                    5, false, 0, "s", null, null, null, 3600, -1, 100, -1, false, true, List.of(), null, null));
            assertThat(second.receive(PubRel.class).packetId()).isEqualTo(packetId);
            second.send(new PubComp(packetId, ReasonCode.SUCCESS), new PingReq());
            second.receive(PingResp.class);
            assertThat(node.inbox.queued("s")).isZero();
        }
    }

    @Test
    @Clause({"MQTT5-4.6.0-4", "MQTT311-4.6.0-4"})
    void pubRelsLeaveInTheOrderOfThePubRecsInWhicheverOrderTheyAreStored() {
        List<CompletableFuture<Void>> stored = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            stored.add(new CompletableFuture<>());
            node.inbox.answerReceived(stored.get(i));
        }
        try (TestClient subscriber = TestClient.persistent(node.address, 5, "s")) {
            subscriber.subscribe(1, "a", Qos.EXACTLY_ONCE);
            int[] packetIds = new int[3];
            for (int i = 0; i < 3; i++) {
                publishFromOutside("a", Qos.EXACTLY_ONCE);
                packetIds[i] = subscriber.receive(Publish.class).packetId();
                subscriber.send(new PubRec(packetIds[i]));
            }
            subscriber.send(new PingReq());
            subscriber.receive(PingResp.class); // all of them are handled
            stored.get(2).complete(null);
            stored.get(1).complete(null);
            stored.get(0).complete(null);
            for (int packetId : packetIds) {
                assertThat(subscriber.receive(PubRel.class).packetId()).isEqualTo(packetId);
            }
        }
    }

    @Test
    @Clause("MQTT311-4.3.3-2")
    void inboundQos2IsDistributedOnceAcrossConnections() {
        try (TestClient watcher = TestClient.clean(node.address, 4, "w")) {
            watcher.subscribe(1, "a", Qos.AT_MOST_ONCE);
            Publish publish = TestClient.publish(9, Qos.EXACTLY_ONCE, false, "a", "once");
            try (TestClient publisher = TestClient.persistent(node.address, 4, "p")) {
                publisher.send(publish);
                publisher.receive(PubRec.class);
            }
            try (TestClient publisher = TestClient.persistent(node.address, 4, "p")) {
                publisher.send(publish);
                publisher.receive(PubRec.class);
                publisher.send(new PubRel(9, ReasonCode.SUCCESS));
                publisher.receive(PubComp.class);
                publisher.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "a", "end"));
            }
            assertThat(watcher.receivePayload()).isEqualTo("once");
            assertThat(watcher.receivePayload()).isEqualTo("end");
        }
    }

    /** One range of inboxes fails; the others, and the live subscribers, have the message by then. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aQos2PublishThatFailedInPartReachesLiveSubscribersOnce(int level) {
        try (TestClient watcher = TestClient.clean(node.address, 4, "w")) {
            watcher.subscribe(1, "+", Qos.EXACTLY_ONCE);
            try (TestClient absent = TestClient.persistent(node.address, 4, "s")) {
                absent.subscribe(1, "a", Qos.EXACTLY_ONCE);
                absent.send(Disconnect.NORMAL);
                assertThat(absent.isClosedByServer()).isTrue();
            }
            Publish publish = TestClient.publish(9, Qos.EXACTLY_ONCE, false, "a", "once");
            node.inbox.failNextInsert(new RangeException(RangeException.Cause.TIMEOUT, "test"));
            assertCutOff(level, "p", publish, () -> {});
            try (TestClient publisher = TestClient.persistent(node.address, level, "p")) {
                publisher.send(publish);
                assertThat(publisher.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                publisher.send(new PubRel(9, ReasonCode.SUCCESS));
                publisher.receive(PubComp.class);
                publisher.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "b", "end"));
            }
            assertThat(watcher.receivePayload()).isEqualTo("once");
            assertThat(watcher.receivePayload()).isEqualTo("end");
            assertThat(node.inbox.queued("s")).isEqualTo(1);
        }
    }

    @Test
    void aCleanConnectEndsTheStoredSession() {
        TestClient.persistent(node.address, 4, "s").close();
        try (TestClient clean = TestClient.clean(node.address, 4, "s")) {
            assertThat(node.inbox.exists("s")).isFalse();
            clean.send(new PingReq());
            clean.receive(PingResp.class);
        }
    }

    @Test
    @Clause({"MQTT5-3.1.4-3", "MQTT5-4.4.0-1"})
    void takeoverHandsTheSessionOver() {
        try (TestClient first = TestClient.persistent(node.address, 5, "s")) {
            first.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            publishFromOutside("a", Qos.AT_LEAST_ONCE);
            first.receive(Publish.class);
            try (TestClient second = new TestClient(node.address, 5)) {
                assertThat(second.connect(TestClient.persistent(5, "s")).sessionPresent())
                        .isTrue();
                assertThat(first.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
                assertThat(second.receive(Publish.class).dup()).isTrue();
            }
        }
    }

    @Test
    void unsubscribeRemovesRouteAndSubscription() {
        try (TestClient client = TestClient.persistent(node.address, 5, "s")) {
            client.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            assertThat(node.dist.size()).isEqualTo(1);
            client.send(new Unsubscribe(2, List.of(TopicFilter.parse("a").orElseThrow())));
            assertThat(client.receive(UnsubAck.class).reasonCodes()).containsExactly(ReasonCode.SUCCESS);
            assertThat(node.dist.size()).isZero();
        }
    }

    @Test
    @Clause("MQTT311-4.8.0-2")
    void storeFailuresAreToldAndNothingIsAcknowledged() {
        RangeException overloaded = new RangeException(RangeException.Cause.OVERLOADED, "test");
        node.inbox.failNext(overloaded);
        try (TestClient client = new TestClient(node.address, 5)) {
            ConnAck refused = client.connect(TestClient.persistent(5, "s"));
            assertThat(refused.reasonCode()).isEqualTo(ReasonCode.SERVER_BUSY);
            assertThat(refused.reasonString()).isEqualTo("the session could not be opened");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ConnectRefused.class::isInstance)
                    .singleElement()
                    .asString()
                    .contains("client id s of tenant default", "OVERLOADED");
        }
        try (TestClient client = TestClient.persistent(node.address, 5, "s")) {
            node.inbox.failNext(overloaded);
            assertThat(client.subscribe(1, "a", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.QUOTA_EXCEEDED);
            node.inbox.failNext(overloaded);
            client.send(TestClient.publish(1, Qos.EXACTLY_ONCE, false, "a", "x"));
            assertThat(client.receive(PubRec.class).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            client.subscribe(2, "a", Qos.AT_LEAST_ONCE);
            node.inbox.failNext(new RangeException(RangeException.Cause.STORE_FAILED, "test"));
            client.send(TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "a", "x"));
            assertThat(client.receive(PubAck.class).reasonCode()).isEqualTo(ReasonCode.UNSPECIFIED_ERROR);
        }
        try (TestClient client = TestClient.clean(node.address, 4, "old")) {
            node.inbox.failNext(overloaded);
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "a", "x"));
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(node.count("godwit.mqtt.publishes.refused")).isEqualTo(3);
    }

    /** Either answer would be wrong: the session may have the subscription or not, now or after its next connection. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aSubscribeOrUnsubscribeThatIsStoredInPartIsCutOff(int level) {
        RangeException overloaded = new RangeException(RangeException.Cause.OVERLOADED, "test");
        RangeException timeout = new RangeException(RangeException.Cause.TIMEOUT, "test");
        List<TopicFilter> one = List.of(TopicFilter.parse("a").orElseThrow());
        List<TopicFilter> two = List.of(one.get(0), TopicFilter.parse("b").orElseThrow());

        assertCutOff(level, subscribe("a"), () -> node.dist.failNextRoute(overloaded)); // the session has it, no route
        assertCutOff(level, subscribe("a"), () -> node.inbox.failNext(timeout));
        assertCutOff(level, new Unsubscribe(2, one), () -> node.inbox.failNext(overloaded)); // the route is gone
        try (TestClient client = TestClient.persistent(node.address, 5, "s")) {
            client.subscribe(1, "b", Qos.AT_LEAST_ONCE);
        }
        assertCutOff(level, new Unsubscribe(2, two), () -> node.dist.failNextRoute(overloaded)); // one route is gone
    }

    @Test
    void whatWasNotStoredAtAllIsRefused() {
        RangeException overloaded = new RangeException(RangeException.Cause.OVERLOADED, "test");
        try (TestClient client = TestClient.persistent(node.address, 5, "s")) {
            node.inbox.failNext(overloaded);
            assertThat(client.subscribe(1, "a", Qos.AT_LEAST_ONCE).reasonCodes())
                    .containsExactly(ReasonCode.QUOTA_EXCEEDED);
            client.subscribe(2, "a", Qos.AT_LEAST_ONCE);
            node.dist.failNextRoute(overloaded);
            client.send(new Unsubscribe(3, List.of(TopicFilter.parse("a").orElseThrow())));
            assertThat(client.receive(UnsubAck.class).reasonCodes()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
        }
    }

    private static Subscribe subscribe(String filter) {
        return new Subscribe(
                1, List.of(new Subscription(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE)));
    }

    private void assertCutOff(int level, Packet packet, Runnable fault) {
        assertCutOff(level, "s", packet, fault);
    }

    private void assertCutOff(int level, String clientId, Packet packet, Runnable fault) {
        try (TestClient client = TestClient.persistent(node.address, level, clientId)) {
            fault.run();
            client.send(packet);
            if (level == 5) {
                client.receive(Disconnect.class);
            }
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void theSessionExpiryOfCleanStartZeroResumesWhatIsThere() {
        TestClient first = TestClient.persistent(node.address, 5, "s");
        first.subscribe(1, "a", Qos.AT_LEAST_ONCE);
        first.close();
        publishFromOutside("a", Qos.AT_LEAST_ONCE);
        try (TestClient second = new TestClient(node.address, 5)) {
            Connect connect = new Connect(5, false, 0, "s", null, null, null);
            assertThat(second.connect(connect).sessionPresent()).isTrue();
            second.receive(Publish.class);
            second.send(Disconnect.NORMAL);
            assertThat(second.isClosedByServer()).isTrue();
        }
        TestClient.clean(node.address, 5, "s").close(); // waits until the session before has ended
        assertThat(node.inbox.exists("s")).isFalse();
    }

    @Test
    void theClientsReceiveMaximumHolds() {
        try (TestNode small = new TestNode(
                        TestNode.TRANSPORT,
                        TestNode.config(SessionConfig.DEFAULTS.windows().receiveMaximum(), 2));
                TestClient client = TestClient.persistent(small.address, 4, "s");
                TestClient publisher = TestClient.clean(small.address, 4, "p")) {
            client.subscribe(1, "a", Qos.AT_LEAST_ONCE);
            for (int i = 1; i <= 5; i++) {
                publisher.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "a", "m" + i));
                publisher.receive(PubAck.class);
            }
            Publish one = client.receive(Publish.class);
            client.receive(Publish.class);
            client.send(new PingReq());
            client.receive(PingResp.class); // and no third PUBLISH before it
            client.send(new PubAck(one.packetId()));
            assertThat(client.receivePayload()).isEqualTo("m3");
        }
    }

    private void publishFromOutside(String topic, Qos qos) {
        try (TestClient publisher = TestClient.clean(node.address, 4, "outside")) {
            publisher.send(TestClient.publish(1, qos, false, topic, "x"));
            publisher.receive();
        }
    }
}
