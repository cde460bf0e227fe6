package io.godwit.mqtt.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.HandMemory;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.MemoryKind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryGuardTest {
    private final HandMemory memory = new HandMemory();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final List<Boolean> told = new ArrayList<>();
    private final MqttReports reports = new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), events::add);
    private final MemoryGuard guard = guard(80, 80);

    private MemoryGuard guard(int maxHeapPercent, int maxDirectPercent) {
        return new MemoryGuard(
                new MemoryConfig(maxHeapPercent, maxDirectPercent, Duration.ofSeconds(1)), memory, reports, told::add);
    }

    @Test
    void heapIsShortAtTheThresholdUntilItIsWellBelow() {
        memory.heap = 79.9;
        guard.look();
        assertThat(told).isEmpty();
        memory.heap = 80;
        guard.look();
        memory.heap = 70;
        guard.look();
        assertThat(told).containsExactly(true);
        memory.heap = 69.9;
        guard.look();
        guard.look();
        assertThat(told).containsExactly(true, false);
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.MemoryShort(MemoryKind.HEAP, 80),
                        new BrokerEvent.MemoryRecovered(MemoryKind.HEAP, 69));
    }

    @Test
    void aKindThatIsWatchedNoMoreIsShortNoMore() {
        memory.heap = 90;
        memory.direct = 90;
        guard.look();
        guard.reconfigure(new MemoryConfig(0, 0, Duration.ofSeconds(1)));
        guard.look();
        guard.reconfigure(new MemoryConfig(95, 85, Duration.ofSeconds(1)));
        guard.look();
        assertThat(told).containsExactly(true, false, true);
        assertThat(events).endsWith(new BrokerEvent.MemoryShort(MemoryKind.DIRECT, 90));
    }

    /** It may be garbage, but there is hardly space left to collect it. */
    @Test
    void anOldGenerationThatIsNearlyFullIsShortWhateverItIsFullOf() {
        memory.oldHeap = 89;
        guard.look();
        assertThat(told).isEmpty();
        memory.oldHeap = 90;
        guard.look();
        assertThat(told).containsExactly(true);
        memory.oldHeap = 79;
        guard.look();
        assertThat(told).containsExactly(true, false);
    }

    @Test
    void memoryIsShortAsLongAsOneKindIs() {
        memory.heap = 90;
        guard.look();
        memory.direct = 85;
        guard.look();
        memory.heap = 10;
        guard.look();
        assertThat(told).containsExactly(true);
        memory.direct = 10;
        guard.look();
        assertThat(told).containsExactly(true, false);
        assertThat(events).hasSize(4);
    }

    @Test
    void aThresholdOfZeroIsNone() {
        memory.heap = 100;
        memory.oldHeap = 100;
        memory.direct = 100;
        guard(0, 0).look();
        assertThat(told).isEmpty();
    }

    @Test
    void aCollectionIsAskedForWhenNothingElseWouldTellThatMemoryIsBack() {
        look(100);
        assertThat(memory.asked()).isZero();

        memory.heap = 90;
        look(9);
        memory.collections = 1; // the JVM does it by itself
        look(10);
        assertThat(memory.asked()).isZero();
        look(1);
        assertThat(memory.asked()).isEqualTo(1);
        look(19);
        assertThat(memory.asked()).isEqualTo(1);
        look(1);
        assertThat(memory.asked()).isEqualTo(2);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            guard.look();
        }
    }

    @Test
    void thresholdsAreChecked() {
        assertThatThrownBy(() -> guard(10, 0)).hasMessageContaining("maxHeapPercent must be 11 to 99");
        assertThatThrownBy(() -> guard(0, 100)).hasMessageContaining("maxDirectPercent must be 11 to 99");
    }

    @Test
    void theGaugeOfTheJvmTellsWhatIsInUse() {
        JvmMemory jvm = new JvmMemory();
        long before = jvm.collections();
        jvm.collect();
        assertThat(jvm.collections()).isGreaterThan(before);
        assertThat(jvm.heapPercent()).isBetween(0.01, jvm.oldHeapPercent() + 50);
        assertThat(jvm.oldHeapPercent()).isBetween(0.01, 100.0);

        double without = jvm.directPercent();
        ByteBuf large = ByteBufAllocator.DEFAULT.directBuffer(16 << 20);
        try {
            assertThat(jvm.directPercent()).isGreaterThan(without).isLessThan(100);
        } finally {
            large.release();
        }
    }
}
