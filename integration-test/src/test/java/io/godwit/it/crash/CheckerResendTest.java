package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker on packet ids, on what must be sent again after a reconnection, and on the order of acknowledgements. */
class CheckerResendTest extends CheckerFixture {
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

    /** The PUBACK of the first copy is lost with the connection; the second copy is still in flight. */
    @Test
    void aMessageThatIsStoredTwiceKeepsBothPacketIds() {
        subscriber("s", 1);
        publisher("p");
        MessageId message = acknowledged(1);
        received("s", 1, 4, 1, false, message);
        received("s", 1, 5, 1, false, message);
        finish("s", 1, 4, 1);
        reconnect("s", 2, true);
        received("s", 2, 4, 1, true, message);
        received("s", 2, 5, 1, true, message);
        finish("s", 2, 4, 1);
        finish("s", 2, 5, 1);
        assertThat(rules()).doesNotContain(Rule.PACKET_ID, Rule.RESEND);
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
}
