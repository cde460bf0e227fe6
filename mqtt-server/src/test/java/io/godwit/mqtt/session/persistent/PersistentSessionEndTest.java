package io.godwit.mqtt.session.persistent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.NoListener;
import io.godwit.mqtt.session.RecordingConnection;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.mqtt.twin.MemoryDist;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests under way when the connection of a persistent session ends, on the test's thread. */
class PersistentSessionEndTest {
    private static final ClientInfo CLIENT = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", 5);
    private static final TopicFilter FILTER = new TopicFilter(null, "a");
    private static final int WINDOW = 10;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final MemoryDist dist = new MemoryDist();
    private final MemoryInbox inbox = new MemoryInbox();
    private final RecordingConnection connection = new RecordingConnection(loop);
    private boolean isEnded;
    private long incarnation;

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
    }

    @Test
    void theNextConnectionWaitsForTheRouteThatThisOneIsWriting() {
        PersistentSession session = session();
        CompletableFuture<Void> route = new CompletableFuture<>();
        dist.holdNextRoute(route);
        session.onPacket(new Subscribe(1, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE))));
        session.onPacket(new Unsubscribe(2, List.of(FILTER)));
        runTasks();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();
        assertThat(isEnded).isFalse();

        route.complete(null);
        runTasks();
        assertThat(isEnded).isTrue();
        // the UNSUBSCRIBE had not begun: the client repeats it, on a session that is whole
        assertThat(dist.size()).isEqualTo(1);
        assertThat(attach().subscriptions()).hasSize(1);
    }

    /** Other nodes keep what they are told of a member until they are told otherwise, with or without its route. */
    @Test
    void aMemberIsConnectedUntilItUnsubscribesOrItsConnectionEnds() {
        TopicFilter shared = new TopicFilter("g", "a");
        TopicFilter other = new TopicFilter("h", "a");
        PersistentSession session = session();
        CompletableFuture<Void> route = new CompletableFuture<>();
        dist.holdNextRoute(route);
        session.onPacket(new Subscribe(1, List.of(new Subscription(shared, Qos.AT_LEAST_ONCE))));
        session.onPacket(new Unsubscribe(2, List.of(shared)));
        session.onPacket(new Subscribe(3, List.of(new Subscription(other, Qos.AT_LEAST_ONCE))));
        session.onPacket(new Subscribe(4, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE))));
        runTasks();
        route.complete(null);
        runTasks();
        assertThat(connection.sent).hasSize(4);
        assertThat(dist.connected()).containsExactly(other);

        session.onPacket(new Subscribe(5, List.of(new Subscription(shared, Qos.AT_LEAST_ONCE))));
        runTasks();
        assertThat(dist.connected()).containsExactlyInAnyOrder(shared, other);
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();
        assertThat(dist.connected()).isEmpty();
    }

    /** A client with endless requests must not fill the memory. */
    @Test
    void whoHasTooMuchUnansweredIsReadNoFurther() {
        PersistentSession session = session();
        CompletableFuture<Void> route = new CompletableFuture<>();
        dist.holdNextRoute(route);
        for (int i = 1; i < 100; i += 2) {
            session.onPacket(new Subscribe(i, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE))));
            session.onPacket(new Unsubscribe(i + 1, List.of(FILTER)));
            assertThat(connection.pauses.isEmpty()).isEqualTo(i < 99);
        }
        assertThat(connection.pauses).containsExactly(Connection.Pause.SUBSCRIBING);

        route.complete(null);
        runTasks();
        assertThat(connection.pauses).isEmpty();
        assertThat(connection.sent).hasSize(100);
    }

    @Test
    void filtersTakeRoomUntilTheyAreAnswered() {
        PersistentSession session = session();
        CompletableFuture<Void> route = new CompletableFuture<>();
        dist.holdNextRoute(route);
        TopicFilter longer = TopicFilter.parse("x".repeat(640)).orElseThrow();
        session.onPacket(new Subscribe(
                1, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE), new Subscription(longer, Qos.AT_LEAST_ONCE))));
        session.onPacket(new Unsubscribe(2, List.of(FILTER, longer)));
        runTasks();
        assertThat(loop.filterRoom().filters()).isEqualTo(2 * (1 + 11));
        route.complete(null);
        runTasks();
        assertThat(connection.sent).hasSize(2);
        assertThat(loop.filterRoom().filters()).isZero();
    }

    /** Its stores still have work with them when it ends, but not for ever. */
    @Test
    void filtersWithoutAnswerLeaveTheirRoomWithTheSession() {
        PersistentSession session = session();
        CompletableFuture<Void> route = new CompletableFuture<>();
        dist.holdNextRoute(route);
        session.onPacket(new Subscribe(1, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE))));
        session.onPacket(new Unsubscribe(2, List.of(FILTER)));
        runTasks();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();
        assertThat(loop.filterRoom().filters()).isEqualTo(2);
        route.complete(null);
        runTasks();
        assertThat(isEnded).isTrue();
        assertThat(loop.filterRoom().filters()).isZero();
    }

    /** Nobody would be asked about it, and the store would take it for a new message. */
    @Test
    void aPublishBehindItsPubrelIsAProtocolError() {
        PersistentSession session = session();
        session.onPacket(new Publish(9, false, Qos.EXACTLY_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        runTasks();
        inbox.answerReleasesWith(new CompletableFuture<>());
        session.onPacket(new PubRel(9, ReasonCode.SUCCESS));
        Publish other = new Publish(9, false, Qos.EXACTLY_ONCE, false, "b", new byte[1], MessageProperties.NONE);
        assertThatThrownBy(() -> session.onPacket(other)).isInstanceOf(ProtocolException.class);
    }

    /** Each would wait in the store for its answer: as many as a client likes to send, while the disk is slow. */
    @Test
    void aPubrelThatComesAgainMeanwhileIsNotPassedOn() {
        PersistentSession session = session();
        session.onPacket(new Publish(9, false, Qos.EXACTLY_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        runTasks();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        inbox.answerReleasesWith(answer);
        for (int i = 0; i < 1_000; i++) {
            session.onPacket(new PubRel(9, ReasonCode.SUCCESS));
        }
        runTasks();
        assertThat(inbox.releases()).isEqualTo(1);
        answer.complete(true);
        runTasks();
        assertThat(connection.sent).filteredOn(PubComp.class::isInstance).hasSize(1);
        session.onPacket(new PubRel(9, ReasonCode.SUCCESS));
        assertThat(connection.sent).filteredOn(PubComp.class::isInstance).hasSize(2);
        assertThat(inbox.releases()).isEqualTo(1);
    }

    @Test
    void aDistributionThatEndsAfterTheConnectionIsNotDoneAgain() {
        PersistentSession session = session();
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        dist.answerNext(outcome);
        session.onPacket(new Publish(9, false, Qos.EXACTLY_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        runTasks();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();
        assertThat(isEnded).isFalse();

        outcome.complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(isEnded).isTrue();
        Message repeated = new Message("a", new byte[1], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
        InboxAttachment next = attach().attachment();
        assertThat(next.receive(9, repeated).join().isDistributed()).isTrue();
    }

    /** Messages that wait here have not been sent, however many were requested from the store. */
    @Test
    void theStoreIsToldHowFarTheClientWasSent() {
        PersistentSession session = session();
        for (int i = 0; i < WINDOW + 3; i++) {
            Message message = new Message("a", new byte[1], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
            InsertRequest.Target target =
                    new InsertRequest.Target(CLIENT.clientId(), incarnation, Qos.EXACTLY_ONCE, false, Match.NO_IDS);
            inbox.insert(new InsertRequest(TenantId.DEFAULT, message, List.of(target), null, 0, 0));
        }
        runTasks();
        assertThat(connection.sent).hasSize(WINDOW);
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();

        List<InboxMessage> again = new ArrayList<>();
        AttachReply next = inbox.attach(request(), new InboxListener() {
                    @Override
                    public void deliver(List<InboxMessage> messages) {
                        again.addAll(messages);
                    }

                    @Override
                    public void detached(Reason reason) {}
                })
                .join();
        next.attachment().request(WINDOW + 3);
        assertThat(again).hasSize(WINDOW + 3);
        assertThat(inbox.lastSentBelow()).isEqualTo(again.get(WINDOW).sequence());
    }

    private PersistentSession session() {
        MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), EventListener.NONE);
        SessionServices services = new SessionServices(
                SessionConfig.DEFAULTS,
                new SessionStores(dist, inbox, new MemoryRetain()),
                new Authorizer(new MemoryAuth(), AuthConfig.DEFAULTS, reports),
                reports,
                () -> 0,
                1);
        InboxMail mail = new InboxMail(() -> {});
        AttachReply reply =
                LastingAttachment.attach(connection, services, request(), mail).join();
        incarnation = reply.incarnation();
        PersistentSession session = new PersistentSession(
                connection,
                services,
                new SessionTerms(CLIENT, WINDOW, 0, 3600, null),
                reply,
                mail,
                () -> isEnded = true);
        session.start();
        return session;
    }

    private AttachReply attach() {
        return inbox.attach(request(), new NoListener()).join();
    }

    private static AttachRequest request() {
        return new AttachRequest(CLIENT, false, 3600, null);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
