package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.InterceptorStep;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fate of messages that plugins intercept, over real sockets. */
class InterceptionTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> invalid = new CopyOnWriteArrayList<>();
    private @Nullable TestNode node;

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
    }

    private InterceptorStep step(BiFunction<ClientInfo, Message, CompletableFuture<Interception>> call) {
        return new InterceptorStep() {
            @Override
            public String plugin() {
                return "acme";
            }

            @Override
            public CompletableFuture<Interception> ask(ClientInfo client, Message message) {
                asked.add(client.clientId().value() + " " + text(message));
                return call.apply(client, message);
            }

            @Override
            public boolean wasAsked(Throwable failure) {
                return !(failure instanceof RejectedExecutionException);
            }

            @Override
            public void invalid(String detail) {
                invalid.add(detail);
            }
        };
    }

    private static BiFunction<ClientInfo, Message, CompletableFuture<Interception>> at(
            BiFunction<ClientInfo, Message, Interception> call) {
        return (client, message) -> CompletableFuture.completedFuture(call.apply(client, message));
    }

    private static String text(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    private static Interception withText(Message message, String text) {
        return new Interception.Changed(message.withPayload(text.getBytes(StandardCharsets.UTF_8)));
    }

    private TestNode publishing(BiFunction<ClientInfo, Message, CompletableFuture<Interception>> call) {
        node = new TestNode(new Interceptors(InterceptorChain.of(List.of(step(call))), null), new MemoryAuth());
        return node;
    }

    private TestNode delivering(BiFunction<ClientInfo, Message, CompletableFuture<Interception>> call) {
        node = new TestNode(new Interceptors(null, InterceptorChain.of(List.of(step(call)))), new MemoryAuth());
        return node;
    }

    // ---- publishes

    @Test
    void whatAnInterceptorHasMadeOfAPublishIsWhatSubscribersGet() {
        List<UserProperty> properties = List.of(new UserProperty("seen", "yes"));
        TestNode node = publishing(at((client, message) -> new Interception.Changed(message.withTopic("b")
                .withPayload("new".getBytes(StandardCharsets.UTF_8))
                .withQos(Qos.AT_LEAST_ONCE)
                .withRetain(true)
                .withProperties(MessageProperties.NONE.withUserProperties(properties)))));
        try (TestClient client = TestClient.clean(node.address, 5, "c");
                TestClient subscriber = TestClient.clean(node.address, 5, "s")) {
            subscriber.subscribe(1, "b", Qos.EXACTLY_ONCE);
            client.send(TestClient.publish(7, Qos.EXACTLY_ONCE, false, "a", "old"));
            assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(7));
            client.send(new PubRel(7, ReasonCode.SUCCESS));
            assertThat(client.receive(PubComp.class)).isEqualTo(new PubComp(7));
            Publish got = subscriber.receive(Publish.class);
            assertThat(TestClient.payload(got)).isEqualTo("new");
            assertThat(got.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
            assertThat(got.properties().userProperties()).isEqualTo(properties);
            subscriber.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
            subscriber.subscribe(2, "+", Qos.AT_MOST_ONCE);
            assertThat(subscriber.receive(Publish.class).retain()).isTrue();
        }
        assertThat(asked).containsExactly("c old");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aDroppedPublishIsAcknowledgedAndReported(int level) {
        TestNode node = publishing(at((client, message) ->
                text(message).equals("bad") ? new Interception.Dropped("too bad") : Interception.UNCHANGED));
        ReasonCode code = level == 5 ? ReasonCode.NO_MATCHING_SUBSCRIBERS : ReasonCode.SUCCESS;
        try (TestClient client = TestClient.clean(node.address, level, "c")) {
            client.subscribe(9, "#", Qos.AT_MOST_ONCE);
            for (int round = 0; round < 2; round++) {
                client.send(
                        TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "bad"),
                        TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "t", "bad"),
                        TestClient.publish(2, Qos.EXACTLY_ONCE, false, "t", "bad"));
                assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(1, code));
                assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(2, code));
                client.send(new PubRel(2, ReasonCode.SUCCESS));
                assertThat(client.receive(PubComp.class)).isEqualTo(new PubComp(2));
            }
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "good"));
            assertThat(client.receivePayload()).isEqualTo("good");
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.PublishIntercepted.class::isInstance)
                .hasSize(6)
                .allSatisfy(event -> {
                    BrokerEvent.PublishIntercepted one = (BrokerEvent.PublishIntercepted) event;
                    assertThat(one.plugin()).isEqualTo("acme");
                    assertThat(one.topic()).isEqualTo("t");
                    assertThat(one.detail()).isEqualTo("too bad");
                });
        assertThat(node.count("godwit.mqtt.publishes.intercepted")).isEqualTo(6);
    }

    @Test
    void withoutAnAnswerAPublishIsRefused() {
        TestNode node = publishing((client, message) -> text(message).equals("bad")
                ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                : CompletableFuture.completedFuture(Interception.UNCHANGED));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(9, "#", Qos.AT_MOST_ONCE);
            client.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "bad"),
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "bad"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "t", "bad"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "t", "good"));
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(1, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(2, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(client.receivePayload()).isEqualTo("good");
            assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(2));
        }
        try (TestClient client = TestClient.clean(node.address, 4, "old")) {
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "bad"));
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertThat(node.events)
                .filteredOn(BrokerEvent.PublishRefused.class::isInstance)
                .hasSize(4)
                .map(BrokerEvent.PublishRefused.class::cast)
                .allSatisfy(refused -> {
                    assertThat(refused.cause()).isEqualTo(PublishRefusalCause.INTERCEPTOR_FAILED);
                    assertThat(refused.detail()).contains("no answer");
                });
    }

    /** Also messages that no plugin is asked about [MQTT5-4.6.0-2]. */
    @Test
    void lateAnswersReorderNeitherMessagesNorAcknowledgements() throws Exception {
        BlockingQueue<CompletableFuture<Interception>> answers = new LinkedBlockingQueue<>();
        TestNode node = publishing((client, message) -> {
            CompletableFuture<Interception> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        });
        try (TestClient client = TestClient.clean(node.address, 5, "c");
                TestClient subscriber = TestClient.clean(node.address, 5, "s")) {
            subscriber.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "1"),
                    TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "l/".repeat(1_200), "too deep"),
                    TestClient.publish(3, Qos.AT_LEAST_ONCE, true, "t", "3"),
                    TestClient.publish(4, Qos.AT_LEAST_ONCE, false, "t", "4"),
                    new PingReq());
            client.receive(PingResp.class);
            Await.until("all are asked about", () -> answers.size() == 3);
            List<CompletableFuture<Interception>> late = List.copyOf(answers);
            late.get(2).complete(Interception.UNCHANGED);
            late.get(1).complete(new Interception.Dropped("x"));
            client.send(new PingReq());
            client.receive(PingResp.class);
            late.get(0).complete(Interception.UNCHANGED);
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(1);
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(2, ReasonCode.TOPIC_NAME_INVALID));
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(3, ReasonCode.NO_MATCHING_SUBSCRIBERS));
            assertThat(client.receive(PubAck.class).packetId()).isEqualTo(4);
            assertThat(subscriber.receivePayload()).isEqualTo("1");
            assertThat(subscriber.receivePayload()).isEqualTo("4");
        }
    }

    @Test
    void aRepeatedQos2PublishIsNotInterceptedAgain() {
        TestNode node = publishing(at((client, message) -> withText(message, "new")));
        try (TestClient client = TestClient.persistent(node.address, 5, "c")) {
            client.subscribe(1, "#", Qos.AT_MOST_ONCE);
            client.send(TestClient.publish(5, Qos.EXACTLY_ONCE, false, "t", "old"));
            assertThat(List.of(client.receive().getClass(), client.receive().getClass()))
                    .containsExactlyInAnyOrder(Publish.class, PubRec.class);
            client.send(TestClient.publish(5, Qos.EXACTLY_ONCE, false, "t", "old"));
            assertThat(client.receive(PubRec.class)).isEqualTo(new PubRec(5));
        }
        assertThat(asked).containsExactly("c old");
    }

    @Test
    void aChangeThatIsNotAllowedCountsAsNoAnswer() {
        byte[] large = new byte[TestNode.LIMITS.maxPacketBytes()];
        List<UserProperty> many = Collections.nCopies(1_001, new UserProperty("a", "b"));
        TestNode node = publishing(at((client, message) -> new Interception.Changed(
                switch (text(message)) {
                    case "qos" -> message.withQos(Qos.EXACTLY_ONCE);
                    case "wildcard" -> message.withTopic("a/#");
                    case "deep" -> message.withTopic("l/".repeat(1_200));
                    case "half" -> message.withTopic("a\uD800");
                    case "large" -> message.withPayload(large);
                    default -> message.withProperties(message.properties().withUserProperties(many));
                })));
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            for (String text : List.of("qos", "wildcard", "deep", "half", "large", "properties")) {
                client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", text));
                assertThat(client.receive(PubAck.class).reasonCode())
                        .as(text)
                        .isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
            }
        }
        assertThat(invalid).hasSize(6);
    }

    @Test
    void aDeniedPublishIsNotIntercepted() {
        MemoryAuth auth = new MemoryAuth();
        auth.onPublish(request -> MemoryAuth.unlessNo(request.topic()));
        node = new TestNode(
                new Interceptors(
                        InterceptorChain.of(List.of(step(at((client, message) -> withText(message, "new"))))), null),
                auth);
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(9, "#", Qos.AT_MOST_ONCE);
            client.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "no", "x"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "yes", "y"));
            assertThat(client.receive(PubAck.class)).isEqualTo(new PubAck(1, ReasonCode.NOT_AUTHORIZED));
            assertThat(client.receivePayload()).isEqualTo("new");
        }
        assertThat(asked).containsExactly("c y");
    }

    /** If there are several, each gets the message as the one before left it. */
    @Test
    void interceptorsStandOneBehindTheOther() {
        InterceptorStep first = step(at((client, message) -> withText(message, text(message) + " first")));
        InterceptorStep late = step(
                (client, message) -> CompletableFuture.supplyAsync(() -> withText(message, text(message) + " late")));
        InterceptorStep none = step(at((client, message) -> Interception.UNCHANGED));
        node = new TestNode(
                new Interceptors(InterceptorChain.of(List.of(first, late, none, first)), null), new MemoryAuth());
        try (TestClient client = TestClient.clean(node.address, 5, "c")) {
            client.subscribe(9, "#", Qos.AT_MOST_ONCE);
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "x"));
            assertThat(client.receivePayload()).isEqualTo("x first late first");
        }
    }

    // ---- deliveries

    @ParameterizedTest
    @EnumSource(Qos.class)
    void eachReceiverGetsWhatIsMadeOfItsCopy(Qos qos) {
        TestNode node = delivering((client, message) -> CompletableFuture.supplyAsync(() ->
                withText(message, text(message) + " for " + client.clientId().value())));
        try (TestClient live = TestClient.clean(node.address, 5, "live");
                TestClient lasting = TestClient.persistent(node.address, 5, "lasting");
                TestClient old = TestClient.clean(node.address, 4, "old");
                TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            for (TestClient each : List.of(live, lasting, old)) {
                each.subscribe(1, "t", qos);
            }
            for (int i = 1; i <= 20; i++) {
                publisher.send(TestClient.publish(qos == Qos.AT_MOST_ONCE ? 0 : i, qos, false, "t", "m" + i));
            }
            for (TestClient each : List.of(live, lasting, old)) {
                String name = each == live ? "live" : each == old ? "old" : "lasting";
                for (int i = 1; i <= 20; i++) {
                    Publish got = each.receive(Publish.class);
                    assertThat(TestClient.payload(got)).isEqualTo("m" + i + " for " + name);
                    if (qos == Qos.AT_LEAST_ONCE) {
                        each.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Qos.class)
    void retainedMessagesAreInterceptedToo(Qos qos) {
        TestNode node = delivering(
                (client, message) -> CompletableFuture.supplyAsync(() -> withText(message, text(message) + " new")));
        try (TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            for (int i = 0; i < 20; i++) {
                publisher.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, true, "r/" + i, "m"));
                publisher.receive(PubAck.class);
            }
            for (TestClient each : List.of(
                    TestClient.clean(node.address, 5, "live"), TestClient.persistent(node.address, 5, "lasting"))) {
                try (each) {
                    each.subscribe(1, "r/#", qos);
                    for (int i = 0; i < 20; i++) {
                        Publish got = each.receive(Publish.class);
                        assertThat(TestClient.payload(got)).isEqualTo("m new");
                        assertThat(got.retain()).isTrue();
                        if (got.qos() == Qos.AT_LEAST_ONCE) {
                            each.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyThatIsDroppedOrHasNoAnswerIsReportedAndTheNextOnesCome(boolean isLasting) {
        TestNode node = delivering((client, message) -> switch (text(message)) {
            case "drop" -> CompletableFuture.completedFuture(new Interception.Dropped("x"));
            case "fail" -> CompletableFuture.failedFuture(new IllegalStateException("no answer"));
            case "topic" -> CompletableFuture.completedFuture(new Interception.Changed(message.withTopic("u")));
            default -> CompletableFuture.completedFuture(Interception.UNCHANGED);
        });
        try (TestClient receiver = isLasting
                        ? TestClient.persistent(node.address, 5, "s")
                        : TestClient.clean(node.address, 5, "s");
                TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            receiver.subscribe(1, "t", Qos.EXACTLY_ONCE);
            for (Qos qos : Qos.values()) {
                int id = qos.value();
                for (String text : List.of("drop", "fail", "topic", "good")) {
                    publisher.send(TestClient.publish(id, qos, false, "t", text));
                    if (qos == Qos.AT_LEAST_ONCE) {
                        publisher.receive(PubAck.class);
                    } else if (qos == Qos.EXACTLY_ONCE) {
                        publisher.receive(PubRec.class);
                        publisher.send(new PubRel(id, ReasonCode.SUCCESS));
                        publisher.receive(PubComp.class);
                    }
                }
                Publish got = receiver.receive(Publish.class);
                assertThat(TestClient.payload(got)).isEqualTo("good");
                assertThat(got.qos()).isEqualTo(qos);
                if (qos == Qos.AT_LEAST_ONCE) {
                    receiver.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
                }
            }
        }
        assertThat(node.events)
                .filteredOn(event -> event instanceof BrokerEvent.MessageDropped dropped
                        && dropped.reason() == DropReason.INTERCEPTED)
                .hasSize(9);
        assertThat(invalid).hasSize(3);
    }

    /** Its session ends meanwhile; a second session of the client is not held up. */
    @Test
    void whoNeverAnswersHoldsUpOneClientOnly() {
        BlockingQueue<CompletableFuture<Interception>> never = new LinkedBlockingQueue<>();
        TestNode node = delivering((client, message) -> {
            if (!client.clientId().value().equals("held")) {
                return CompletableFuture.completedFuture(Interception.UNCHANGED);
            }
            CompletableFuture<Interception> answer = new CompletableFuture<>();
            never.add(answer);
            return answer;
        });
        try (TestClient held = TestClient.clean(node.address, 5, "held");
                TestClient other = TestClient.clean(node.address, 5, "other");
                TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            held.subscribe(1, "t", Qos.AT_LEAST_ONCE);
            other.subscribe(1, "t", Qos.AT_LEAST_ONCE);
            for (int i = 1; i <= 100; i++) {
                publisher.send(
                        TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "t", "m"),
                        TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "m"));
                publisher.receive(PubAck.class);
                for (int copies = 0; copies < 2; copies++) {
                    Publish got = other.receive(Publish.class);
                    if (got.qos() == Qos.AT_LEAST_ONCE) {
                        other.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
                    }
                }
            }
            assertThat(never).as("one message of each QoS waits at a time").hasSize(2);
            held.send(new PingReq());
            held.receive(PingResp.class);
            held.send(Disconnect.NORMAL);
            assertThat(held.isClosedByServer()).isTrue();
            never.forEach(each -> each.complete(Interception.UNCHANGED)); // late
            publisher.send(new PingReq());
            publisher.receive(PingResp.class);
        }
        Await.until(
                "all is reported",
                () -> node.events.stream()
                                .filter(event -> event instanceof BrokerEvent.MessageDropped dropped
                                        && dropped.reason() == DropReason.SESSION_ENDED)
                                .count()
                        == 200);
    }

    /** The client may not take the next PUBLISH of the packet id for a new message [MQTT5-4.3.3-5]. */
    @Test
    void aRepeatedQos2CopyWithoutAnAnswerIsOverForTheStoreBeforeItsPubrel() {
        AtomicBoolean isWell = new AtomicBoolean(true);
        TestNode node = delivering((client, message) -> isWell.get()
                ? CompletableFuture.completedFuture(Interception.UNCHANGED)
                : CompletableFuture.failedFuture(new IllegalStateException("no answer")));
        try (TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            int packetId;
            try (TestClient first = TestClient.persistent(node.address, 5, "s")) {
                first.subscribe(1, "t", Qos.EXACTLY_ONCE);
                publisher.send(TestClient.publish(1, Qos.EXACTLY_ONCE, false, "t", "m"));
                publisher.receive(PubRec.class);
                packetId = first.receive(Publish.class).packetId();
            }
            isWell.set(false);
            try (TestClient second = TestClient.persistent(node.address, 5, "s")) {
                assertThat(second.receive(PubRel.class).packetId()).isEqualTo(packetId);
            }
            isWell.set(true);
            try (TestClient third = TestClient.persistent(node.address, 5, "s")) {
                assertThat(third.receive(PubRel.class).packetId()).isEqualTo(packetId);
                third.send(new PubComp(packetId));
                third.send(new PingReq());
                third.receive(PingResp.class);
            }
        }
    }

    /** It is acknowledged to its publisher: want of threads must not lose it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatThePluginWasNotGivenWaitsUnlessItIsOfQos0(boolean isLasting) {
        AtomicInteger refusals = new AtomicInteger(6);
        TestNode node = delivering((client, message) -> refusals.getAndDecrement() > 0
                ? CompletableFuture.failedFuture(new RejectedExecutionException("too many calls"))
                : CompletableFuture.completedFuture(Interception.UNCHANGED));
        try (TestClient receiver = isLasting
                        ? TestClient.persistent(node.address, 5, "s")
                        : TestClient.clean(node.address, 5, "s");
                TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            receiver.subscribe(1, "t", Qos.EXACTLY_ONCE);
            publisher.send(
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "zero"),
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "one"),
                    TestClient.publish(2, Qos.EXACTLY_ONCE, false, "t", "two"));
            assertThat(receiver.receivePayload()).isEqualTo("one");
            assertThat(receiver.receivePayload()).isEqualTo("two");
        }
        assertThat(node.events)
                .filteredOn(event -> event instanceof BrokerEvent.MessageDropped dropped
                        && dropped.reason() == DropReason.INTERCEPTED)
                .hasSize(1);
    }

    /** The window is of QoS 1 and 2 [MQTT5-4.9.0-3]. */
    @Test
    void qos0DoesNotWaitForTheWindowOfAStoredSession() {
        TestNode node = delivering(at((client, message) -> Interception.UNCHANGED));
        try (TestClient receiver = new TestClient(node.address, 5);
                TestClient publisher = TestClient.clean(node.address, 5, "p")) {
            receiver.connect(new Connect(
                    5, false, 0, "s", null, null, null, 3600, 1, -1, -1, false, true, List.of(), null, null));
            receiver.subscribe(1, "t", Qos.AT_LEAST_ONCE);
            publisher.send(
                    TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "one"),
                    TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", "zero"));
            assertThat(List.of(receiver.receivePayload(), receiver.receivePayload()))
                    .containsExactlyInAnyOrder("one", "zero");
        }
    }
}
