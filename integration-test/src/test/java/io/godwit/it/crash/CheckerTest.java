package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker reports what is planted in a history, and nothing in the same history without it. */
class CheckerTest {
    private final List<Event> events = new ArrayList<>();
    private long sequence;

    @Test
    void whatIsDeliveredInOrderIsNoViolation() {
        subscriber("s", 1);
        publisher("p");
        MessageId first = acknowledged(1);
        MessageId second = acknowledged(1);
        delivered("s", 1, 1, first);
        delivered("s", 2, 1, second);
        assertThat(rules()).isEmpty();
    }

    @Test
    void anAcknowledgedMessageThatNeverComesIsLost() {
        subscriber("s", 1);
        publisher("p");
        MessageId first = acknowledged(1);
        acknowledged(1);
        delivered("s", 1, 1, first);
        assertThat(rules()).containsExactly(Rule.LOST);
    }

    @Test
    void anUnacknowledgedMessageMayBeLost() {
        subscriber("s", 1);
        publisher("p");
        published(1, 7);
        assertThat(rules()).isEmpty();
    }

    @Test
    void aMessagePublishedBeforeTheSubackIsNotOwed() {
        publisher("p");
        acknowledged(1);
        subscriber("s", 1);
        assertThat(rules()).isEmpty();
    }

    @Test
    void aRefusedMessageIsNotOwed() {
        subscriber("s", 1);
        publisher("p");
        published(1, 7);
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(7).withCode(0x97));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aQos2MessageDeliveredAgainUnderANewPacketIdIsADuplicate() {
        subscriber("s", 2);
        publisher("p");
        MessageId message = acknowledged(2);
        delivered("s", 1, 2, message);
        delivered("s", 2, 2, message);
        assertThat(rules()).containsExactly(Rule.QOS2_TWICE);
    }

    @Test
    void anUnreleasedQos2MessageMayComeAgain() {
        subscriber("s", 2);
        publisher("p");
        MessageId message = acknowledged(2);
        received("s", 1, 5, 2, false, message);
        reconnect("s", 2, true);
        received("s", 2, 5, 2, true, message);
        finish("s", 2, 5, 2);
        assertThat(rules()).isEmpty();
    }

    @Test
    void aSecondCopyWithoutDupIsFoundUnlessItWasPublishedAgain() {
        subscriber("s", 1);
        publisher("p");
        MessageId message = published(1, 3);
        delivered("s", 1, 1, message);
        add(Event.of(Kind.KILL, "", 0));
        reconnect("p", 2, true);
        add(Event.of(Kind.PUBLISH_OUT, "p", 2)
                .withPacketId(3)
                .withCode(1)
                .withFlag(true)
                .withText("t")
                .withMessage(message));
        add(Event.of(Kind.PUBACK_IN, "p", 2).withPacketId(3));
        delivered("s", 2, 1, message);
        assertThat(rules()).isEmpty();
        delivered("s", 3, 1, message);
        assertThat(rules()).containsExactly(Rule.QOS1_COPY);
    }

