package io.godwit.mqtt.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingConnectsTest {
    private final PendingConnects pending = new PendingConnects(100_000);

    @Test
    void largeOnesShareTheirRoom() {
        assertThat(pending.enter(60_000)).isTrue();
        assertThat(pending.enter(60_000)).isFalse();
        assertThat(pending.enter(40_000)).isTrue();
        pending.leave(60_000);
        assertThat(pending.enter(60_000)).isTrue();
        pending.leave(60_000);
        pending.leave(40_000);
        assertThat(pending.bytes()).isZero();
    }

    /** Senders of large CONNECTs keep no other client out. */
    @Test
    void smallOnesNeedNoRoom() {
        assertThat(pending.enter(100_000)).isTrue();
        assertThat(pending.enter(PendingConnects.SMALL_BYTES)).isTrue();
        pending.leave(PendingConnects.SMALL_BYTES);
        assertThat(pending.bytes()).isEqualTo(100_000);
    }

    @Test
    void withoutALimitThereIsRoomForAll() {
        PendingConnects unlimited = new PendingConnects(0);
        assertThat(unlimited.enter(Long.MAX_VALUE / 2)).isTrue();
        assertThat(unlimited.enter(Long.MAX_VALUE / 2)).isTrue();
    }

    @Test
    void userPropertiesCountWithWhatTheyTakeOnTheHeap() {
        List<UserProperty> properties = Collections.nCopies(100, new UserProperty("n", "v"));
        MessageProperties ofWill = new MessageProperties(-1, -1, "type", "r", new byte[10], properties);
        WillPacket will = new WillPacket("w", new byte[1_000], Qos.AT_MOST_ONCE, false, ofWill, 0);
        Connect connect = new Connect(
                5, true, 0, "c", "u", new byte[5], will, -1, -1, -1, -1, false, true, properties, null, null);
        assertThat(PendingConnects.heapBytes(connect)).isBetween(27_000L, 30_000L);
    }
}
