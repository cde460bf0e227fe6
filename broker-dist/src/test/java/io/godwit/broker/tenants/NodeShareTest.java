package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.throttle.TenantResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeShareTest {
    private static final TenantResource RATE = TenantResource.PUBLISH_RATE;

    private static TenantUse use(TenantResource resource, long value, boolean isShort) {
        return new TenantUse(Map.of(resource, value), isShort ? Set.of(resource) : Set.of());
    }

    @Test
    void aNodeThatIsAloneHasAll() {
        assertThat(NodeShare.share(RATE, 10, List.of())).isEqualTo(10);
        assertThat(NodeShare.share(TenantResource.SESSIONS, 10, List.of())).isEqualTo(10);
    }

    @Test
    void ofAnAmountThereIsWhatOthersLeave() {
        TenantUse seven = use(TenantResource.SESSIONS, 7, false);
        assertThat(NodeShare.share(TenantResource.SESSIONS, 10, List.of(seven))).isEqualTo(3);
        assertThat(NodeShare.share(TenantResource.SESSIONS, 10, List.of(seven, seven)))
                .isZero();
    }

    @Test
    void aRateIsSharedByNeed() {
        TenantUse idle = TenantUse.NONE;
        assertThat(NodeShare.share(RATE, 90, List.of(idle, idle))).isEqualTo(90);
        assertThat(NodeShare.share(RATE, 90, List.of(use(RATE, 20, false), idle)))
                .isEqualTo(70);
        assertThat(NodeShare.share(RATE, 90, List.of(use(RATE, 80, true), idle)))
                .isEqualTo(45);
        assertThat(NodeShare.share(RATE, 90, List.of(use(RATE, 90, false), idle)))
                .as("each node gets at least its part of the rate")
                .isEqualTo(30);
        assertThat(NodeShare.share(RATE, 0, List.of(idle))).isZero();
        assertThat(NodeShare.share(RATE, 1, List.of(use(RATE, 1, false), idle)))
                .as("a share is never less than one")
                .isEqualTo(1);
    }

    /**
     * With steady demands on all nodes, from the third exchange on the sum does not exceed the limit, whatever the
     * demands are.
     */
    @Test
    void theSumIsTheLimitOnceAllKnowTheSame() {
        Random random = new Random(17);
        for (int round = 0; round < 1_000; round++) {
            int nodes = 2 + random.nextInt(4);
            long most = 100L + random.nextInt(10_000);
            long[] demands = random.longs(nodes, 0, 2 * most).toArray();
            List<TenantUse> told = new ArrayList<>();
            long sum = 0;
            for (int exchange = 0; exchange < 12; exchange++) {
                List<TenantUse> next = new ArrayList<>();
                sum = 0;
                for (int node = 0; node < nodes; node++) {
                    List<TenantUse> others = new ArrayList<>(told);
                    if (!others.isEmpty()) {
                        others.remove(node);
                    }
                    long share = NodeShare.share(RATE, most, others);
                    long used = Math.min(demands[node], share);
                    sum += used;
                    next.add(use(RATE, used, demands[node] > share));
                }
                told = next;
                assertThat(sum).isLessThanOrEqualTo(nodes * most);
            }
            assertThat(sum).as("round %s", round).isLessThanOrEqualTo(most + nodes);
        }
    }
}
