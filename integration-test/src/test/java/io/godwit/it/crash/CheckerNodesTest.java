package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.Violation.Rule;
import org.junit.jupiter.api.Test;

/** The checker on connections while nodes are lost: which may end, and which may not answer any more. */
class CheckerNodesTest extends CheckerFixture {
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

    /** @param node from 0 */
    private void connectTo(int node, String name, int connection) {
        add(Event.of(Kind.CONNECT_OUT, name, connection).withPacketId(node + 1));
        add(Event.of(Kind.CONNACK_IN, name, connection).withFlag(connection > 1));
    }
}
