package io.godwit.cluster.link.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkVersions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkConnectionTest {
    private final List<String> told = new ArrayList<>();

    private final LinkConnection connection = new LinkConnection(
            new LinkConnection.Owner() {
                @Override
                public void begun(LinkConnection from, byte[] message) {
                    told.add("begun");
                }

                @Override
                public void broken(LinkConnection from, String why) {
                    told.add("broken");
                }

                @Override
                public void endedByOther(LinkConnection from, String why) {
                    told.add("ended");
                }

                @Override
                public void closed(LinkConnection from, String why) {
                    told.add("closed");
                }
            },
            LinkLimits.of(LinkSettings.of("test"), 1 << 20),
            LinkVersions.CURRENT.layout());

    private static byte[] data() {
        return ByteBuffer.allocate(LinkMessage.DATA_HEAD_BYTES + 8)
                .put((byte) LinkMessage.VERSION)
                .put(LinkMessage.DATA)
                .put((byte) Lane.LIVE.number())
                .putLong(1)
                .array();
    }

    /** The data is not taken, so it would stay in memory for as long as the stranger's stream is open. */
    @Test
    void dataOfAStreamThatIsNotAcceptedIsNotKept() {
        connection.received(new byte[] {1});
        connection.received(data());
        connection.received(data());
        assertThat(told).containsExactly("begun", "broken");
        assertThat(connection.poll(Lane.LIVE)).isNull();
    }

    @Test
    void dataMayComeBeforeThePairingIsAttached() {
        connection.received(new byte[] {1});
        connection.accepted();
        connection.received(data());
        assertThat(told).containsExactly("begun");
        assertThat(connection.poll(Lane.LIVE)).isEqualTo(data());
    }
}
