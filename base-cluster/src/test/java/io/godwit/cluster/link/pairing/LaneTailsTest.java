package io.godwit.cluster.link.pairing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A frame of two arrays arrives as one, wherever messages and pieces cut it, and also over a second connection. */
class LaneTailsTest {
    private static final int[] SIZES = {
        0,
        1,
        LinkMessage.PIECE_BYTES - 1,
        LinkMessage.PIECE_BYTES,
        LinkMessage.BATCH_BYTES,
        LinkMessage.BATCH_BYTES + 1,
        3 * LinkMessage.BATCH_BYTES
    };

    private final LaneOutlet outlet = new LaneOutlet(Lane.LIVE, LinkMessage.VERSION);
    private final LaneInlet inlet = new LaneInlet(Lane.LIVE, 1 << 20);
    private final LaneCounters counters = new LaneCounters();
    private final List<byte[]> arrived = new ArrayList<>();

    private LaneInlet.Answer receive(byte[] frame) {
        arrived.add(frame);
        return LaneInlet.Answer.NEXT;
    }

    private void connect() throws LinkProtocolException {
        long next = inlet.received() + 1;
        inlet.begin(next);
        outlet.resume(next, 64 << 20, confirmed -> {});
    }

    /** @return whether there was a message */
    private boolean move() throws LinkProtocolException {
        byte[] message = outlet.next(counters);
        if (message == null) {
            return false;
        }
        assertThat(message.length).isLessThanOrEqualTo(LinkMessage.MAX_BYTES);
        if (LinkMessage.isPiece(message)) {
            inlet.takePiece(message, this::receive);
        } else {
            inlet.open(message);
            inlet.take(this::receive);
        }
        return true;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothPartsArriveAsOneFrame(boolean hasOrder) throws Exception {
        Random random = new Random(1);
        List<byte[]> sent = new ArrayList<>();
        for (int headBytes : SIZES) {
            for (int tailBytes : SIZES) {
                byte[] frame = new byte[headBytes + tailBytes];
                random.nextBytes(frame);
                sent.add(frame);
                byte[] head = new byte[headBytes];
                byte[] tail = new byte[tailBytes];
                ByteBuffer.wrap(frame).get(head).get(tail);
                outlet.add(new LaneOutlet.Outgoing(head, tail, hasOrder ? "one order" : null, null));
            }
        }
        connect();
        for (int i = 0; i < 20; i++) {
            assertThat(move()).isTrue();
        }
        connect(); // sends again from the first frame that has not arrived as a whole
        while (move()) {
            outlet.confirm(inlet.confirmable(), confirmed -> {});
        }
        assertThat(arrived).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(arrived.get(i)).isEqualTo(sent.get(i));
        }
    }
}
