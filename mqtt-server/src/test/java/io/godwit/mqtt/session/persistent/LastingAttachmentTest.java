package io.godwit.mqtt.session.persistent;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.SessionStage;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection whose inbox gets another leader in good order. */
class LastingAttachmentTest {
    private final RangeException noLeader = new RangeException(Cause.TIMEOUT, "no leader");

    private final SessionStage stage = new SessionStage();
    private int published;

    @Test
    @Clause("MQTT5-4.4.0-1")
    void nothingIsSentAgainAndWhatFollowsComesInOrder() {
        PersistentSession session = subscribed();
        publish(1, 3);
        stage.acknowledge(session, 1);
        move();
        publish(1, 2);
        assertThat(payloads()).containsExactly("0", "1", "2", "3", "4");
        assertThat(stage.publishes()).noneMatch(Publish::dup);
        stage.acknowledge(session, 4);
        assertThat(stage.inbox.queued("c")).isZero();
        assertThat(stage.connection.isOpen()).isTrue();
        assertThat(stage.count("attachments.continued")).isOne();
        assertThat(stage.count("attachments.lost")).isZero();
        assertThat(stage.events).noneMatch(event -> event instanceof BrokerEvent.MessageDropped);
    }

    @Test
    void whatIsAcknowledgedBetweenTwoLeadersIsFinished() {
        PersistentSession session = subscribed();
        publish(1, 3);
        CompletableFuture<Void> gate = moveBehindGate();
        stage.acknowledge(session, 2);
        publish(1, 1);
        assertThat(stage.inbox.queued("c")).isEqualTo(4);

        open(gate);
        assertThat(stage.inbox.queued("c")).isEqualTo(2);
        assertThat(payloads()).containsExactly("0", "1", "2", "3");
    }

    @Test
    void anAcknowledgementThatNoLeaderTookIsNotLost() {
        PersistentSession session = subscribed();
        publish(1, 2);
        stage.inbox.beginMove();
        stage.acknowledge(session, 2);
        assertThat(stage.inbox.queued("c")).isEqualTo(2);
        move();
        assertThat(stage.inbox.queued("c")).isZero();
    }

    @Test
    void creditThatWasLeftAndThatWasGivenMeanwhileHoldsAtTheNextLeader() {
        PersistentSession session = subscribed();
        int window = 2 * SessionStage.WINDOW;
        publish(1, window);
        assertThat(payloads()).hasSize(SessionStage.WINDOW);
        CompletableFuture<Void> gate = moveBehindGate();
        publish(1, window);
        for (int i = 0; i < window; i++) {
            stage.acknowledge(session, 1);
        }
        open(gate);
        stage.acknowledge(session, 4 * window);
        assertThat(payloads()).containsExactlyElementsOf(numbers(2 * window));
        assertThat(stage.inbox.queued("c")).isZero();
    }

    @Test
    void aQos2FlowGoesOnWhereItStood() {
        PersistentSession session = subscribed();
        publish(2, 3);
        List<Integer> ids = stage.connection.publishIds();
        session.onPacket(new PubRec(ids.get(0)));
        stage.runTasks(); // PUBREL is out
        stage.inbox.beginMove();
        session.onPacket(new PubRec(ids.get(1)));
        stage.runTasks();
        assertThat(sent(PubRel.class)).hasSize(1);
        CompletableFuture<Void> gate = moveBehindGate();
        session.onPacket(new PubRec(ids.get(2)));
        session.onPacket(new PubComp(ids.get(0)));
        stage.runTasks();
        assertThat(sent(PubRel.class)).hasSize(1);

        open(gate);
        assertThat(sent(PubRel.class)).extracting(PubRel::packetId).containsExactlyElementsOf(ids);
        session.onPacket(new PubComp(ids.get(1)));
        session.onPacket(new PubComp(ids.get(2)));
        session.onReadComplete();
        stage.runTasks();
        assertThat(stage.inbox.queued("c")).isZero();
        assertThat(payloads()).containsExactly("0", "1", "2");
    }

