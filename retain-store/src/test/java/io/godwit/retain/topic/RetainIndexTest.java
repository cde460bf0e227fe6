package io.godwit.retain.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetainIndexTest {

    @Test
    void aWalkLeavesOutTheBranchesThatTheFilterRulesOut() {
        RetainIndex index = new RetainIndex(new RetainCounters(new SimpleMeterRegistry()));
        for (int device = 0; device < 50; device++) {
            for (int sensor = 0; sensor < 200; sensor++) {
                index.put(key("d" + device + "/s" + sensor), RetainKeys.NEVER, 0);
            }
            index.put(key("d" + device + "/state/now"), RetainKeys.NEVER, 0);
        }
        KeyFilter filter = new KeyFilter(TenantId.DEFAULT, new TopicFilter(null, "+/state/#"));

        // at most three keys per device: its first topic, its match, and the jump past it; not its 200 sensors
        RetainIndex.Walk walk = index.walk(filter, filter.start(), 0, 3 * 50 + 1);
        int found = 0;
        while (walk.next() != null) {
            found++;
        }
        assertThat(found).isEqualTo(50);
        assertThat(walk.position()).isNull();
    }

    @Test
    void aNewExpiryReplacesTheOld() {
        RetainIndex index = new RetainIndex(new RetainCounters(new SimpleMeterRegistry()));
        index.put(key("a"), 10, 0);
        index.put(key("a"), 20, 0);
        assertThat(index.expired(10, 5)).isEmpty();
        assertThat(index.expired(20, 5)).hasSize(1);
        index.put(key("a"), RetainKeys.NEVER, 0);
        assertThat(index.expired(30, 5)).isEmpty();
    }

    @Test
    void whatEachTenantHasIsCounted() {
        TenantId birds = new TenantId("birds");
        RetainCounters counters = new RetainCounters(new SimpleMeterRegistry());
        RetainIndex index = new RetainIndex(counters);
        counters.led.put("its leader", () -> index);
        counters.present.add(() -> index);
        index.put(key("a"), RetainKeys.NEVER, 5);
        index.put(RetainKeys.key(birds, "a"), RetainKeys.NEVER, 7);
        index.put(RetainKeys.key(birds, "b"), RetainKeys.NEVER, 1);
        index.put(RetainKeys.key(birds, "b"), RetainKeys.NEVER, 3);
        assertThat(counters.messages(birds)).isEqualTo(2);
        assertThat(counters.payloadBytes(birds)).isEqualTo(10);
        assertThat(counters.payloadBytes(birds, "b")).isEqualTo(3);
        assertThat(counters.payloadBytes(birds, "c")).isEqualTo(-1);
        assertThat(counters.messages(TenantId.DEFAULT)).isOne();
        assertThat(index.part(new RangeBounds(new byte[0], RetainKeys.key(birds, "b")))
                        .held(birds))
                .isEqualTo(new TenantHoldings.Held(1, 7));
        index.remove(RetainKeys.key(birds, "a"));
        index.remove(RetainKeys.key(birds, "a"));
        assertThat(counters.payloadBytes(birds)).isEqualTo(3);
        index.remove(RetainKeys.key(birds, "b"));
        assertThat(index.held(birds)).isEqualTo(TenantHoldings.Held.NONE);
    }

    /** One mutation removes them, and the log refuses a mutation that is too large. */
    @Test
    void keysThatAreDueAreBoundedInBytes() {
        RetainIndex index = new RetainIndex(new RetainCounters(new SimpleMeterRegistry()));
        for (int i = 0; i < 256; i++) {
            index.put(key("t".repeat(65_000) + i), 10, 0);
        }
        int bytes = 0;
        for (int removed = 0; removed < 256; ) {
            List<byte[]> due = index.expired(10, 256);
            bytes = Math.max(bytes, due.stream().mapToInt(each -> each.length).sum());
            due.forEach(index::remove);
            removed += due.size();
            assertThat(due).isNotEmpty();
        }
        assertThat(bytes).isLessThan(RetainIndex.MAX_DUE_BYTES + 65_100);
        assertThat(index.expired(10, 256)).isEmpty();
    }

    private static byte[] key(String topic) {
        return RetainKeys.key(TenantId.DEFAULT, topic);
    }
}