    /** The broker refused the first message and took the second; the publisher heard of neither and repeats both. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatMayHaveBeenRefusedComesBehindWhatWasNot(boolean othersWereRefused) {
        subscriber("s", 1);
        publisher("p");
        MessageId before = published(1, 10);
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(10).withCode(othersWereRefused ? 0x97 : 0));
        MessageId first = published(1, 11);
        MessageId second = published(1, 12);
        if (!othersWereRefused) {
            delivered("s", 1, 1, before);
        }
        delivered("s", 2, 1, second);
        add(Event.of(Kind.LOST, "p", 1));
        reconnect("p", 2, true);
        again(2, 11, first);
        again(2, 12, second);
        delivered("s", 3, 1, first);
        delivered("s", 4, 1, second);
        assertThat(rules()).isEqualTo(othersWereRefused ? List.of() : List.of(Rule.ORDER));
    }

    /** With a full disk one node refuses, others do not, and the publisher moves from one to the next. */
    @ParameterizedTest
    @ValueSource(longs = {2, 20})
    void whatIsSentSoonAfterARefusalMayBeRefusedToo(long secondsLater) {
        subscriber("s", 1);
        publisher("p");
        published(1, 9);
        MessageId taken = published(1, 10);
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(9).withCode(0x97));
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(10));
        delivered("s", 1, 1, taken);
        add(Event.of(Kind.LOST, "p", 1));
        reconnect("p", 2, true);
        MessageId first = published(1, 11);
        MessageId second = published(1, 12);
        delivered("s", 2, 1, second);
        add(Event.of(Kind.LOST, "p", 2));
        add(Event.of(Kind.CONNECT_OUT, "p", 3).at(secondsLater * 1_000_000_000));
        add(Event.of(Kind.CONNACK_IN, "p", 3).withFlag(true));
        again(3, 11, first);
        again(3, 12, second);
        delivered("s", 3, 1, first);
        delivered("s", 4, 1, second);
        assertThat(rules()).isEqualTo(secondsLater < 10 ? List.of() : List.of(Rule.ORDER));
    }

    @Test
    void firstOccurrencesOutOfOrderAreFound() {
        subscriber("s", 1);
        publisher("p");
        MessageId first = acknowledged(1);
        MessageId second = acknowledged(1);
        delivered("s", 1, 1, second);
        delivered("s", 2, 1, first);
        assertThat(rules()).containsExactly(Rule.ORDER);
    }

    @Test
    void aMessageThatNobodyPublishedIsFound() {
        subscriber("s", 1);
        delivered("s", 1, 1, new MessageId("p", "t", 1, 99));
        assertThat(rules()).containsExactly(Rule.PHANTOM);
    }

    @Test
    void aMessagePublishedBehindTheUnsubackIsFound() {
        subscriber("s", 1);
        publisher("p");
        add(Event.of(Kind.UNSUBSCRIBE_OUT, "s", 1).withText("t"));
        MessageId between = acknowledged(1);
        add(Event.of(Kind.UNSUBACK_IN, "s", 1).withText("t"));
        MessageId behind = acknowledged(1);
        delivered("s", 1, 1, between);
        assertThat(rules()).isEmpty();
        delivered("s", 2, 1, behind);
        assertThat(rules()).containsExactly(Rule.UNSUBSCRIBED);
    }

    @Test
    void aLostSessionIsFoundAndStillOwed() {
        subscriber("s", 1);
        publisher("p");
        acknowledged(1);
        reconnect("s", 2, false);
        assertThat(rules()).containsExactlyInAnyOrder(Rule.SESSION_LOST, Rule.LOST);
    }

    @Test
    void aPacketIdReusedInFlightIsFound() {
        subscriber("s", 1);
        publisher("p");
        MessageId first = acknowledged(1);
        MessageId second = acknowledged(1);
        received("s", 1, 5, 1, false, first);
        received("s", 1, 5, 1, false, second);
        assertThat(rules()).containsExactly(Rule.PACKET_ID);
    }

    @Test
    void aPacketIdChangedByAResumeIsFound() {
        subscriber("s", 1);
        publisher("p");
        MessageId message = acknowledged(1);
        received("s", 1, 5, 1, false, message);
        reconnect("s", 2, true);
        received("s", 2, 6, 1, true, message);
        finish("s", 2, 6, 1);
        assertThat(rules()).containsExactlyInAnyOrder(Rule.PACKET_ID, Rule.RESEND);
    }

    /** The first was acknowledged, but the broker has not kept that; the second is in flight for a later SUBSCRIBE. */
    @Test
    void copiesOfARetainedMessageMayBeInFlightTogether() {
        subscriber("s", 1);
        publisher("p");
        MessageId message = acknowledged(1);
        delivered("s", 4, 1, message);
        subscribed("s", 1);
        retained(1, 5, false, message);
        reconnect("s", 2, true);
        retained(2, 4, true, message);
        retained(2, 5, true, message);
        assertThat(rules()).doesNotContain(Rule.PACKET_ID, Rule.RESEND);
    }

    private void retained(int connection, int packetId, boolean dup, MessageId message) {
        add(Event.of(Kind.PUBLISH_IN, "s", connection)
                .withPacketId(packetId)
                .withCode(1)
                .withFlag(dup)
                .withRetain(true)
                .withText("t")
                .withMessage(message));
    }

    @Test
    void whatWasInFlightMustComeAgainInOrderWithDup() {
        subscriber("s", 1);
        publisher("p");
        MessageId first = acknowledged(1);
        MessageId second = acknowledged(1);
        received("s", 1, 1, 1, false, first);
        received("s", 1, 2, 1, false, second);
        reconnect("s", 2, true);
        List<Event> before = List.copyOf(events);

        received("s", 2, 1, 1, true, first);
        received("s", 2, 2, 1, true, second);
        assertThat(rules()).isEmpty();

        events.clear();
        events.addAll(before);
        received("s", 2, 2, 1, true, second);
        received("s", 2, 1, 1, true, first);
        assertThat(rules()).containsExactly(Rule.RESEND);

        events.clear();
        events.addAll(before);
        received("s", 2, 1, 1, true, first);
        assertThat(rules()).containsExactly(Rule.RESEND);

        events.clear();
        events.addAll(before);
        received("s", 2, 1, 1, false, first);
        received("s", 2, 2, 1, true, second);
        assertThat(rules()).contains(Rule.RESEND);
    }

    @Test
    void whatItsPublisherStillHoldsNeedNotComeAgain() {
        subscriber("s", 1);
        publisher("p");
        MessageId early = published(1, 1);
        received("s", 1, 1, 1, false, early);
        add(Event.of(Kind.LOST, "s", 1));
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(1));
        reconnect("s", 2, true);
        assertThat(rules()).isEmpty();
    }

    @Test
    void pubacksOutOfOrderAreFound() {
        publisher("p");
        published(1, 1);
        published(1, 2);
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(2));
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(1));
        assertThat(rules()).containsExactly(Rule.ACK_ORDER);
    }

    @Test
    void aStaleRetainedMessageIsFound() {
        publisher("p");
        MessageId old = retained(1);
        MessageId current = retained(2);
        read("r", old);
        assertThat(rules()).containsExactly(Rule.RETAINED);
        events.removeIf(event -> event.client().equals("r"));
        read("r", current);
        assertThat(rules()).isEmpty();
    }

    @Test
    void aRetainedMessageThatIsNotFoundIsLostOnlyIfAllWasRead() {
        publisher("p");
        retained(1);
        add(Event.of(Kind.READ_BEGIN, "r", 1));
        add(Event.of(Kind.READ_END, "r", 1));
        assertThat(rules()).isEmpty();
        add(Event.of(Kind.READ_BEGIN, "r", 1));
        add(Event.of(Kind.READ_END, "r", 1).withFlag(true));
        assertThat(rules()).containsExactly(Rule.RETAINED);
    }

    @Test
    void aRetainedMessageThatComesBackAfterItWasClearedIsFound() {
        publisher("p");
        MessageId set = retained(1);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(2)
                .withCode(1)
                .withRetain(true)
                .withText("t"));
        read("r", set);
        assertThat(rules()).isEmpty(); // the clearing is not acknowledged yet
        add(Event.of(Kind.PUBACK_IN, "p", 1).withPacketId(2));
        read("r", set);
        assertThat(rules()).containsExactly(Rule.RETAINED);
    }

    @Test
    void aRetainedMessageComesOnceForEachSubscription() {
        publisher("p");
        MessageId message = retained(1, 2);
        subscriber("s", 2);
        retainedDelivered("s", 1, message);
        assertThat(rules()).isEmpty();

        subscribed("s", 2);
        retainedDelivered("s", 2, message);
        assertThat(rules()).isEmpty();
        retainedDelivered("s", 3, message);
        assertThat(rules()).containsExactly(Rule.QOS2_TWICE);
    }

    /** It makes up for no earlier one that never came. */
    @Test
    void aRetainedMessageThatComesTwiceBeforeTheNextSubscriptionIsFound() {
        publisher("p");
        MessageId message = retained(1, 2);
        subscriber("s", 2);
        retainedDelivered("s", 1, message);
        retainedDelivered("s", 2, message);
        subscribed("s", 2);
        retainedDelivered("s", 3, message);
        assertThat(rules()).containsExactly(Rule.QOS2_TWICE, Rule.QOS2_TWICE);
    }

    @Test
    void aRetainedMessageThatASubscriptionIsNotGivenIsFound() {
        publisher("p");
        MessageId message = retained(1, 2);
        subscriber("s", 1);
        assertThat(rules()).containsExactly(Rule.RETAINED);
        delivered("s", 1, 1, message);
        assertThat(rules()).isEmpty();

        subscribed("s", 1);
        assertThat(rules()).containsExactly(Rule.RETAINED);
        add(Event.of(Kind.UNSUBSCRIBE_OUT, "s", 1).withText("t"));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aSubscribeThatIsNotAnsweredIsOwedNoRetainedMessage() {
        publisher("p");
        MessageId message = retained(1, 2);
        subscriber("s", 1);
        delivered("s", 1, 1, message);
        add(Event.of(Kind.SUBSCRIBE_OUT, "s", 1).withText("t").withCode(1));
        assertThat(rules()).isEmpty();

        add(Event.of(Kind.SUBACK_IN, "s", 1).withText("t").withCode(1));
        assertThat(rules()).containsExactly(Rule.RETAINED);
    }

    @Test
    void aRetainedMessageThatWasClearedOrSetLaterIsNotOwed() {
        publisher("p");
        retained(1, 2);
        subscriber("s", 1);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(2)
                .withCode(1)
                .withRetain(true)
                .withText("t"));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aWillThatNeverComesIsLostUnlessTheClientDisconnected() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        List<Event> before = List.copyOf(events);
        add(Event.of(Kind.LOST, "w", 1));
        assertThat(rules()).containsExactly(Rule.LOST);

        events.clear();
        events.addAll(before);
        add(Event.of(Kind.DISCONNECT_OUT, "w", 1));
        assertThat(rules()).isEmpty();
        delivered("s", 1, 1, will);
        assertThat(rules()).containsExactly(Rule.WILL_CANCELLED);
    }

    @Test
    void aWillThatComesTwiceIsFound() {
        for (int qos = 1; qos <= 2; qos++) {
            events.clear();
            subscriber("s", 2);
            MessageId will = new MessageId("w", "t", qos, 0);
            add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(qos).withMessage(will));
            add(Event.of(Kind.CONNACK_IN, "w", 1));
            add(Event.of(Kind.LOST, "w", 1));
            delivered("s", 1, qos, will);
            assertThat(rules()).isEmpty();
            delivered("s", 2, qos, will);
            assertThat(rules()).containsExactly(qos == 1 ? Rule.QOS1_COPY : Rule.QOS2_TWICE);
        }
    }

    @Test
    void aWillMayComeWhoseDisconnectWentToADyingBroker() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.KILL, "", 0));
        add(Event.of(Kind.DISCONNECT_OUT, "w", 1));
        assertThat(rules()).isEmpty();
        add(Event.of(Kind.READY, "", 0));
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();
    }

    @Test
    void aWillIsNotOwedOfAClientThatHasLeftANodeThatWasLost() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.NODE_LOST, "", 0));
        add(Event.of(Kind.LOST, "w", 1));
        reconnect("w", 2, true);
        assertThat(rules()).isEmpty();
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();
        delivered("s", 2, 1, will);
        assertThat(rules()).containsExactly(Rule.QOS1_COPY);
    }

    @Test
    void aWillMayComeWhoseDisconnectWentToANodeThatWasLost() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.NODE_LOST, "", 0));
        add(Event.of(Kind.DISCONNECT_OUT, "w", 1));
        add(Event.of(Kind.NODE_BACK, "", 0));
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();
    }

    @Test
    void whatANodeAcknowledgedAndLostIsFound() {
        subscriber("s", 1);
        publisher("p");
        acknowledged(1);
        add(Event.of(Kind.NODE_LOST, "", 0));
        reconnect("s", 2, true);
        add(Event.of(Kind.NODE_BACK, "", 0));
        assertThat(rules()).containsExactly(Rule.LOST);
    }

    /** As when it is published over a node that does not know of the subscription yet. */
    @Test
    void aSubscriptionThatIsAcknowledgedAndMissedByOneMessageIsFound() {
        subscriber("s", 1);
        reconnect("late", 1, false);
        publisher("p");
        MessageId before = acknowledged(1);
        subscribed("late", 1);
        MessageId behind = acknowledged(1);
        MessageId last = acknowledged(1);
        delivered("s", 1, 1, before);
        delivered("s", 2, 1, behind);
        delivered("s", 3, 1, last);
        delivered("late", 1, 1, last);
        assertThat(Checker.check(events)).singleElement().satisfies(violation -> {
            assertThat(violation.rule()).isEqualTo(Rule.LOST);
            assertThat(violation.text()).contains("late", behind.toString());
        });
    }

    @Test
    void aConnectionThatAnswersAfterAnotherWasAcceptedIsFound() {
        subscriber("s", 1);
        reconnect("s", 2, true);
        assertThat(rules()).isEmpty();
        add(Event.of(Kind.ANSWERED, "s", 1));
        assertThat(rules()).containsExactly(Rule.TWO_CONNECTIONS);
    }

    @Test
    void aClientOfASurvivorThatIsDisconnectedIsFound() {
        connectTo(1, "s", 1);
        add(Event.of(Kind.NODE_LOST, "", 0));
        assertThat(rules()).isEmpty();
        add(Event.of(Kind.LOST, "s", 1));
        assertThat(rules()).containsExactly(Rule.SURVIVOR);
    }

    @Test
    void clientsMayBeDisconnectedWhoseNodeIsLostOrWhoseNodesAllServe() {
        connectTo(0, "s", 1);
        add(Event.of(Kind.NODE_LOST, "", 0));
        add(Event.of(Kind.LOST, "s", 1));
        connectTo(1, "s", 2);
        add(Event.of(Kind.NODE_BACK, "", 0));
        add(Event.of(Kind.LOST, "s", 2));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aClientMayBeDisconnectedWhileANodeRefuses() {
        connectTo(1, "s", 1);
        add(Event.of(Kind.NODE_LOST, "", 0).withFlag(true));
        add(Event.of(Kind.LOST, "s", 1));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aClientOfASurvivorMayEndItsConnectionItself() {
        connectTo(1, "s", 1);
        connectTo(2, "t", 1);
        add(Event.of(Kind.NODE_LOST, "", 0));
        add(Event.of(Kind.DISCONNECT_OUT, "s", 1));
        add(Event.of(Kind.LOST, "s", 1));
        add(Event.of(Kind.ABORT, "t", 1));
        assertThat(rules()).isEmpty();
    }

    /** It may be carried out behind the next one. */
    @Test
    void aConnectThatWasNotAnsweredMayEndALaterConnection() {
        add(Event.of(Kind.NODE_LOST, "", 0));
        add(Event.of(Kind.CONNECT_OUT, "s", 1).withPacketId(1));
        add(Event.of(Kind.LOST, "s", 1));
        connectTo(1, "s", 2);
        add(Event.of(Kind.LOST, "s", 2));
        assertThat(rules()).isEmpty();
    }

    @Test
    void aSharedQos2MessageGivenToTwoMembersIsFound() {
        for (String member : List.of("a", "b")) {
            reconnect(member, 1, false);
            add(Event.of(Kind.SUBSCRIBE_OUT, member, 1).withText("$share/g/t").withCode(2));
            add(Event.of(Kind.SUBACK_IN, member, 1).withText("$share/g/t").withCode(2));
        }
        publisher("p");
        MessageId message = acknowledged(2);
        delivered("a", 1, 2, message);
        assertThat(rules()).isEmpty();
        delivered("b", 1, 2, message);
        assertThat(rules()).containsExactly(Rule.QOS2_TWICE);
    }

    @Test
    void eachConnectionOfAClientWithoutSessionIsAClientOfItsOwn() {
        History history = new History();
        HistoryTap tap = HistoryTap.ofCleanSessions(history, "live");
        for (int connection = 1; connection <= 2; connection++) {
            tap.in(connection, new Packet.Connack(false, 0, Properties.NONE));
        }
        assertThat(history.events()).extracting(Event::client).containsExactly("live~1", "live~2");
    }

    @Test
    void aHistoryIsTheSameAfterItWasSaved(@TempDir Path directory) throws Exception {
        subscriber("s", 1);
        publisher("p");
        delivered("s", 1, 1, acknowledged(1));
        History history = new History();
        events.forEach(history::add);
        Path file = directory.resolve("history.gz");
        history.save(file);
        assertThat(History.load(file)).isEqualTo(history.events());
    }

    @Test
    void aPayloadIsRecognisedAndADamagedOneIsNot() {
        MessageId id = new MessageId("p", "t", 1, 5);
        byte[] payload = id.payload(100);
        assertThat(MessageId.of("t", payload)).isEqualTo(id);
        payload[60]++;
        assertThatThrownBy(() -> MessageId.of("t", payload)).isInstanceOf(IllegalArgumentException.class);
    }

    private List<Rule> rules() {
        return Checker.check(events).stream().map(Violation::rule).toList();
    }

    private void add(Event event) {
        events.add(event);
    }

    private void subscriber(String name, int qos) {
        reconnect(name, 1, false);
        subscribed(name, qos);
    }

    private void subscribed(String name, int qos) {
        add(Event.of(Kind.SUBSCRIBE_OUT, name, 1).withText("t").withCode(qos));
        add(Event.of(Kind.SUBACK_IN, name, 1).withText("t").withCode(qos));
    }

    private void publisher(String name) {
        reconnect(name, 1, false);
    }

    private void reconnect(String name, int connection, boolean present) {
        add(Event.of(Kind.CONNECT_OUT, name, connection));
        add(Event.of(Kind.CONNACK_IN, name, connection).withFlag(present));
    }

    /** @param node from 0 */
    private void connectTo(int node, String name, int connection) {
        add(Event.of(Kind.CONNECT_OUT, name, connection).withPacketId(node + 1));
        add(Event.of(Kind.CONNACK_IN, name, connection).withFlag(connection > 1));
    }

    private MessageId published(int qos, int packetId) {
        MessageId message = new MessageId("p", "t", qos, sequence++);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(packetId)
                .withCode(qos)
                .withText("t")
                .withMessage(message));
        return message;
    }

    private void again(int connection, int packetId, MessageId message) {
        add(Event.of(Kind.PUBLISH_OUT, "p", connection)
                .withPacketId(packetId)
                .withCode(1)
                .withFlag(true)
                .withText("t")
                .withMessage(message));
    }

    private MessageId acknowledged(int qos) {
        int packetId = (int) sequence + 1;
        MessageId message = published(qos, packetId);
        add(Event.of(qos == 1 ? Kind.PUBACK_IN : Kind.PUBREC_IN, "p", 1).withPacketId(packetId));
        if (qos == 2) {
            add(Event.of(Kind.PUBREL_OUT, "p", 1).withPacketId(packetId));
            add(Event.of(Kind.PUBCOMP_IN, "p", 1).withPacketId(packetId));
        }
        return message;
    }

    private MessageId retained(int packetId) {
        return retained(packetId, 1);
    }

    private MessageId retained(int packetId, int qos) {
        MessageId message = new MessageId("p", "t", qos, sequence++);
        add(Event.of(Kind.PUBLISH_OUT, "p", 1)
                .withPacketId(packetId)
                .withCode(qos)
                .withRetain(true)
                .withText("t")
                .withMessage(message));
        add(Event.of(qos == 1 ? Kind.PUBACK_IN : Kind.PUBREC_IN, "p", 1).withPacketId(packetId));
        return message;
    }

    private void retainedDelivered(String name, int packetId, MessageId message) {
        add(Event.of(Kind.PUBLISH_IN, name, 1)
                .withPacketId(packetId)
                .withCode(2)
                .withRetain(true)
                .withText("t")
                .withMessage(message));
        finish(name, 1, packetId, 2);
    }

    private void read(String name, MessageId found) {
        add(Event.of(Kind.READ_BEGIN, name, 1));
        add(Event.of(Kind.READ, name, 1).withText("t").withMessage(found));
        add(Event.of(Kind.READ_END, name, 1).withFlag(true));
    }

    private void received(String name, int connection, int packetId, int qos, boolean dup, MessageId message) {
        add(Event.of(Kind.PUBLISH_IN, name, connection)
                .withPacketId(packetId)
                .withCode(qos)
                .withFlag(dup)
                .withText("t")
                .withMessage(message));
    }

    private void finish(String name, int connection, int packetId, int qos) {
        if (qos == 1) {
            add(Event.of(Kind.PUBACK_OUT, name, connection).withPacketId(packetId));
        } else {
            add(Event.of(Kind.PUBREC_OUT, name, connection).withPacketId(packetId));
            add(Event.of(Kind.PUBREL_IN, name, connection).withPacketId(packetId));
            add(Event.of(Kind.PUBCOMP_OUT, name, connection).withPacketId(packetId));
        }
    }

    private void delivered(String name, int packetId, int qos, MessageId message) {
        received(name, 1, packetId, qos, false, message);
        finish(name, 1, packetId, qos);
    }
}
