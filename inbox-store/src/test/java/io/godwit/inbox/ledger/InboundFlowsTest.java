package io.godwit.inbox.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.ledger.InboundFlows.Flow;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which tokens may be forgotten, and who waits for whom while the leader distributes (docs/adr/0056). */
class InboundFlowsTest {
    private static final Message MESSAGE =
            new Message("a", new byte[1], Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);

    private final RangeException over = new RangeException(Cause.CLOSED, "the connection has ended");
    private final InboundFlows flows = new InboundFlows();
    /** The outcomes of those that waited, in order. */
    private final List<String> outcomes = new ArrayList<>();

    /** A write that the test ends. */
    private static final class Write implements Pending {
        boolean isDone;

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void whenDone(Waiter waiter) {
            throw new AssertionError("the flows only look");
        }
    }

    private Pending.Waiter waiter(String name) {
        return new Pending.Waiter() {
            @Override
            public void applied() {
                outcomes.add(name);
            }

            @Override
            public void failed(RangeException cause) {
                outcomes.add(name + " " + cause.reason());
            }
        };
    }

    private Flow put(int packetId, long number) {
        Flow flow = new Flow(packetId, number, MESSAGE);
        flows.put(flow);
        return flow;
    }

    private void hold() {
        flows.holdBack(more -> {});
    }

    @Test
    void aTokenIsNeededUntilItsMarkIsCommitted() {
        Flow flow = put(5, 10);
        assertThat(flows.finishedBelow(20)).isEqualTo(10);
        Write mark = new Write();
        flow.distributed();
        flow.writtenBy(mark);
        assertThat(flows.finishedBelow(20)).as("a kill would undo the mark").isEqualTo(10);
        assertThat(flows.hasUndistributed()).isFalse();
        mark.isDone = true;
        assertThat(flows.finishedBelow(20)).isEqualTo(20);
        assertThat(flows.unfinished(10)).isNull();
        assertThat(flows.get(5)).as("its packet id is not released").isSameAs(flow);
    }

    @Test
    void noTokenAboveOneThatIsNeededCountsAsFinished() {
        Flow first = put(9, 10);
        Flow second = put(8, 11);
        put(7, 12);
        second.distributed();
        assertThat(flows.finishedBelow(20)).isEqualTo(10);
        first.distributed();
        assertThat(flows.finishedBelow(20)).isEqualTo(12);
        assertThat(flows.finishedBelow(5)).as("of an earlier message").isEqualTo(5);
        flows.remove(7);
        assertThat(flows.finishedBelow(20)).isEqualTo(20);
    }

    @Test
    void undistributedMessagesAreInTheOrderInWhichTheyCame() {
        put(3, 10);
        put(1, 11).distributed();
        put(2, 12);
        assertThat(flows.undistributed()).extracting(flow -> flow.packetId).containsExactly(3, 2);
        assertThat(flows.packetIds()).containsExactly(1, 2, 3);
    }

    /** A flow that was loaded as distributed is finished at once. */
    @Test
    void aFlowWithoutAMessageNeedsNoToken() {
        flows.put(new Flow(5, 10, null));
        assertThat(flows.finishedBelow(20)).isEqualTo(20);
        assertThat(flows.unfinished(10)).isNull();
        assertThat(flows.packetIds()).containsExactly(5);
    }

    @Test
    void whoWaitsForItsTurnIsCalledInOrderWhenTheLeaderIsDone() {
        assertThat(flows.isHoldingBack()).isFalse();
        hold();
        assertThat(flows.isHoldingBack()).isTrue();
        flows.awaitTurn(waiter("one"));
        flows.awaitTurn(waiter("two"));
        assertThat(outcomes).isEmpty();
        flows.releaseBehind();
        assertThat(outcomes).containsExactly("one", "two");
        assertThat(flows.isHoldingBack()).isFalse();
        assertThat(flows.resumer()).isNull();
        flows.releaseBehind();
        assertThat(outcomes).hasSize(2);
    }

    /** Its node keeps the client id until its calls are answered. */
    @Test
    void theEndOfAConnectionFailsItsCallsAndTheLeaderGoesOn() {
        Flow flow = put(5, 10);
        flow.beginResuming();
        hold();
        InboundFlows.Resumer resumer = flows.resumer();
        flow.awaitResumed(waiter("repeated"));
        flows.awaitTurn(waiter("new"));
        flows.failWaiting(over);
        assertThat(outcomes).containsExactly("repeated CLOSED", "new CLOSED");
        assertThat(flow.isResuming())
                .as("what it has left is still distributed")
                .isTrue();
        assertThat(flow.isDistributed()).isFalse();
        assertThat(flows.isHoldingBack()).isTrue();
        assertThat(flows.resumer())
                .as("the next one joins the same distribution")
                .isSameAs(resumer);

        flow.awaitResumed(waiter("repeated again"));
        flows.awaitTurn(waiter("newer"));
        flow.resumed();
        flows.releaseBehind();
        assertThat(outcomes).containsExactly("repeated CLOSED", "new CLOSED", "repeated again", "newer");
    }

    /** Such as when the client of an ended connection comes back and gives the message up. */
    @Test
    void theReleaseOfAPacketIdFailsThoseThatWaitForItsMessageOnly() {
        Flow released = put(5, 10);
        Flow other = put(6, 11);
        released.beginResuming();
        other.beginResuming();
        hold();
        released.awaitResumed(waiter("released"));
        other.awaitResumed(waiter("other"));
        flows.awaitTurn(waiter("new"));
        assertThat(flows.remove(5)).isSameAs(released);
        assertThat(outcomes).containsExactly("released CLOSED");
        assertThat(flows.get(5)).isNull();
        assertThat(flows.unfinished(10)).isNull();
        assertThat(flows.remove(5)).isNull();
        released.resumed();
        assertThat(outcomes).as("each is called once").hasSize(1);
    }

    @Test
    void theEndOfTheLeadershipFailsAllAndNothingIsHeldBackAnyMore() {
        Flow flow = put(5, 10);
        flow.beginResuming();
        hold();
        flow.awaitResumed(waiter("repeated"));
        flows.awaitTurn(waiter("new"));
        flows.stop(new RangeException(Cause.MOVED, "another leads"));
        assertThat(outcomes).containsExactly("repeated MOVED", "new MOVED");
        assertThat(flow.isResuming()).isFalse();
        assertThat(flows.isHoldingBack()).isFalse();
        flow.resumed();
        flows.releaseBehind();
        flows.failWaiting(over);
        assertThat(outcomes).hasSize(2);
    }

    /** Nobody would ever call it. */
    @Test
    void nobodyCanWaitForADistributionThatThereIsNot() {
        Flow flow = put(5, 10);
        assertThatThrownBy(() -> flow.awaitResumed(waiter("x"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> flows.awaitTurn(waiter("x"))).isInstanceOf(IllegalStateException.class);
        flow.beginResuming();
        flow.resumed();
        assertThatThrownBy(() -> flow.awaitResumed(waiter("x"))).isInstanceOf(IllegalStateException.class);
        hold();
        flows.releaseBehind();
        assertThatThrownBy(() -> flows.awaitTurn(waiter("x"))).isInstanceOf(IllegalStateException.class);
    }
}
