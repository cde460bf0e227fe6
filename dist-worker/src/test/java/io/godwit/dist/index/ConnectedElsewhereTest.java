package io.godwit.dist.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.godwit.cluster.link.Peer;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Stored members in the index whose clients are connected to other nodes. */
class ConnectedElsewhereTest {
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);
    private static final TopicFilter FILTER = new TopicFilter("g", "t");

    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final MemoryLinks here = net.node("here", 1);
    private final TopicIndex index = new TopicIndex(new SharedStrategies(SharedPick.RANDOM));
    private final TenantIndex tenant = index.tenant(TenantId.DEFAULT);
    private final Peer b;
    private final Peer c;

    ConnectedElsewhereTest() {
        net.join(here);
        net.join(net.node("b", 1));
        net.join(net.node("c", 1));
        b = Objects.requireNonNull(here.peer("b"));
        c = Objects.requireNonNull(here.peer("c"));
    }

    private static GroupMember member(String clientId) {
        return new GroupMember(FILTER, new InboxReceiver(TenantId.DEFAULT, new ClientId(clientId), 1));
    }

    private void add(String clientId) {
        tenant.add(FILTER, member(clientId).receiver(), OPTIONS);
    }

    /** The clients that 40 messages choose: one of two is missed with a chance of 1 in 10^12. */
    private Set<String> chosen() {
        SharedGroup group = Objects.requireNonNull(tenant.group(FILTER));
        Set<String> clients = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            clients.add(Objects.requireNonNull(group.pick(new ClientId("p"), "t", null))
                    .match()
                    .receiver()
                    .clientId()
                    .value());
        }
        return clients;
    }

    @Test
    void aReportCountsWhetherItComesBeforeTheRouteOrAfterIt() {
        add("away");
        assertThat(tenant.setConnectedTo(b, member("early"), true)).isTrue();
        assertThat(tenant.setConnectedTo(b, member("early"), true)).isFalse();
        assertThat(chosen()).containsExactly("away");
        add("early");
        assertThat(chosen()).containsExactly("early");
        add("late");
        tenant.setConnectedTo(b, member("late"), true);
        assertThat(chosen()).containsExactlyInAnyOrder("early", "late");

        tenant.remove(FILTER, member("early").receiver());
        add("early");
        assertThat(chosen())
                .as("a route that is written again is that of a connected client")
                .containsExactlyInAnyOrder("early", "late");
        assertThat(tenant.setConnectedTo(b, member("early"), false)).isTrue();
        assertThat(tenant.setConnectedTo(b, member("early"), false)).isFalse();
        assertThat(chosen()).containsExactly("late");
    }

    @Test
    void theFirstMemberOfAGroupMayBeConnectedToo() {
        tenant.setConnectedTo(b, member("first"), true);
        add("first");
        add("away");
        assertThat(chosen()).containsExactly("first");
    }

    @Test
    void aMemberIsConnectedWhileOneNodeReportsIt() {
        add("away");
        add("moves");
        tenant.setConnectedTo(b, member("moves"), true);
        tenant.setConnectedTo(c, member("moves"), true);
        tenant.setConnectedTo(b, member("moves"), false);
        assertThat(chosen()).containsExactly("moves");
        tenant.setConnectedTo(c, member("moves"), false);
        assertThat(chosen()).containsExactlyInAnyOrder("away", "moves");
    }

    /** The session of a client id that began anew is another member. */
    @Test
    void anotherIncarnationOrGroupIsAnotherMember() {
        add("away");
        add("client");
        tenant.setConnectedTo(
                b, new GroupMember(FILTER, new InboxReceiver(TenantId.DEFAULT, new ClientId("client"), 2)), true);
        tenant.setConnectedTo(
                b, new GroupMember(new TopicFilter("h", "t"), member("client").receiver()), true);
        assertThat(chosen()).containsExactlyInAnyOrder("away", "client");
    }

    @Test
    void theMembersOfAPeerGoSomeAtATimeAndThoseOfOthersStay() {
        add("away");
        add("stays");
        add("of both");
        add("of b");
        tenant.setConnectedTo(c, member("stays"), true);
        tenant.setConnectedTo(c, member("of both"), true);
        tenant.setConnectedTo(b, member("of both"), true);
        tenant.setConnectedTo(b, member("of b"), true);
        for (int i = 0; i < 100; i++) {
            tenant.setConnectedTo(b, member("without route " + i), true);
        }
        TenantIndex other = index.tenant(new TenantId("other"));
        other.setConnectedTo(b, member("x"), true);
        tenant.addNode("filter", b);

        NodeRemoval removal = index.removalOf(b);
        int steps = 1;
        while (!removal.removeNext(10)) {
            steps++;
        }
        assertThat(steps).isBetween(12, 15);
        assertThat(other.isEmpty()).isTrue();
        assertThat(chosen()).containsExactlyInAnyOrder("stays", "of both");
        tenant.setConnectedTo(c, member("of both"), false);
        assertThat(chosen()).containsExactly("stays");
        tenant.setConnectedTo(c, member("stays"), false);
        for (String clientId : new String[] {"away", "stays", "of both", "of b"}) {
            tenant.remove(FILTER, member(clientId).receiver());
        }
        assertThat(tenant.isEmpty()).isTrue();
    }

    @Test
    void onlyASharedFilterHasMembers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GroupMember(
                        new TopicFilter(null, "t"), member("client").receiver()));
    }
}
