package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import org.junit.jupiter.api.Test;

/** The checker on retained messages that are stale, missing, cleared or sent too often. */
class CheckerRetainedTest extends CheckerFixture {
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

    private void read(String name, MessageId found) {
        add(Event.of(Kind.READ_BEGIN, name, 1));
        add(Event.of(Kind.READ, name, 1).withText("t").withMessage(found));
        add(Event.of(Kind.READ_END, name, 1).withFlag(true));
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

    private void retainedDelivered(String name, int packetId, MessageId message) {
        add(Event.of(Kind.PUBLISH_IN, name, 1)
                .withPacketId(packetId)
                .withCode(2)
                .withRetain(true)
                .withText("t")
                .withMessage(message));
        finish(name, 1, packetId, 2);
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
}
