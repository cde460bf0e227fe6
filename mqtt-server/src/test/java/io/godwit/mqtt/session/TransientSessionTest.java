package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.LoopContext;
import io.godwit.mqtt.transport.MqttMetrics;
import io.godwit.mqtt.transport.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Flow control and policies of a live session, on the test's thread with recorded packets. */
class TransientSessionTest {
    private static final ClientInfo PUBLISHER = new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "test:2", 5);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MemoryDist dist = new MemoryDist();
    private final MemoryRetain retain = new MemoryRetain();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final RecordingConnection connection = new RecordingConnection(loop);
    private final MqttReports reports = new MqttReports(new MqttMetrics(meters), events::add);
    private final Authorizer authorizer = new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports);
    private long nowMillis = 1_000_000;
    private boolean isEnded;

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private TransientSession session(int level, int window, SessionConfig config) {
        return session(connection, level, window, config);
    }

    private TransientSession session(RecordingConnection on, int level, int window, SessionConfig config) {
        SessionServices services =
                new SessionServices(config, dist, new MemoryInbox(), retain, authorizer, reports, () -> nowMillis, 3);
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", level);
        return new TransientSession(
                on, services, new SessionTerms(client, window, 0, 0, null), null, () -> isEnded = true);
    }

    private static SessionConfig config(int receiveMaximum, int maxQueued, boolean dropsOldest, long maxUnstored) {
        return SessionConfig.DEFAULTS
                .with(new SessionConfig.Windows(receiveMaximum, 1000, 16))
                .with(new SessionConfig.Queue(maxQueued, 1 << 20, dropsOldest))
                .with(new SessionConfig.Intake(maxUnstored, 1 << 20))
                .with(new SessionConfig.Times(0, 0, 0));
    }

    private Message message(String payload, Qos qos, long expirySeconds) {
        MessageProperties properties = new MessageProperties(-1, expirySeconds, null, null, null, List.of());
        return new Message("a", payload.getBytes(StandardCharsets.UTF_8), qos, false, nowMillis, properties);
    }

    private void deliver(TransientSession session, String payload, Qos qos) {
        deliver(session, message(payload, qos, -1), match(session, qos));
    }

    private static void deliver(TransientSession session, Message message, Match match) {
        session.deliver(new Delivery(PUBLISHER, message, List.of(match), null), match, null);
    }

    private void deliverShared(TransientSession session, String filter, String payload, Qos qos) {
        Match match = new Match(
                session, qos, false, Match.NO_IDS, TopicFilter.parse(filter).orElseThrow());
        deliver(session, message(payload, qos, -1), match);
    }

    private static Match match(TransientSession session, Qos qos) {
        return new Match(session, qos, false, Match.NO_IDS);
    }

    private List<String> handedOn() {
        runTasks();
        return dist.handedOn().stream()
                .map(delivery -> new String(delivery.message().payload(), StandardCharsets.UTF_8))
                .toList();
    }

    private List<DropReason> drops() {
        return events.stream()
                .filter(BrokerEvent.MessageDropped.class::isInstance)
                .map(event -> ((BrokerEvent.MessageDropped) event).reason())
                .toList();
    }

    @Test
    void qos0IsDroppedForASlowConsumerAndQos1Waits() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        deliver(session, "kept", Qos.AT_LEAST_ONCE);
        assertThat(connection.sent).isEmpty();
        assertThat(drops()).containsExactly(DropReason.SLOW_CONSUMER);

        connection.isWritable = true;
        session.onWritable();
        assertThat(connection.publishIds()).containsExactly(1);
    }

    private void tick(TransientSession session, int times) {
        for (int i = 0; i < times; i++) {
            connection.tick(session);
        }
    }

    private List<BrokerEvent> paceEvents() {
        return events.stream()
                .filter(event -> event instanceof BrokerEvent.SlowConsumerBegan
                        || event instanceof BrokerEvent.SlowConsumerEnded)
                .toList();
    }

    /** One event for all that it loses, and one at the end. */
    @Test
    void aSlowConsumerIsToldOnceAndItsEndWithTheCount() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        for (int i = 0; i < 7; i++) {
            deliver(session, "lost", Qos.AT_MOST_ONCE);
        }
        tick(session, 1);
        connection.isWritable = true;
        assertThat(paceEvents()).containsExactly(new BrokerEvent.SlowConsumerBegan(session.client()));
        tick(session, 2);
        assertThat(paceEvents())
                .last()
                .isEqualTo(new BrokerEvent.SlowConsumerEnded(session.client(), 7, Duration.ofSeconds(2)));
        assertThat(drops()).hasSize(7);
    }

    @Test
    void whomTheBandwidthLimitHoldsBackIsNoSlowConsumer() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        connection.isOverBandwidth = true;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        tick(session, 10);
        assertThat(drops()).containsExactly(DropReason.BANDWIDTH);
        assertThat(paceEvents()).isEmpty();
    }

    @Test
    void aSocketThatIsFullForAMomentIsNoSlowConsumer() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        tick(session, 2);
        connection.isWritable = true;
        tick(session, 1);
        connection.isWritable = false;
        tick(session, 2);
        assertThat(paceEvents()).isEmpty();
        tick(session, 1);
        session.onClosed("gone");
        assertThat(paceEvents())
                .containsExactly(
                        new BrokerEvent.SlowConsumerBegan(session.client()),
                        new BrokerEvent.SlowConsumerEnded(session.client(), 0, Duration.ofSeconds(1)));
    }

    @Test
    void aFullQueueMakesASlowConsumerToo() {
        TransientSession session = session(4, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 4; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(paceEvents()).containsExactly(new BrokerEvent.SlowConsumerBegan(session.client()));
        tick(session, 1);
        assertThat(paceEvents())
                .as("no end is reported, because the session has just dropped a message")
                .hasSize(1);
        tick(session, 1);
        assertThat(paceEvents())
                .last()
                .isEqualTo(new BrokerEvent.SlowConsumerEnded(session.client(), 2, Duration.ofSeconds(2)));
    }

    @Test
    void whoIsSlowForTooLongIsDisconnectedWhereConfigured() {
        SessionConfig config = config(100, 10, false, 1 << 20).with(new SessionConfig.Times(0, 0, 20));
        TransientSession session = session(5, 10, config);
        connection.isWritable = false;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        tick(session, 19);
        assertThat(connection.closeReason).isNull();
        tick(session, 1);
        assertThat(connection.closeReason).isEqualTo("QUOTA_EXCEEDED");
    }

    @Test
    void aFullQueueDropsTheNewest() {
        TransientSession session = session(4, 1, config(1000, 2, false, 1 << 20));
        for (int i = 0; i < 5; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST, DropReason.QUEUE_FULL_NEWEST);
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m1", "m2");
    }

    @Test
    void aFullQueueDropsTheOldestWhenToldTo() {
        TransientSession session = session(4, 1, config(1000, 2, true, 1 << 20));
        for (int i = 0; i < 5; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST, DropReason.QUEUE_FULL_OLDEST);
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m3", "m4");
    }

    private void acknowledgeAll(TransientSession session) {
        for (int seen = 0; seen < connection.publishIds().size(); seen++) {
            session.onPacket(new PubAck(connection.publishIds().get(seen)));
            session.onReadComplete();
        }
    }

    private List<String> payloads() {
        return connection.sent.stream()
                .filter(Publish.class::isInstance)
                .map(packet -> new String(((Publish) packet).payload(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void atTheLimitASharedMessageGoesToAnotherMember() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 4; i++) {
            deliverShared(session, "$share/g/a", "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(handedOn()).containsExactly("m2", "m3");
        assertThat(drops()).isEmpty();
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m1");
    }

    @Test
    void aFullMemberDropsWhatNobodyElseTakes() {
        TransientSession session = session(5, 1, config(1000, 1, true, 1 << 20));
        for (int i = 0; i < 3; i++) {
            deliverShared(session, "$queue/a", "m" + i, Qos.EXACTLY_ONCE);
        }
        assertThat(handedOn()).containsExactly("m2");
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST);
        connection.isWritable = false;
        deliverShared(session, "$queue/a", "q0", Qos.AT_MOST_ONCE);
        assertThat(handedOn()).containsExactly("m2", "q0");
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST, DropReason.SLOW_CONSUMER);
    }

    @Test
    void anOrderedMemberKeepsItsMessagesAlsoWhenItIsFull() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 3; i++) {
            deliverShared(session, "$oshare/g/a", "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(handedOn()).isEmpty();
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST);
    }

    /**
     * [MQTT5-4.8.2-5], [MQTT5-4.8.2-6]: except messages under way at QoS 2 and those that its client refused; all
     * others in order.
     */
    @Test
    @Clause({"MQTT5-4.8.2-5", "MQTT5-4.8.2-6"})
    void whatAMemberLeavesUnacknowledgedGoesToAnother() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 4, SessionConfig.DEFAULTS);
        deliverShared(session, "$share/g/a", "acknowledged", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "refused", Qos.AT_LEAST_ONCE);
        session.onPacket(new PubAck(1));
        session.onPacket(new PubAck(2, ReasonCode.UNSPECIFIED_ERROR));
        deliver(session, "its own", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "one", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "begun", Qos.EXACTLY_ONCE);
        deliverShared(session, "$oshare/g/a", "two", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "three", Qos.EXACTLY_ONCE);
        deliver(session, "its own too", Qos.AT_LEAST_ONCE);
        session.onClosed("test");
        deliverShared(session, "$share/g/a", "late", Qos.AT_MOST_ONCE);

        assertThat(handedOn()).containsExactly("one", "two", "three", "late");
        assertThat(drops()).containsExactly(DropReason.SESSION_ENDED);
    }

    /** One clock call for each read: later publishes have their own time. */
    @Test
    void publishesOfOneReadHaveItsTime() {
        List<Long> times = new ArrayList<>();
        SessionServices services = new SessionServices(
                SessionConfig.DEFAULTS, dist, new MemoryInbox(), retain, authorizer, reports, () -> ++nowMillis, 3);
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", 4);
        TransientSession session =
                new TransientSession(connection, services, new SessionTerms(client, 10, 0, 0, null), null, () -> {});
        TopicFilter filter = TopicFilter.parse("a").orElseThrow();
        dist.subscribe(TenantId.DEFAULT, filter, session, new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0));
        Deliverer live = delivery -> {
            times.add(delivery.message().receivedAtMillis());
            return Deliverer.DELIVERED;
        };
        dist.deliverTo(live, live);
        for (int read = 0; read < 2; read++) {
            for (int i = 0; i < 3; i++) {
                session.onPacket(
                        new Publish(0, false, Qos.AT_MOST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
            }
            session.onReadComplete();
        }
        assertThat(times).containsExactly(1_000_001L, 1_000_001L, 1_000_001L, 1_000_002L, 1_000_002L, 1_000_002L);
    }

    @Test
    @Clause({"MQTT5-3.3.2-5", "MQTT5-3.3.2-6"})
    void whatExpiresInTheQueueIsNotSent() {
        TransientSession session = session(5, 1, SessionConfig.DEFAULTS);
        deliver(session, "first", Qos.AT_LEAST_ONCE);
        deliver(session, message("stale", Qos.AT_LEAST_ONCE, 10), match(session, Qos.AT_LEAST_ONCE));
        deliver(session, message("fresh", Qos.AT_LEAST_ONCE, 60), match(session, Qos.AT_LEAST_ONCE));
        nowMillis += 15_000;
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("first", "fresh");
        assertThat(drops()).containsExactly(DropReason.EXPIRED);
        Publish fresh = (Publish) connection.sent.get(connection.sent.size() - 1);
        assertThat(fresh.properties().messageExpirySeconds()).isEqualTo(45);
    }

    @Test
    void anOutboundQos2HandshakeHoldsItsPlaceInTheWindow() {
        TransientSession session = session(5, 1, SessionConfig.DEFAULTS);
        deliver(session, "two", Qos.EXACTLY_ONCE);
        deliver(session, "next", Qos.EXACTLY_ONCE);
        session.onPacket(new PubRec(1));
        session.onReadComplete();
        assertThat(connection.sent.get(1)).isEqualTo(new PubRel(1, ReasonCode.SUCCESS));
        assertThat(payloads()).containsExactly("two");
        session.onPacket(new PubComp(1, ReasonCode.SUCCESS));
        session.onReadComplete();
        assertThat(payloads()).containsExactly("two", "next");

        session.onPacket(new PubRec(77));
        assertThat(connection.sent.get(connection.sent.size() - 1))
                .isEqualTo(new PubRel(77, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
    }

    @Test
    void readingPausesWhileTooMuchIsUnstored() {
        TransientSession session = session(4, 10, config(4, 10, false, 1 << 20));
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
            outcomes.add(outcome);
            dist.answerNext(outcome);
            session.onPacket(
                    new Publish(i, false, Qos.AT_LEAST_ONCE, false, "a", new byte[10], MessageProperties.NONE));
        }
        assertThat(connection.pauses).containsExactly(Connection.Pause.UNACKNOWLEDGED);
        outcomes.get(3).complete(DistOutcome.DELIVERED);
        outcomes.get(2).complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(connection.pauses).isEmpty();
        assertThat(connection.sent).isEmpty();
        outcomes.get(0).complete(DistOutcome.DELIVERED);
        outcomes.get(1).complete(DistOutcome.NO_MATCH);
        runTasks();
        assertThat(connection.sent).containsExactly(new PubAck(1), new PubAck(2), new PubAck(3), new PubAck(4));
    }

    @Test
    void theNodesBudgetPausesReading() {
        SessionConfig config = config(100, 10, false, 1 << 20).with(new SessionConfig.Intake(1 << 20, 3000));
        TransientSession session = session(4, 10, config);
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        dist.answerNext(outcome);
        session.onPacket(new Publish(1, false, Qos.AT_LEAST_ONCE, false, "a", new byte[2000], MessageProperties.NONE));
        assertThat(connection.pauses).containsExactly(Connection.Pause.NODE_BUDGET);
        assertThat(connection.storing).isGreaterThan(2000);
        outcome.complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(connection.pauses).isEmpty();
        assertThat(connection.storing).isZero();
    }

    @Test
    void theSessionEndsWhenItsLastPublishIsStored() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        dist.answerNext(outcome);
        session.onPacket(new Publish(1, false, Qos.AT_LEAST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        session.onClosed("test");
        runTasks();
        assertThat(isEnded).isFalse();
        outcome.complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(isEnded).isTrue();
    }

    private CompletableFuture<DistOutcome> publish(LiveFanOut fanOut, TransientSession session, Qos qos) {
        Match match = match(session, qos);
        return fanOut.deliver(new Delivery(PUBLISHER, message("m", qos, -1), List.of(match), null));
    }

    /** More than half of the queue of 8 is full, after one message under way. */
    private List<CompletableFuture<DistOutcome>> overHalf(LiveFanOut fanOut, TransientSession session) {
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            outcomes.add(publish(fanOut, session, Qos.AT_LEAST_ONCE));
        }
        assertThat(outcomes.subList(0, 5)).allMatch(CompletableFuture::isDone);
        return outcomes;
    }

    @Test
    void publishersWaitForAQueueThatIsHalfFullUntilItHasDrained() {
        TransientSession session = session(5, 1, config(1000, 8, false, 1 << 20));
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        CompletableFuture<DistOutcome> sixth = overHalf(fanOut, session).get(5);
        assertThat(sixth).isNotDone();
        assertThat(session.hold(message("m", Qos.AT_MOST_ONCE, -1), match(session, Qos.AT_LEAST_ONCE)))
                .as("QoS 0 messages are not held for an acknowledgement")
                .isNull();
        for (int acknowledged = 0; acknowledged < 2; acknowledged++) {
            session.onPacket(new PubAck(1 + acknowledged));
            session.onReadComplete();
        }
        assertThat(sixth).isNotDone();
        acknowledgeAll(session);
        assertThat(sixth).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(drops()).isEmpty();
        assertThat(overHalf(fanOut, session).get(5))
                .as("the publisher must wait again")
                .isNotDone();
    }

    /** One slow subscriber does not stop its publishers. */
    @Test
    void publishersWaitTwoSecondsAndNotAgainUntilTheQueueIsEmpty() {
        TransientSession session = session(5, 1, config(1000, 8, false, 1 << 20));
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        CompletableFuture<DistOutcome> sixth = overHalf(fanOut, session).get(5);
        tick(session, 1);
        assertThat(sixth).isNotDone();
        tick(session, 1);
        assertThat(sixth).isCompletedWithValue(DistOutcome.DELIVERED);
        for (int i = 0; i < 4; i++) {
            assertThat(publish(fanOut, session, Qos.AT_LEAST_ONCE)).isDone();
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST);
        acknowledgeAll(session);
        assertThat(overHalf(fanOut, session).get(5)).isNotDone();
    }

    @Test
    void aSessionThatEndsLetsItsPublishersGo() {
        TransientSession session = session(5, 1, config(1000, 8, false, 1 << 20));
        CompletableFuture<DistOutcome> sixth =
                overHalf(new LiveFanOut(2, () -> nowMillis), session).get(5);
        session.onClosed("gone");
        assertThat(sixth).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    void aSessionOfAnotherLoopIsWaitedForToo() {
        TransientSession session = session(5, 1, config(1000, 8, false, 1 << 20));
        overHalf(new LiveFanOut(2, () -> nowMillis), session);
        LoopContext source = new LoopContext(1, task -> {});
        source.bindToCurrentThread();
        CompletableFuture<DistOutcome> other = publish(new LiveFanOut(2, () -> nowMillis), session, Qos.AT_LEAST_ONCE);
        assertThat(other).isNotDone();
        loop.bindToCurrentThread();
        tick(session, 2);
        assertThat(other).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    void aDeliveryToAnEndedSessionIsReported() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        session.onClosed("test");
        deliver(session, "x", Qos.AT_LEAST_ONCE);
        assertThat(drops()).containsExactly(DropReason.SESSION_ENDED);
    }

    @Test
    void fanOutToAnotherLoopIsOneTaskForABatch() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        ArrayDeque<Runnable> sourceTasks = new ArrayDeque<>();
        LoopContext source = new LoopContext(1, sourceTasks::add);
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        source.bindToCurrentThread();
        for (int i = 0; i < 100; i++) {
            Delivery delivery = new Delivery(
                    session.client(),
                    message("m" + i, Qos.AT_MOST_ONCE, -1),
                    List.of(match(session, Qos.AT_MOST_ONCE)),
                    null);
            assertThat(fanOut.deliver(delivery)).isCompletedWithValue(DistOutcome.DELIVERED);
        }
        assertThat(tasks).isEmpty();
        assertThat(sourceTasks).hasSize(1);
        sourceTasks.remove().run();
        assertThat(tasks).hasSize(1);

        loop.bindToCurrentThread();
        runTasks();
        assertThat(payloads()).hasSize(100).startsWith("m0", "m1").endsWith("m99");
    }

    /** Under all attacks at once one hand-over was seen to keep a loop from all others for 129 ms. */
    @Test
    void whatAnotherLoopHandsOverIsWorkedOffInTurns() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        ArrayDeque<Runnable> sourceTasks = new ArrayDeque<>();
        LoopContext source = new LoopContext(1, sourceTasks::add);
        long[] nanos = {0};
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis, () -> nanos[0] += LiveFanOut.TURN_NANOS / 2);
        source.bindToCurrentThread();
        for (int i = 0; i < 2_000; i++) {
            fanOut.deliver(new Delivery(
                    session.client(),
                    message("m" + i, Qos.AT_MOST_ONCE, -1),
                    List.of(match(session, Qos.AT_MOST_ONCE)),
                    null));
            if (i % 500 == 499) {
                sourceTasks.remove().run();
            }
        }

        loop.bindToCurrentThread();
        int before = 0;
        int most = 0;
        while (!tasks.isEmpty()) {
            tasks.remove().run();
            most = Math.max(most, payloads().size() - before);
            before = payloads().size();
        }
        assertThat(most).as("copies that one task hands over").isBetween(1, 200);
        assertThat(payloads())
                .isEqualTo(IntStream.range(0, 2_000).mapToObj(i -> "m" + i).toList());
    }

    @Test
    void publishersWaitForALoopThatIsBehind() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        ArrayDeque<Runnable> sourceTasks = new ArrayDeque<>();
        LoopContext source = new LoopContext(1, sourceTasks::add);
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        source.bindToCurrentThread();
        Delivery delivery = new Delivery(
                session.client(), message("m", Qos.AT_MOST_ONCE, -1), List.of(match(session, Qos.AT_MOST_ONCE)), null);
        for (int i = 0; i <= LiveFanOut.MAX_BACKLOG; i++) {
            fanOut.deliver(delivery);
        }
        sourceTasks.remove().run();
        CompletableFuture<DistOutcome> late = fanOut.deliver(delivery);
        assertThat(late).isNotDone();
        sourceTasks.remove().run();
        loop.bindToCurrentThread();
        runTasks();
        assertThat(late).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    /** Such as a thread that receives messages of other nodes. */
    @Test
    void whoeverIsNoLoopWaitsForLoopsThatAreBehindToo() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        Delivery delivery = new Delivery(
                session.client(), message("m", Qos.AT_MOST_ONCE, -1), List.of(match(session, Qos.AT_MOST_ONCE)), null);
        List<CompletableFuture<DistOutcome>> outcomes = CompletableFuture.supplyAsync(
                        () -> IntStream.rangeClosed(0, LiveFanOut.MAX_BACKLOG + 1)
                                .mapToObj(i -> fanOut.deliver(delivery))
                                .toList(),
                        task -> new Thread(task).start())
                .join();
        assertThat(outcomes.subList(0, LiveFanOut.MAX_BACKLOG)).allMatch(CompletableFuture::isDone);
        assertThat(outcomes.subList(LiveFanOut.MAX_BACKLOG, outcomes.size())).noneMatch(CompletableFuture::isDone);
        loop.bindToCurrentThread();
        runTasks();
        assertThat(outcomes).allMatch(CompletableFuture::isDone);
    }

    /** One read of a publisher may bring more than the limit: it is held back from the first copy over it on. */
    @Test
    void aPublisherIsHeldBackBeforeTheHandOverIsPosted() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        LoopContext source = new LoopContext(1, new ArrayDeque<Runnable>()::add);
        LiveFanOut fanOut = new LiveFanOut(2, () -> nowMillis);
        source.bindToCurrentThread();
        Supplier<Delivery> next = () -> new Delivery(
                session.client(), message("m", Qos.AT_MOST_ONCE, -1), List.of(match(session, Qos.AT_MOST_ONCE)), null);
        for (int i = 0; i < LiveFanOut.MAX_BACKLOG; i++) {
            assertThat(fanOut.deliver(next.get())).isDone();
            assertThat(source.takeHold()).isFalse();
        }
        assertThat(fanOut.deliver(next.get())).isNotDone();
        assertThat(source.takeHold()).isTrue();
        assertThat(source.takeHold()).as("a hold can be taken only once").isFalse();
    }

    @Test
    void publishersWaitForEveryLoopThatIsBehind() {
        List<ArrayDeque<Runnable>> mail = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());
        List<LoopContext> loops = new ArrayList<>();
        List<Match> matches = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            loops.add(new LoopContext(i, mail.get(i)::add));
        }
        for (int i : new int[] {1, 2, 1}) {
            RecordingConnection on = new RecordingConnection(loops.get(i));
            matches.add(match(session(on, 4, 10, SessionConfig.DEFAULTS), Qos.AT_MOST_ONCE));
        }
        LiveFanOut fanOut = new LiveFanOut(3, () -> nowMillis);
        loops.get(0).bindToCurrentThread();
        TransientSession publisher = session(new RecordingConnection(loops.get(0)), 4, 10, SessionConfig.DEFAULTS);
        Delivery delivery = new Delivery(publisher.client(), message("m", Qos.AT_MOST_ONCE, -1), matches, null);
        for (int i = 0; i <= LiveFanOut.MAX_BACKLOG; i++) {
            fanOut.deliver(delivery);
        }
        mail.get(0).remove().run();

        CompletableFuture<DistOutcome> late = fanOut.deliver(delivery);
        mail.get(0).remove().run();
        for (int i : new int[] {2, 1}) {
            assertThat(late).isNotDone();
            loops.get(i).bindToCurrentThread();
            while (!mail.get(i).isEmpty()) {
                mail.get(i).remove().run();
            }
        }
        assertThat(late).isCompletedWithValue(DistOutcome.DELIVERED);
    }
}