    @Test
    @Clause("MQTT5-4.6.0-3")
    void callsThatNoLeaderTookAreAnsweredInTheirOrder() {
        PersistentSession session = subscribed();
        stage.inbox.beginMove();
        publishInbound(session, 11, "x");
        publishInbound(session, 12, "y");
        subscribe(session, 2, "b");
        CompletableFuture<Void> gate = moveBehindGate();
        publishInbound(session, 13, "z");
        session.onPacket(new Unsubscribe(3, List.of(filter("b"))));
        stage.runTasks();
        assertThat(sent(PubRec.class)).isEmpty();

        open(gate);
        assertThat(sent(PubRec.class)).extracting(PubRec::packetId).containsExactly(11, 12, 13);
        assertThat(sent(SubAck.class)).extracting(SubAck::packetId).containsExactly(1, 2);
        assertThat(sent(UnsubAck.class)).extracting(UnsubAck::reasonCodes).containsExactly(List.of(ReasonCode.SUCCESS));
        assertThat(payloads()).containsExactly("x", "y", "z");
    }

    @Test
    void callsThatALostNodeHadAreAskedAgain() {
        PersistentSession session = subscribed();
        stage.inbox.beginMove();
        publishInbound(session, 11, "x");
        subscribe(session, 2, "b");
        stage.inbox.loseLeader();
        stage.runTasks();

        assertThat(stage.connection.closeReason).isNull();
        assertThat(sent(PubRec.class)).extracting(PubRec::packetId).containsExactly(11);
        assertThat(sent(SubAck.class)).extracting(SubAck::packetId).containsExactly(1, 2);
        assertThat(payloads()).containsExactly("x");
    }

    /** Such a leader fails calls under way like one that stops. */
    @ParameterizedTest
    @EnumSource(
            value = RangeException.Cause.class,
            names = {"TIMEOUT", "CLOSED"})
    void callsThatADeposedLeaderHadAreAskedAgain(RangeException.Cause failure) {
        PersistentSession session = subscribed();
        stage.inbox.beginMove();
        publishInbound(session, 11, "x");
        subscribe(session, 2, "b");
        stage.inbox.loseLeader(failure);
        stage.runTasks();

        assertThat(stage.connection.closeReason).isNull();
        assertThat(sent(PubRec.class)).extracting(PubRec::packetId).containsExactly(11);
        assertThat(sent(SubAck.class)).extracting(SubAck::packetId).containsExactly(1, 2);
        assertThat(payloads()).containsExactly("x");
    }

    @Test
    void aPublishOfQos2IsDistributedOnceThoughItsMarkMeetsNoLeader() {
        PersistentSession session = subscribed();
        publishInbound(session, 11, "x");
        session.onPacket(new PubRel(11));
        stage.runTasks();
        CompletableFuture<Void> gate = moveBehindGate();
        publishInbound(session, 11, "y");
        open(gate);
        stage.inbox.beginMove();
        session.onPacket(new PubRel(11));
        stage.runTasks();
        move();
        assertThat(payloads()).containsExactly("x", "y");
        assertThat(sent(PubComp.class)).hasSize(2);
    }

    @Test
    void aDisconnectBetweenTwoLeadersEndsTheAttachmentAtTheNext() {
        PersistentSession session = subscribed();
        publish(1, 3);
        CompletableFuture<Void> gate = moveBehindGate();
        stage.acknowledge(session, 1);
        session.onPacket(Disconnect.NORMAL);
        session.onClosed(DisconnectCause.CLIENT, "client disconnected");
        stage.runTasks();
        assertThat(stage.isEnded).isFalse();

        open(gate);
        assertThat(stage.isEnded).isTrue();
        publish(1, 1);
        stage.persistent();
        assertThat(payloads()).containsExactly("1", "2", "3");
        assertThat(stage.publishes()).extracting(Publish::dup).containsExactly(true, true, false);
    }

