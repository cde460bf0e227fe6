package io.godwit.mqtt.session.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.field.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckQueueTest {
    private final List<String> sent = new ArrayList<>();
    private final AckQueue queue =
            new AckQueue((packetId, isQos2, code) -> sent.add((isQos2 ? "rec " : "ack ") + packetId + " " + code));

    @Test
    @Clause({"MQTT5-4.6.0-2", "MQTT5-4.6.0-3", "MQTT311-4.6.0-2", "MQTT311-4.6.0-3"})
    void acknowledgementsLeaveInTheOrderOfThePublishes() {
        AckQueue.Slot first = queue.reserve(5, false);
        AckQueue.Slot second = queue.reserve(3, true);
        AckQueue.Slot third = queue.reserve(4, false);
        queue.complete(third, ReasonCode.SUCCESS);
        queue.complete(second, ReasonCode.QUOTA_EXCEEDED);
        assertThat(sent).isEmpty();

        queue.complete(first, ReasonCode.SUCCESS);

        assertThat(sent).containsExactly("ack 5 SUCCESS", "rec 3 QUOTA_EXCEEDED", "ack 4 SUCCESS");
    }
}
