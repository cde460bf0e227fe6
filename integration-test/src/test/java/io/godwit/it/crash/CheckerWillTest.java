package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The checker on wills that are missing, come twice, or belong to clients that have disconnected or come back. */
class CheckerWillTest extends CheckerFixture {
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
    void aDelayedWillMayComeUnlessItsClientIsBackInTime() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will).withText("10"));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.LOST, "w", 1));
        assertThat(rules()).isEmpty();
        List<Event> before = List.copyOf(events);
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();

        events.clear();
        events.addAll(before);
        reconnect("w", 2, true);
        assertThat(rules()).isEmpty();
        delivered("s", 1, 1, will);
        assertThat(rules()).containsExactly(Rule.WILL_CANCELLED);
    }

    @Test
    void aDelayedWillOfAClientThatIsTakenOverIsCancelled() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will).withText("10"));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.NODE_LOST, "", 0));
        reconnect("w", 2, true);
        add(Event.of(Kind.NODE_BACK, "", 0));
        assertThat(rules()).isEmpty();
        delivered("s", 1, 1, will);
        assertThat(rules()).containsExactly(Rule.WILL_CANCELLED);
    }

    @Test
    void aDelayedWillMayComeOfAClientThatIsBackTooLateOrWithoutItsSession() {
        subscriber("s", 1);
        MessageId will = new MessageId("w", "t", 1, 0);
        add(Event.of(Kind.CONNECT_OUT, "w", 1).withCode(1).withMessage(will).withText("10"));
        add(Event.of(Kind.CONNACK_IN, "w", 1));
        add(Event.of(Kind.LOST, "w", 1));
        List<Event> before = List.copyOf(events);
        add(Event.of(Kind.CONNECT_OUT, "w", 2).withFlag(true));
        add(Event.of(Kind.CONNACK_IN, "w", 2));
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();

        events.clear();
        events.addAll(before);
        add(Event.of(Kind.CONNECT_OUT, "w", 2));
        add(Event.of(Kind.CONNACK_IN, "w", 2).withFlag(true).at(TimeUnit.SECONDS.toNanos(10)));
        delivered("s", 1, 1, will);
        assertThat(rules()).isEmpty();
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
}
