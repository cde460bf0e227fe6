package io.godwit.mqtt.session.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.Delivery;
import io.godwit.mqtt.session.SessionStage;
import io.godwit.mqtt.session.core.LoopCounts;
import io.godwit.mqtt.session.core.QueuedBytes;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class InflightTest {
    private final QueuedBytes ofNode = new QueuedBytes(1_000_000);

    /** A member of a shared group that reads and never acknowledges keeps its messages in memory. */
    @Example
    void whatIsHeldIsCountedUntilItIsRemoved() {
        Message message = new Message("t", new byte[1_000], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE);
        ClientInfo publisher = SessionStage.info("p");
        Inflight inflight = new Inflight(ofNode, new LoopCounts());
        for (int i = 0; i < 3; i++) {
            int id = inflight.take(Inflight.AWAITS_PUBACK);
            inflight.hold(id, new Delivery(publisher, message, List.of(), null));
        }
        assertThat(ofNode.free()).isEqualTo(1_000_000 - 3L * message.heapBytes());
        assertThat(inflight.mayHoldMore(3L * message.heapBytes())).isFalse();
        assertThat(inflight.mayHoldMore(3L * message.heapBytes() + 1)).isTrue();
        inflight.remove(1);
        assertThat(ofNode.free()).isEqualTo(1_000_000 - 2L * message.heapBytes());
        assertThat(inflight.takeHeld()).hasSize(2);
        assertThat(ofNode.free()).isEqualTo(1_000_000);
        assertThat(inflight.mayHoldMore(1))
                .as("an empty window accepts one message of any size")
                .isTrue();
    }

    /** The table is a map: it answers like a HashMap after any changes; ids collide on purpose. */
    @Property
    void behavesLikeAMap(@ForAll @Size(max = 200) List<@IntRange(min = -40, max = 40) Integer> steps) {
        Inflight table = new Inflight(ofNode, new LoopCounts());
        Map<Integer, Long> model = new HashMap<>();
        long sequence = 0;
        for (int step : steps) {
            int id = 1 + Math.abs(step) * 8 % 65_535;
            if (step < 0) {
                table.remove(id);
                model.remove(id);
            } else {
                table.put(id, Inflight.AWAITS_PUBACK, ++sequence);
                model.put(id, sequence);
            }
        }
        assertThat(table.size()).isEqualTo(model.size());
        for (int id = 1; id < 400; id++) {
            boolean isThere = table.state(id) != Inflight.NONE;
            assertThat(isThere).isEqualTo(model.containsKey(id));
            if (isThere) {
                assertThat(table.sequence(id)).isEqualTo(model.get(id));
            }
        }
    }

    @Example
    @Clause({"MQTT5-2.2.1-4", "MQTT5-4.3.2-1", "MQTT5-4.3.3-1", "MQTT311-2.3.1-4"})
    void packetIdsComeRoundAndSkipThoseInUse() {
        Inflight table = new Inflight(ofNode, new LoopCounts());
        assertThat(table.take(Inflight.AWAITS_PUBACK)).isEqualTo(1);
        for (int i = 2; i <= 65_535; i++) {
            assertThat(table.take(Inflight.AWAITS_PUBACK)).isEqualTo(i);
            table.remove(i);
        }
        assertThat(table.take(Inflight.AWAITS_PUBREC)).isEqualTo(2);
        assertThat(table.state(1)).isEqualTo(Inflight.AWAITS_PUBACK);
        assertThat(table.size()).isEqualTo(2);
    }

    @Example
    void allPacketIdsMayBeInUse() {
        Inflight table = new Inflight(ofNode, new LoopCounts());
        for (int i = 1; i <= 65_535; i++) {
            table.take(Inflight.AWAITS_PUBACK);
        }
        table.remove(777);
        assertThat(table.take(Inflight.AWAITS_PUBREC)).isEqualTo(777);
    }
}
