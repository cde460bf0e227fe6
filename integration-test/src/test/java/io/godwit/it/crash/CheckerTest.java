package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The checker reports what is planted in a history, and nothing in the same history without it. Here: messages that are
 * lost, come twice, out of order or without reason, and histories on disk.
 */
class CheckerTest extends CheckerFixture {
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
    void aLostSessionIsFoundAndStillOwed() {
        subscriber("s", 1);
        publisher("p");
        acknowledged(1);
        reconnect("s", 2, false);
        assertThat(rules()).containsExactlyInAnyOrder(Rule.SESSION_LOST, Rule.LOST);
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
}
