package io.godwit.cluster.link.pairing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Which frames pass each other in a lane, from one end to the other: every message is checked, and connections may
 * break anywhere.
 */
class LaneOrdersTest {
    private static final int LARGE = 3 * LinkMessage.BATCH_BYTES;
    private static final long WINDOW = 256 << 10;

    private final LaneOutlet outlet = new LaneOutlet(Lane.LIVE, LinkMessage.VERSION);
    private final LaneInlet inlet = new LaneInlet(Lane.LIVE, 1 << 20);
    private final LaneCounters counters = new LaneCounters();
    private final List<String> arrived = new ArrayList<>();

    private static void nobody(LaneOutlet.Outgoing frame) {}

    private void connect() throws LinkProtocolException {
        long next = inlet.received() + 1;
        inlet.begin(next);
        outlet.resume(next, WINDOW, LaneOrdersTest::nobody);
    }

    /** The first letter names the order; "-" stands for none. */
    private void give(String name, int size) {
        byte[] frame = new byte[Math.max(size, name.length())];
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, frame, 0, text.length);
        outlet.add(new LaneOutlet.Outgoing(frame, name.startsWith("-") ? null : name.substring(0, 1), null));
    }

    private void give(String... names) {
        for (String name : names) {
            give(name, Character.isUpperCase(name.charAt(name.length() - 1)) ? LARGE : 0);
        }
    }

    private LaneInlet.Answer receive(byte[] frame) {
        arrived.add(new String(frame, 0, 2, StandardCharsets.UTF_8));
        return LaneInlet.Answer.NEXT;
    }

    private void take(byte[] message) throws LinkProtocolException {
        assertThat(message.length).isLessThanOrEqualTo(LinkMessage.MAX_BYTES);
        if (LinkMessage.isPiece(message)) {
            inlet.takePiece(message, this::receive);
        } else {
            inlet.open(message);
            inlet.take(this::receive);
        }
    }

    private boolean moveOne() throws LinkProtocolException {
        byte[] message = outlet.next(counters);
        if (message != null) {
            take(message);
        }
        return message != null;
    }

    private void moveAll() throws LinkProtocolException {
        while (moveOne()) {
            outlet.confirm(inlet.confirmable(), LaneOrdersTest::nobody);
        }
    }

    @Test
    void smallFramesOfOtherOrdersPassALargeOneAndThoseOfItsOwnDoNot() throws Exception {
        connect();
        give("aX", "b1", "a1", "c1", "b2");
        moveAll();
        assertThat(arrived).containsExactly("b1", "c1", "b2", "aX", "a1");
    }

    @Test
    void aFrameWithoutAnOrderPassesNoneAndIsPassedByNone() throws Exception {
        connect();
        give("aX", "b1", "-1", "b2", "-X", "c1");
        moveAll();
        assertThat(arrived).containsExactly("b1", "aX", "-1", "b2", "-X", "c1");
    }

    @Test
    void whatIsGivenWhileALargeFrameIsUnderWayPassesItAtTheNextMessage() throws Exception {
        connect();
        give("aX");
        moveOne();
        give("b1");
        moveOne();
        assertThat(arrived).containsExactly("b1");
        give("b2");
        moveOne(); // messages of whole frames and pieces alternate
        moveOne();
        assertThat(arrived).containsExactly("b1", "b2");
        moveAll();
        assertThat(arrived).containsExactly("b1", "b2", "aX");
    }

    @Test
    void smallFramesWithoutEndDoNotHoldUpALargeOne() throws Exception {
        connect();
        give("aX");
        for (int i = 0; !arrived.contains("aX"); i++) {
            give("b1");
            assertThat(moveOne()).isTrue();
            outlet.confirm(inlet.confirmable(), LaneOrdersTest::nobody);
            assertThat(i).isLessThan(10);
        }
    }

    /** A sender of many large frames in one order waits for one frame of each other order. */
    @Test
    void largeFramesGoOneAtATimeAndOrdersTakeTurns() throws Exception {
        connect();
        give("aX", "aY", "a1", "bX", "b1", "bY", "c1", "cX");
        moveAll();
        assertThat(arrived).containsExactly("c1", "aX", "bX", "b1", "cX", "aY", "a1", "bY");
    }

    @Test
    void aNumberStaysWithItsFrameWhenTheConnectionBreaks() throws Exception {
        connect();
        give("aX", "b1", "c1");
        while (outlet.nextSequence() <= 3) {
            assertThat(outlet.next(counters)).isNotNull(); // lost in transit
        }
        give("bX", "d1");
        connect();
        moveAll();
        assertThat(arrived).containsExactly("b1", "c1", "aX", "d1", "bX");
        assertThat(counters.resentFrames.get()).isEqualTo(3);
    }

    @Test
    void aFrameOfWhichOnlyPiecesWereSentBeginsAnewWhereverItBreaks() throws Exception {
        for (int pieces = 1; pieces < 4; pieces++) {
            arrived.clear();
            connect();
            give("aX", "a1");
            for (int i = 0; i < pieces; i++) {
                moveOne();
            }
            assertThat(arrived).isEmpty();
            connect();
            give("b1");
            moveAll();
            assertThat(arrived).containsExactly("b1", "aX", "a1");
        }
    }

    /** This end learns that the frame was received only when the other end says so. */
    @Test
    void aFrameInPiecesThatWasReceivedIsPassedOverWhenItComesAgain() throws Exception {
        connect();
        give("aX", "b1", "a1");
        long told = inlet.received() + 1;
        while (moveOne()) {}
        assertThat(arrived).containsExactly("b1", "aX", "a1");
        inlet.begin(told);
        outlet.resume(told, WINDOW, LaneOrdersTest::nobody);
        give("a2");
        moveAll();
        assertThat(arrived).containsExactly("b1", "aX", "a1", "a2");
        assertThat(outlet.confirmedUpTo()).isEqualTo(4);
    }

    @Test
    void frameAfterFrameIsConfirmedByTheNumbersOfTheirArrival() throws Exception {
        connect();
        give("aX", "b1", "a1");
        List<String> confirmed = new ArrayList<>();
        while (moveOne()) {}
        outlet.confirm(3, frame -> confirmed.add(new String(frame.head(), 0, 2, StandardCharsets.UTF_8)));
        assertThat(confirmed).containsExactly("b1", "aX", "a1");
    }

    @Test
    void aFullWindowOfLargeFramesLeavesRoomForSmallOnesAndEachWindowIsKept() throws Exception {
        connect();
        give("aX", "bX", "cX", "dX"); // 192 KiB each; the window is 256 KiB
        while (moveOne()) {}
        assertThat(arrived).containsExactly("aX", "bX");
        give("e1");
        assertThat(moveOne()).isTrue();
        assertThat(arrived).containsExactly("aX", "bX", "e1");
        for (int i = 0; i < 10; i++) {
            give("e2", LinkMessage.BATCH_BYTES);
        }
        while (moveOne()) {}
        assertThat(arrived).hasSize(3 + 4);
        outlet.confirm(1, LaneOrdersTest::nobody);
        assertThat(moveOne()).as("the small frames have filled their window").isFalse();
        outlet.confirm(3, LaneOrdersTest::nobody);
        while (moveOne()) {}
        outlet.confirm(inlet.confirmable(), LaneOrdersTest::nobody);
        moveAll();
        assertThat(arrived).hasSize(5 + 10).contains("cX", "dX");
    }

    @Test
    void aLargeFrameWithoutAnOrderWaitsForRoomInBothWindows() throws Exception {
        connect();
        give("aX", "bX", "-X", "c1");
        while (moveOne()) {}
        assertThat(arrived).containsExactly("aX", "bX");
        outlet.confirm(1, LaneOrdersTest::nobody);
        while (moveOne()) {}
        assertThat(arrived).containsExactly("aX", "bX", "-X", "c1");
    }

    @Test
    void unconfirmedFramesAreReportedLostInTheirOrder() throws Exception {
        connect();
        give("aX", "b1", "a1", "bX", "-1", "a2");
        moveOne();
        List<String> lost = outlet.end().stream()
                .map(frame -> new String(frame.head(), 0, 2, StandardCharsets.UTF_8))
                .toList();
        assertThat(lost).containsExactly("b1", "aX", "a1", "bX", "-1", "a2");
        assertThat(outlet.end()).isEmpty();
        assertThat(outlet.next(counters)).isNull();
    }

    /** The peer has the release before, so no orders are used. */
    @Test
    void withoutOrdersAllIsInOrder() throws Exception {
        connect();
        for (String name : List.of("-X", "-1", "-Y", "-2")) {
            give(name);
        }
        moveAll();
        assertThat(arrived).containsExactly("-X", "-1", "-Y", "-2");
    }
}
