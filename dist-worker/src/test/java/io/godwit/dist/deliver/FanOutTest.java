package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryOrder;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.kv.client.RequestPlace;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FanOutTest {
    private static final SubscriptionOptions QOS1 = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);
    private static final InboxReceiver INBOX = new InboxReceiver(TenantId.DEFAULT, new ClientId("i"), 1);

    private final TenantIndex index =
            new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN)).tenant(TenantId.DEFAULT);
    private final List<Delivery> toLive = new ArrayList<>();
    private final List<Delivery> toInbox = new ArrayList<>();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ServedReceivers served = new ServedReceivers(System::nanoTime);
    private CompletableFuture<DistOutcome> liveAnswer = Deliverer.DELIVERED;
    private CompletableFuture<DistOutcome> inboxAnswer = Deliverer.DELIVERED;

    private final FanOut publisher = publisher();

    private FanOut publisher() {
        return publisher(5, null);
    }

    /** The publisher of a connection. */
    private FanOut connected(int protocolLevel) {
        return publisher(protocolLevel, Runnable::run);
    }

    private FanOut publisher(int protocolLevel, @Nullable Executor thread) {
        return new FanOut(
                new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", protocolLevel),
                null,
                index,
                new FanOut.Deliverers(
                        delivery -> {
                            toLive.add(delivery);
                            return liveAnswer;
                        },
                        delivery -> {
                            toInbox.add(delivery);
                            return inboxAnswer;
                        },
                        new DistCounters(meters),
                        events::add,
                        new StrayRoutes((receiver, topic) -> CompletableFuture.completedFuture(null)),
                        new SharedChoices(System::nanoTime),
                        (publisher, message, token) ->
                                message.topic().equals("$later") ? new CompletableFuture<>() : null,
                        served),
                thread);
    }

    @Test
    void aLiveDeliverySharesTheMatchListAndTheFuture() {
        subscribe("a", new TestReceiver("1"));

        CompletableFuture<DistOutcome> first = publish("a", Qos.AT_MOST_ONCE);
        CompletableFuture<DistOutcome> second = publish("a", Qos.AT_MOST_ONCE);

        assertThat(first).isSameAs(Deliverer.DELIVERED);
        assertThat(second).isSameAs(Deliverer.DELIVERED);
        assertThat(toLive.get(0).matches()).isSameAs(toLive.get(1).matches());
        assertThat(toInbox).isEmpty();
    }

    @Test
    void aSubscriptionMadeBetweenTwoPublishesGetsTheSecond() {
        subscribe("a", new TestReceiver("1"));
        publish("a", Qos.AT_MOST_ONCE);
        subscribe("+", new TestReceiver("2"));
        publish("a", Qos.AT_MOST_ONCE);
        index.remove(filter("a"), new TestReceiver("1"));
        publish("a", Qos.AT_MOST_ONCE);

        assertThat(toLive).extracting(FanOutTest::names).containsExactly(List.of("1"), List.of("1", "2"), List.of("2"));
    }

    @Test
    void topicsInTurnEachHaveTheirOwnMatches() {
        for (int i = 0; i < 20; i++) {
            subscribe("t/" + i, new TestReceiver("c" + i));
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20; i++) {
                publish("t/" + i, Qos.AT_MOST_ONCE);
                assertThat(names(toLive.get(toLive.size() - 1))).containsExactly("c" + i);
            }
        }
    }

    @Test
    void noSubscriberIsNoMatch() {
        assertThat(publish("a", Qos.AT_LEAST_ONCE).join()).isEqualTo(DistOutcome.NO_MATCH);
        assertThat(count("godwit.dist.no.match")).isEqualTo(1);
    }

    @Test
    void theWorstAnswerWins() {
        subscribe("a", new TestReceiver("1"));
        subscribe("a", INBOX);
        for (DistOutcome live : List.of(DistOutcome.DELIVERED, DistOutcome.OVERLOADED, DistOutcome.FAILED)) {
            for (DistOutcome inbox : List.of(DistOutcome.DELIVERED, DistOutcome.OVERLOADED, DistOutcome.FAILED)) {
                DistOutcome worst = live.compareTo(inbox) >= 0 ? live : inbox;
                worst = live == DistOutcome.DELIVERED ? inbox : worst;

                liveAnswer = CompletableFuture.completedFuture(live);
                inboxAnswer = new CompletableFuture<>();
                CompletableFuture<DistOutcome> outcome = publish("a", Qos.AT_LEAST_ONCE);
                assertThat(outcome).isNotDone();
                inboxAnswer.complete(inbox);
                assertThat(outcome.join()).isEqualTo(worst);
            }
        }
    }

    @Test
    void waitsForTheInboxAndPassesTheToken() {
        subscribe("a", INBOX);
        inboxAnswer = new CompletableFuture<>();
        DeliveryToken token = new DeliveryToken("o", 1, 0);

        CompletableFuture<DistOutcome> outcome = publisher.publish(message("a", Qos.EXACTLY_ONCE), token);

        assertThat(outcome).isNotDone();
        assertThat(toInbox.get(0).token()).isSameAs(token);
        inboxAnswer.complete(DistOutcome.DELIVERED);
        assertThat(outcome.join()).isEqualTo(DistOutcome.DELIVERED);
    }

    @Test
    void aRepeatUnderATokenLeavesOutTheLiveReceiversThatHaveTheMessage() {
        subscribe("a", new TestReceiver("1"));
        subscribe("a", INBOX);
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        inboxAnswer = CompletableFuture.completedFuture(DistOutcome.FAILED);
        assertThat(publisher.publish(message("a", Qos.EXACTLY_ONCE), token)).isCompletedWithValue(DistOutcome.FAILED);

        // the same client on another connection, or the store; another subscriber has come meanwhile
        subscribe("a", new TestReceiver("2"));
        inboxAnswer = Deliverer.DELIVERED;
        assertThat(publisher().publish(message("a", Qos.EXACTLY_ONCE), token))
                .isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(publisher().publish(message("a", Qos.EXACTLY_ONCE), token))
                .isCompletedWithValue(DistOutcome.DELIVERED);

        assertThat(toLive).extracting(FanOutTest::names).containsExactly(List.of("1"), List.of("2"));
        assertThat(toInbox).hasSize(3);
    }

    @Test
    void aRepeatThatHasNothingLeftToDeliverIsDelivered() {
        subscribe("a", new TestReceiver("1"));
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        publisher.publish(message("a", Qos.EXACTLY_ONCE), token);

        assertThat(publisher.publish(message("a", Qos.EXACTLY_ONCE), token))
                .isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(toLive).hasSize(1);
    }

    @Test
    void otherTokensOfTheOriginAndTheSameNumberOfAnotherAreOtherMessages() {
        subscribe("a", new TestReceiver("1"));
        for (DeliveryToken token :
                List.of(new DeliveryToken("o", 1, 0), new DeliveryToken("o", 2, 1), new DeliveryToken("p", 1, 0))) {
            publisher.publish(message("a", Qos.EXACTLY_ONCE), token);
        }
        assertThat(toLive).hasSize(3);
        assertThat(served.size()).isEqualTo(3);
        served.finished("o", 2);
        served.finished("o", 1);
        served.finished("p", 1);
        assertThat(served.size()).isZero();
    }

    @Test
    void aMessageWithoutATokenIsDeliveredEveryTimeAndNotRemembered() {
        subscribe("a", new TestReceiver("1"));
        publish("a", Qos.EXACTLY_ONCE);
        publish("a", Qos.EXACTLY_ONCE);
        assertThat(toLive).hasSize(2);
        assertThat(served.size()).isZero();
    }

    @Test
    void tokensThatNobodyFinishesAreForgottenOldestFirst() {
        List<Match> many = Collections.nCopies(
                ServedReceivers.MAX_COPIES / 2,
                new Match(new TestReceiver("1"), Qos.EXACTLY_ONCE, false, Match.NO_IDS));
        for (int number = 1; number <= 3; number++) {
            served.unserved(new DeliveryToken("o", number, 0), many);
        }
        assertThat(served.size()).isEqualTo(2);
        assertThat(served.unserved(new DeliveryToken("o", 3, 0), many)).isEmpty();
        assertThat(served.unserved(new DeliveryToken("o", 2, 0), many)).isEmpty();
        assertThat(served.unserved(new DeliveryToken("o", 1, 0), many)).isNotEmpty();
    }

    /** MQTT 3.1.1 has no error code for PUBACK: the connection ends, and the client sends both again. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void aClientBefore5RepeatsWhatIsBehindAFailedMessageSoNobodyGetsIt() {
        subscribe("a", INBOX);
        subscribe("b", new TestReceiver("1"));
        FanOut connection = connected(4);
        connection.publish(message("a", Qos.AT_LEAST_ONCE), null);
        inboxAnswer = CompletableFuture.completedFuture(DistOutcome.OVERLOADED);
        connection.publish(message("a", Qos.AT_LEAST_ONCE), null);
        inboxAnswer = Deliverer.DELIVERED;

        assertThat(connection.publish(message("a", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(connection.publish(message("b", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(toInbox).hasSize(2);
        assertThat(toLive).isEmpty();
        assertThat(connection.publish(message("$later", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        connection.publish(message("b", Qos.AT_MOST_ONCE), null);
        assertThat(toLive).as("QoS 0 is not sent again").hasSize(1);

        assertThat(connected(4).publish(message("a", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void aDeliveryThatEndsWithAnExceptionIsAFailedMessage() {
        subscribe("a", INBOX);
        FanOut connection = connected(4);
        inboxAnswer = CompletableFuture.failedFuture(new IllegalStateException("broken"));
        assertThat(connection.publish(message("a", Qos.AT_LEAST_ONCE), null)).isCompletedExceptionally();
        inboxAnswer = Deliverer.DELIVERED;

        assertThat(connection.publish(message("a", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(toInbox).hasSize(1);
    }

    @Test
    void messagesThatAClientRepeatsTogetherHaveRisingPlacesInOneOrder() {
        subscribe("a", INBOX);
        FanOut connection = connected(4);
        for (Qos qos : List.of(Qos.AT_LEAST_ONCE, Qos.AT_MOST_ONCE, Qos.EXACTLY_ONCE)) {
            connection.publish(message("a", qos), null);
        }
        RequestPlace first = toInbox.get(0).resend().place();
        RequestPlace last = toInbox.get(2).resend().place();
        assertThat(toInbox.get(1).resend().place()).as("QoS 0").isNull();
        assertThat(first).isNotNull();
        assertThat(last).isNotNull();
        assertThat(last.order()).isSameAs(first.order());
        assertThat(last.number()).isGreaterThan(first.number());
    }

    /** PUBACK says which message has failed. PUBREC does not, because some receivers may have the message. */
    @Test
    void aClientOf5IsToldAtQos1AndRepeatsAtQos2() {
        subscribe("a", INBOX);
        FanOut connection = connected(5);
        inboxAnswer = CompletableFuture.completedFuture(DistOutcome.FAILED);
        connection.publish(message("a", Qos.AT_LEAST_ONCE), null);
        connection.publish(message("a", Qos.EXACTLY_ONCE), null);
        publish("a", Qos.EXACTLY_ONCE);
        inboxAnswer = Deliverer.DELIVERED;

        assertThat(connection.publish(message("a", Qos.AT_LEAST_ONCE), null))
                .isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(connection.publish(message("a", Qos.EXACTLY_ONCE), null))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(publish("a", Qos.EXACTLY_ONCE))
                .as("without a connection")
                .isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    @Clause("MQTT5-4.6.0-5")
    void aMessageBehindAFailedTokenIsGivenToNobody() {
        subscribe("a", new TestReceiver("1"));
        DeliveryOrder order = new DeliveryOrder();
        liveAnswer = CompletableFuture.completedFuture(DistOutcome.FAILED);
        publisher.publish(message("a", Qos.EXACTLY_ONCE), order.token("o", 1, 0, false));
        liveAnswer = Deliverer.DELIVERED;

        assertThat(publisher.publish(message("a", Qos.EXACTLY_ONCE), order.token("o", 2, 0, false)))
                .isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(toLive).hasSize(1);
    }

    @Test
    void aQos0MessageThatAStoreRefusedIsReported() {
        subscribe("a", INBOX);
        inboxAnswer = CompletableFuture.completedFuture(DistOutcome.FAILED);

        assertThat(publish("a", Qos.AT_MOST_ONCE).join()).isEqualTo(DistOutcome.FAILED);
        assertThat(publish("a", Qos.AT_LEAST_ONCE).join()).isEqualTo(DistOutcome.FAILED);

        assertThat(events)
                .containsExactly(new BrokerEvent.MessageDropped(
                        TenantId.DEFAULT, INBOX.clientId(), "a", DropReason.STORE_FAILED));
        assertThat(count("godwit.dist.refused")).isEqualTo(2);
    }

    @Test
    void aGroupTakesTurnsOverLiveAndConnectedMembers() {
        subscribe("$share/g/a", new TestReceiver("1"));
        subscribe("$share/g/a", INBOX);
        index.setConnected(filter("$share/g/a"), INBOX, true);
        for (int i = 0; i < 10; i++) {
            publish("a", Qos.AT_LEAST_ONCE);
        }
        assertThat(toLive).hasSize(5);
        assertThat(toInbox).hasSize(5);
        assertThat(count("godwit.dist.matched")).isEqualTo(10);
    }

    @Test
    void whatIsForLaterIsNotDeliveredNow() {
        subscribe("$later", new TestReceiver("1"));
        subscribe("$now", new TestReceiver("1"));

        assertThat(publish("$later", Qos.AT_LEAST_ONCE)).isNotDone();
        publish("$now", Qos.AT_LEAST_ONCE);
        assertThat(toLive).extracting(delivery -> delivery.message().topic()).containsExactly("$now");
    }

    @Test
    void aSharedAndAPlainSubscriptionGiveTwoCopies() {
        subscribe("a", new TestReceiver("1"));
        subscribe("$share/g/a", new TestReceiver("1"));

        publish("a", Qos.AT_LEAST_ONCE);

        assertThat(names(toLive.get(0))).containsExactly("1", "1");
    }

    @Test
    void theCopiesOfOneSessionTellBySubscription() {
        subscribe("a", INBOX);
        subscribe("+", INBOX);
        subscribe("$share/g/a", INBOX);
        subscribe("$share/g/+", INBOX);

        publisher.publish(message("a", Qos.EXACTLY_ONCE), new DeliveryToken("o", 1, 0));

        assertThat(toInbox.get(0).matches())
                .extracting(Match::sharedBy)
                .containsExactlyInAnyOrder(null, filter("$share/g/a"), filter("$share/g/+"));
    }

    @Test
    @Clause("MQTT5-3.8.3-3")
    void noLocalIsNotGivenItsOwn() {
        index.add(filter("a"), new TestReceiver("p"), new SubscriptionOptions(Qos.AT_LEAST_ONCE, true, false, 0));
        subscribe("a", new TestReceiver("1"));

        publish("a", Qos.AT_MOST_ONCE);

        assertThat(names(toLive.get(0))).containsExactly("1");
    }

    private void subscribe(String filter, Receiver receiver) {
        index.add(filter(filter), receiver, QOS1);
    }

    private CompletableFuture<DistOutcome> publish(String topic, Qos qos) {
        return publisher.publish(message(topic, qos), null);
    }

    private double count(String name) {
        return meters.get(name).functionCounter().count();
    }

    private static List<String> names(Delivery delivery) {
        return delivery.matches().stream()
                .map(Match::receiver)
                .map(receiver -> receiver.clientId().value())
                .sorted()
                .toList();
    }

    private static Message message(String topic, Qos qos) {
        return new Message(topic, new byte[] {1}, qos, false, 0, MessageProperties.NONE);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
