package io.godwit.dist.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Peer;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Other nodes in the index. */
class RemoteNodesTest {
    private static final ClientId PUBLISHER = new ClientId("p");

    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final MemoryLinks here = net.node("here", 1);
    private final TopicIndex index = new TopicIndex(new SharedStrategies(SharedPick.RANDOM));
    private final TenantIndex tenant = index.tenant(TenantId.DEFAULT);
    private final Peer b;
    private final Peer c;

    RemoteNodesTest() {
        net.join(here);
        net.join(net.node("b", 1));
        net.join(net.node("c", 1));
        b = Objects.requireNonNull(here.peer("b"));
        c = Objects.requireNonNull(here.peer("c"));
    }

    @Test
    void oneMatchGivesTheReceiversHereAndEachNodeOnce() {
        tenant.add(
                new TopicFilter(null, "a/+"),
                new TestReceiver("s"),
                new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0));
        tenant.addNode("a/+", b);
        tenant.addNode("a/1", b);
        tenant.addNode("#", c);
        Matches matches = tenant.match("a/1", PUBLISHER);
        assertThat(matches.live()).hasSize(1);
        assertThat(peersOf(matches)).containsExactlyInAnyOrder(b, c);
        assertThat(peersOf(tenant.match("x", PUBLISHER))).containsExactly(c);
        assertThat(index.counts().subscriptions()).isEqualTo(1);
    }

    @Test
    void everyChangeOfAMatchIsSeenInTheVersion() {
        long before = tenant.version();
        tenant.addNode("a", b);
        assertThat(tenant.version()).isGreaterThan(before);
        before = tenant.version();
        tenant.addNode("a", b);
        tenant.removeNode("a", c);
        assertThat(tenant.version()).isEqualTo(before);
        tenant.removeNode("a", b);
        assertThat(tenant.version()).isGreaterThan(before);
        assertThat(tenant.match("a", PUBLISHER)).isEqualTo(Matches.NONE);
        assertThat(tenant.isEmpty()).isTrue();
    }

    @Test
    void allFiltersOfAPeerGoSomeAtATimeAndThoseOfOthersStay() {
        for (int i = 0; i < 100; i++) {
            tenant.addNode("f/" + i, b);
            tenant.addNode("f/" + i + "/#", b);
            index.tenant(new TenantId("other")).addNode("f/" + i, b);
        }
        tenant.addNode("f/7", c);
        NodeRemoval removal = index.removalOf(b);
        assertThat(removal.removeNext(150)).isFalse();
        assertThat(removal.removeNext(149)).isFalse();
        assertThat(removal.removeNext(1)).isTrue();
        assertThat(peersOf(tenant.match("f/7", PUBLISHER))).containsExactly(c);
        assertThat(index.tenant(new TenantId("other")).isEmpty()).isTrue();
    }

    @Test
    void filtersOfTheSameNodesShareOneSet() {
        tenant.addNode("x", b);
        tenant.addNode("x", c);
        tenant.addNode("y", c);
        tenant.addNode("y", b);
        assertThat(tenant.match("x", PUBLISHER).nodes())
                .isSameAs(tenant.match("y", PUBLISHER).nodes());
    }

    private static List<Peer> peersOf(Matches matches) {
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < matches.nodes().size(); i++) {
            peers.add(matches.nodes().get(i));
        }
        return peers;
    }
}