    @Test
    void aDistributionThatEndsAfterItsSessionHasLeftThatLeaderDoesNotHoldItsClientId() {
        PersistentSession session = subscribed();
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        stage.dist.answerNext(outcome);
        publishInbound(session, 11, "x");
        stage.cut(session);
        stage.inbox.moveLeader();
        stage.runTasks();
        assertThat(stage.isEnded).isFalse();
        outcome.complete(DistOutcome.DELIVERED);
        stage.runTasks();
        assertThat(stage.isEnded).isTrue();
    }

    @Test
    void aSessionThatIsGoneIsNotGoneOnWith() {
        PersistentSession session = subscribed();
        publish(1, 1);
        CompletableFuture<Void> gate = moveBehindGate();
        subscribe(session, 2, "b");
        stage.inbox.giveUp("c");
        open(gate);
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.SERVER_BUSY.name());
        assertThat(stage.connection.closeCause).isEqualTo(DisconnectCause.STORE_FAILED);
        assertThat(stage.count("attachments.lost")).isOne();
        stage.cut(session);
        assertThat(stage.isEnded).isTrue();
        assertThat(stage.inbox.wills()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"HOME_MOVED", "HOME_LOST"})
    void aLeaderThatIsSlowToComeIsAskedAgainForAsLongAsIsConfigured(NodeWait wait) {
        boolean hasNodeLost = wait == NodeWait.HOME_LOST;
        int patience = hasNodeLost ? SessionStage.HOMES.lostPatience() : SessionStage.HOMES.movedPatience();
        PersistentSession session = subscribed();
        publish(1, 1);
        stage.inbox.failNext(noLeader);
        if (hasNodeLost) {
            stage.inbox.loseLeader();
            stage.runTasks();
        } else {
            move();
        }
        for (int second = 1; second < patience; second++) {
            stage.inbox.failNext(noLeader);
            stage.sweep();
        }
        assertThat(stage.connection.isOpen()).isTrue();
        assertThat(stage.inbox.continued()).isZero();

        assertThat(stage.waitsOver(wait)).isZero();

        stage.inbox.failNext(noLeader);
        stage.sweep();
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.SERVER_BUSY.name());
        assertThat(stage.waitsOver(wait)).isOne();
        assertThat(stage.events)
                .contains(new BrokerEvent.WaitRanOut(
                        wait, Duration.ofSeconds(patience), "inbox of c: " + noLeader.getMessage()));
        stage.cut(session);
        assertThat(stage.isEnded).isTrue();
    }

    /** Its client should look for another node, and not wait for this one. */
    @Test
    void aStoreThatHasStoppedIsNotWaitedFor() {
        PersistentSession session = subscribed();
        stage.inbox.failNext(new RangeException(Cause.STORE_FAILED, "the disk failed"));
        move();
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.SERVER_BUSY.name());
        assertThat(stage.count("attachments.lost")).isOne();
        assertThat(stage.waitsOver(NodeWait.HOME_MOVED)).isZero();
        assertThat(stage.inbox.continued()).isZero();
        stage.cut(session);
        assertThat(stage.isEnded).isTrue();
    }

    /** Otherwise the detach, and with it the client id, would wait for ever. */
    @Test
    void theNextLeaderIsAskedThoughTheEndOfTheAttachmentDoesNotArrive() {
        PersistentSession session = subscribed();
        stage.inbox.beginMove();
        stage.cut(session);
        stage.inbox.moveLeaderUnheard();
        stage.runTasks();
        assertThat(stage.isEnded).isFalse();
        for (int second = 1; second < SessionStage.HOMES.movedPatience(); second++) {
            stage.sweep();
        }
        assertThat(stage.isEnded).as("the end may still arrive").isFalse();

        stage.sweep();
        stage.runTasks();
        assertThat(stage.inbox.continued()).isOne();
        assertThat(stage.isEnded).isTrue();
    }

    /** The leader has nothing more to end, so no end is reported. */
    @Test
    void aDetachThatItsLeaderHadDecidedIsAskedOfTheNextAtOnce() {
        PersistentSession session = subscribed();
        CompletableFuture<Void> detached = new CompletableFuture<>();
        stage.inbox.answerDetachesWith(detached);
        stage.cut(session);
        stage.runTasks();
        assertThat(stage.isEnded).isFalse();

        detached.completeExceptionally(new RangeException(Cause.LOST, "leadership ended"));
        stage.runTasks();
        assertThat(stage.isEnded).isTrue();
    }

    /** A PUBREC with an error would free the packet id, under which the lost leader may have stored the message. */
    @Test
    void aMessageThatALostLeaderMayHaveIsNotRefusedByTheNext() {
        PersistentSession session = subscribed();
        stage.inbox.beginMove();
        publishInbound(session, 11, "x");
        stage.inbox.failAfterContinuing(new RangeException(Cause.OVERLOADED, "too much waits"));
        stage.inbox.loseLeader();
        stage.runTasks();
        assertThat(stage.inbox.continued()).isOne();
        assertThat(sent(PubRec.class)).isEmpty();
        assertThat(stage.connection.isOpen()).isFalse();
    }

    @Test
    void aLeaderThatComesLateIsGoneOnWith() {
        PersistentSession session = subscribed();
        publish(1, 1);
        stage.inbox.failNext(noLeader);
        move();
        stage.acknowledge(session, 1);
        stage.inbox.failNext(new RangeException(Cause.MOVED, "and again"));
        stage.sweep();
        publish(1, 1);
        assertThat(payloads()).containsExactly("0", "1");
        assertThat(stage.inbox.queued("c")).isOne();
        assertThat(stage.inbox.continued()).isOne();
    }

    @Test
    void theWillOfASessionInMemoryWaitsForItsEnd() {
        Message message = new Message("w", new byte[1], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
        TransientSession session = stage.cleanWithWill(new Will(message, 0));
        move();
        assertThat(stage.inbox.wills()).isEmpty();
        assertThat(stage.inbox.continued()).isOne();
        stage.cut(session);
        assertThat(stage.inbox.wills()).containsExactly(message);
        assertThat(stage.isEnded).isTrue();
    }

    /**
     * Publishes both ways, acknowledgements and replaced leaders at random: each message once, in order, on one
     * connection.
     */
    @Test
    void oneConnectionGetsEverythingOnceAndInOrderHoweverOftenLeadersAreReplaced() {
        for (long seed = 0; seed < 200; seed++) {
            try {
                new Play(seed).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static final class Play {
        private static final int STEPS = 300;
        private static final int OWN = 3;

        private final Random random;
        private final LastingAttachmentTest test = new LastingAttachmentTest();
        private final SessionStage stage = test.stage;
        private final PersistentSession session = test.subscribed();
        private final Map<Integer, List<String>> expected = new HashMap<>();
        private final List<Integer> published = new ArrayList<>();
        private CompletableFuture<Void> gate;
        private int seen;
        private int nextId = 100;

        Play(long seed) {
            random = new Random(seed);
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                int choice = random.nextInt(100);
                if (choice < 35) {
                    publish(random.nextInt(3));
                } else if (choice < 50) {
                    publishInbound();
                } else if (choice < 75) {
                    answer(random.nextInt(20));
                } else if (choice < 85) {
                    stage.inbox.beginMove();
                } else if (choice < 90 && gate == null) {
                    gate = test.moveBehindGate();
                } else if (choice < 95) {
                    openGate();
                    test.move();
                } else {
                    openGate();
                }
            }
            openGate();
            test.move();
            for (int i = 0; i < 2000; i++) {
                answer(10);
            }
            assertThat(stage.connection.isOpen()).isTrue();
            for (int flow = 0; flow <= OWN; flow++) {
                int of = flow;
                assertThat(stage.publishes().stream()
                                .filter(publish -> flowOf(publish) == of)
                                .map(LastingAttachmentTest::payload))
                        .as("flow %d", flow)
                        .containsExactlyElementsOf(expected.getOrDefault(flow, List.of()));
            }
            assertThat(test.sent(PubRec.class).stream().map(PubRec::packetId)).containsExactlyElementsOf(published);
            assertThat(stage.inbox.queued("c")).isZero();
        }

        private void openGate() {
            if (gate != null) {
                test.open(gate);
                gate = null;
            }
        }

        private void publish(int qos) {
            expect(qos, Integer.toString(test.published));
            test.publish(qos, 1);
        }

        private void publishInbound() {
            int id = nextId++;
            published.add(id);
            expect(OWN, "in" + id);
            test.publishInbound(session, id, "in" + id);
        }

        /** Publisher and QoS, within which there is an order. */
        private static int flowOf(Publish publish) {
            return payload(publish).startsWith("in") ? OWN : publish.qos().value();
        }

        private void expect(int flow, String payload) {
            expected.computeIfAbsent(flow, any -> new ArrayList<>()).add(payload);
        }

        /** The client answers some more of its messages. */
        private void answer(int count) {
            for (int i = 0; i < count && seen < stage.connection.sent.size(); i++) {
                Packet packet = stage.connection.sent.get(seen++);
                if (packet instanceof Publish publish && publish.qos() == Qos.AT_LEAST_ONCE) {
                    session.onPacket(new PubAck(publish.packetId()));
                } else if (packet instanceof Publish publish && publish.qos() == Qos.EXACTLY_ONCE) {
                    session.onPacket(new PubRec(publish.packetId()));
                } else if (packet instanceof PubRel rel) {
                    session.onPacket(new PubComp(rel.packetId()));
                } else if (packet instanceof PubRec rec) {
                    session.onPacket(new PubRel(rec.packetId()));
                }
            }
            session.onReadComplete();
            stage.runTasks();
        }
    }

    private PersistentSession subscribed() {
        PersistentSession session = stage.persistent();
        subscribe(session, 1, "a");
        return session;
    }

    private void subscribe(PersistentSession session, int packetId, String filter) {
        session.onPacket(new Subscribe(packetId, List.of(new Subscription(filter(filter), Qos.EXACTLY_ONCE))));
        stage.runTasks();
    }

    private static TopicFilter filter(String text) {
        return new TopicFilter(null, text);
    }

    /** From another client: numbers as payloads. */
    private void publish(int qos, int count) {
        for (int i = 0; i < count; i++) {
            byte[] payload = Integer.toString(published++).getBytes(StandardCharsets.UTF_8);
            Message message = new Message("a", payload, Qos.of(qos), false, 0, MessageProperties.NONE);
            assertThat(stage.dist.publisher(SessionStage.info("p")).publish(message, null))
                    .isDone();
            stage.runTasks();
        }
    }

    private void publishInbound(PersistentSession session, int packetId, String payload) {
        session.onPacket(new Publish(
                packetId,
                false,
                Qos.EXACTLY_ONCE,
                false,
                "a",
                payload.getBytes(StandardCharsets.UTF_8),
                MessageProperties.NONE));
        session.onReadComplete();
        stage.runTasks();
    }

    private void move() {
        stage.inbox.moveLeader();
        stage.runTasks();
    }

    private CompletableFuture<Void> moveBehindGate() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        stage.inbox.continueAfter(gate);
        move();
        return gate;
    }

    private void open(CompletableFuture<Void> gate) {
        gate.complete(null);
        stage.runTasks();
    }

    private static List<String> numbers(int count) {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }

    private List<String> payloads() {
        return stage.publishes().stream().map(LastingAttachmentTest::payload).toList();
    }

    private static String payload(Publish publish) {
        return new String(publish.payload(), StandardCharsets.UTF_8);
    }

    private <P> List<P> sent(Class<P> kind) {
        return stage.connection.sent.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}
