package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.settings.cluster.ClusterWaitsSection;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class NodeWaitsTest {
    private final ClusterWaitsSection limits =
            new ClusterWaitsSection(1, 14, 2, 3, 9, 4, 5, 6, 7, 8, 10, 15, 11, 12, 13);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final NodeWaits waits = new NodeWaits(limits, events::add, meters);

    @Test
    void whatRunsOutIsCountedAndToldWithItsLimit() {
        waits.memberSilent("n2");
        waits.linkSilent("n3");
        waits.notHandedOver("[inbox/7]");
        waits.notLeft("n1");

        assertThat(events)
                .containsExactly(
                        event(NodeWait.SILENT_MEMBER, 4, "n2, this node joins and waits for it"),
                        event(NodeWait.LINK, 10, "link to n3"),
                        event(NodeWait.HAND_OVER, 12, "ranges [inbox/7]"),
                        event(NodeWait.LEAVE, 13, "n1 leaves the members"));
        for (NodeWait wait : List.of(NodeWait.SILENT_MEMBER, NodeWait.LINK, NodeWait.HAND_OVER, NodeWait.LEAVE)) {
            assertThat(count(wait)).as("%s", wait).isOne();
        }
    }

    @Test
    void itIsCountedWhenNobodyListens() {
        new NodeWaits(limits, EventListener.NONE, meters).linkSilent("n3");
        assertThat(count(NodeWait.LINK)).isOne();
    }

    private double count(NodeWait wait) {
        return meters.get("godwit.waits.over")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .counter()
                .count();
    }

    private static BrokerEvent event(NodeWait wait, int seconds, String detail) {
        return new BrokerEvent.WaitRanOut(wait, Duration.ofSeconds(seconds), detail);
    }
}
