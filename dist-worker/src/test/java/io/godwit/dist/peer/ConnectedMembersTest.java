package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.route.RouteKeys;
import io.godwit.dist.route.RouteMutation;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.MemberChange;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes tell each other which stored members of shared groups have a client connected to them. */
class ConnectedMembersTest {
    private static final TopicFilter GROUP = TestNode.filter("$share/g/t");
    /** After this time the others are told. */
    private static final Duration TOLD = Duration.ofMillis(200);

    private static final InboxReceiver AWAY = receiver("away");
    private static final InboxReceiver MEMBER = receiver("member");

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    /** Each node's replica of the routes: a test decides which node has applied a route. */
    private final Map<TestNode, InMemoryRangeHost> mirrors = new HashMap<>();

    private final TestNode a = node("a", 1);
    private final TestNode b = node("b", 1);
    private final TestNode c = node("c", 1);

    private static InboxReceiver receiver(String clientId) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(clientId), 1);
    }

    private TestNode node(String name, long incarnation) {
        TestNode node = unlinked(name, incarnation);
        node.join();
        node.members.setFresh(true);
        return node;
    }

    private TestNode unlinked(String name, long incarnation) {
        InMemoryRangeHost[] made = new InMemoryRangeHost[1];
        Supplier<RangeClient> ranges = () -> made[0];
        TestNode node = new TestNode(cluster, name, incarnation, ranges);
        made[0] = new InMemoryRangeHost(node.worker.coprocessorFactory());
        mirrors.put(node, made[0]);
        node.worker.start();
        return node;
    }

    @AfterEach
    void close() {
        mirrors.values().forEach(InMemoryRangeHost::close);
    }

    private void route(TestNode at, InboxReceiver receiver) {
        byte[] key = RouteKeys.key(GROUP, receiver);
        byte[] value = RouteKeys.value(TestNode.OPTIONS);
        InMemoryRangeHost mirror = Objects.requireNonNull(mirrors.get(at));
        CompletableFuture<byte[]> written = mirror.mutate(
                key, RouteMutation.encode(List.of(RouteMutation.Change.put(key, value))), Deadline.afterMillis(10_000));
        mirror.await(written);
    }

    private void routes(InboxReceiver... receivers) {
        for (InboxReceiver receiver : receivers) {
            mirrors.keySet().forEach(node -> route(node, receiver));
        }
    }

    private void setConnected(TestNode at, InboxReceiver receiver, boolean isConnected) {
        at.client().setConnected(GROUP, receiver, isConnected);
    }

    private void tell() {
        cluster.timers.advance(TOLD);
        cluster.settle();
    }

    /** The members that 40 messages choose: one of two is missed with a chance of 1 in 10^12. */
    private Set<String> chosen(TestNode at) {
        at.inbox.clear();
        for (int i = 0; i < 40; i++) {
            at.publish("t", Qos.AT_MOST_ONCE, "m");
        }
        Set<String> clients = new HashSet<>();
        at.inbox.forEach(delivery -> delivery.matches()
                .forEach(match -> clients.add(match.receiver().clientId().value())));
        return clients;
    }

    private static double gauge(TestNode node, String name) {
        return node.meters.get("godwit.dist.peer.members" + name).gauge().value();
    }

    @Test
    void aMemberThatIsConnectedToAnotherNodeIsPreferredToOneThatIsAway() {
        routes(AWAY, MEMBER);
        setConnected(a, MEMBER, true);
        assertThat(chosen(b)).containsExactlyInAnyOrder("away", "member");
        tell();
        for (TestNode node : List.of(a, b, c)) {
            assertThat(chosen(node)).as(node.life.nodeId()).containsExactly("member");
        }
        assertThat(gauge(a, "")).isOne();
        assertThat(gauge(a, ".bytes"))
                .isPositive()
                .isEqualTo(gauge(b, ".others.bytes"))
                .isEqualTo(gauge(c, ".others.bytes"));
        assertThat(gauge(a, ".others.bytes")).isZero();

        setConnected(a, MEMBER, false);
        tell();
        for (TestNode node : List.of(a, b, c)) {
            assertThat(chosen(node)).as(node.life.nodeId()).containsExactlyInAnyOrder("away", "member");
            assertThat(gauge(node, ".bytes") + gauge(node, ".others.bytes")).isZero();
        }
    }

    /** Stored members of all nodes, with keys: the strategy needs no message between the nodes. */
    @Test
    void messagesOfOnePublisherGoToOneConnectedMemberWhicheverNodeItUses() {
        List<TestNode> nodes = List.of(a, b, c);
        routes(AWAY);
        for (int i = 0; i < 6; i++) {
            routes(receiver("member" + i));
            setConnected(nodes.get(i % 3), receiver("member" + i), true);
        }
        tell();
        Set<String> all = new HashSet<>();
        for (int key = 0; key < 100; key++) {
            ClientInfo publisher = TestNode.clientOf("p" + key);
            Set<String> chosen = new HashSet<>();
            for (TestNode node : nodes) {
                node.inbox.clear();
                node.client()
                        .publisher(publisher, SharedPick.HASH_BY_CLIENT, Runnable::run)
                        .publish(TestNode.message("t", Qos.AT_LEAST_ONCE, "m"), null);
                node.inbox.forEach(delivery -> delivery.matches()
                        .forEach(match -> chosen.add(match.receiver().clientId().value())));
            }
            assertThat(chosen).as("key " + key).hasSize(1);
            all.addAll(chosen);
        }
        assertThat(all).hasSize(6).doesNotContain("away");
    }

    /** The replica of a node may be behind. */
    @Test
    void aReportThatComesBeforeTheRouteCounts() {
        route(a, MEMBER);
        setConnected(a, MEMBER, true);
        tell();
        routes(AWAY, MEMBER);
        assertThat(chosen(b)).containsExactly("member");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatMovesIsConnectedInTheEndWhicheverNodeIsHeardFirst(boolean isNewFirst) {
        routes(AWAY, MEMBER);
        setConnected(a, MEMBER, true);
        tell();
        cluster.net.cut("a", "c");
        cluster.net.cut("b", "c");
        setConnected(a, MEMBER, false);
        setConnected(b, MEMBER, true);
        tell();
        cluster.net.mend(isNewFirst ? "b" : "a", "c");
        cluster.settle();
        if (isNewFirst) {
            assertThat(chosen(c)).containsExactly("member");
        } else {
            assertThat(chosen(c)).hasSize(2);
        }
        cluster.net.mend(isNewFirst ? "a" : "b", "c");
        cluster.settle();
        assertThat(chosen(c)).containsExactly("member");
        assertThat(chosen(a)).containsExactly("member");
        setConnected(b, MEMBER, false);
        tell();
        assertThat(chosen(c)).hasSize(2);
        assertThat(chosen(a)).hasSize(2);
    }

    @Test
    void aClientThatMovesToTheNodeOfThePublisherStaysConnectedWhateverItsEarlierNodeReports() {
        routes(AWAY, MEMBER);
        setConnected(a, MEMBER, true);
        tell();
        setConnected(b, MEMBER, true);
        setConnected(a, MEMBER, false);
        tell();
        assertThat(chosen(b)).containsExactly("member");
        setConnected(b, MEMBER, false);
        assertThat(chosen(b)).hasSize(2);
    }

    @Test
    void aClientThatComesAndGoesCostsNoFrame() {
        setConnected(a, MEMBER, true);
        setConnected(a, MEMBER, false);
        cluster.settle();
        cluster.timers.advance(TOLD);
        assertThat(cluster.net.deliverOne("a", "b", Lane.CONTROL)).isFalse();
        setConnected(a, MEMBER, true);
        cluster.timers.advance(TOLD);
        assertThat(cluster.net.deliverOne("a", "b", Lane.CONTROL)).isTrue();
        setConnected(a, MEMBER, false);
        setConnected(a, MEMBER, true);
        cluster.timers.advance(TOLD.multipliedBy(10));
        assertThat(cluster.net.deliverOne("a", "b", Lane.CONTROL)).isFalse();
    }

    @Test
    void membersBeyondTheRoomAreNotTold() {
        cluster.maxLiveFilterBytes = 4 * 10 * 320;
        TestNode full = node("full", 1);
        cluster.settle();
        for (int i = 0; i < 100; i++) {
            setConnected(full, receiver("client" + i), true);
        }
        tell();
        double told = gauge(full, "");
        assertThat(told).isBetween(9.0, 10.0);
        assertThat(gauge(full, ".untold")).isEqualTo(100 - told);
        assertThat(gauge(a, ".others.bytes"))
                .isEqualTo(gauge(full, ".bytes"))
                .isLessThanOrEqualTo(cluster.maxLiveFilterBytes / 4.0);
        for (int i = 0; i < 100; i++) {
            setConnected(full, receiver("client" + i), i < 5);
        }
        tell();
        assertThat(gauge(full, "")).isEqualTo(5);
        assertThat(gauge(full, ".untold")).isZero();
        assertThat(gauge(a, ".others.bytes")).isEqualTo(gauge(full, ".bytes"));
        assertThat(full.subscribe("live", "s"))
                .as("live filters have a room of their own")
                .isNotCompletedExceptionally();
    }

    /** Frames that arrive at a node that joins: filters are promised, members are not. */
    @Test
    void whoJoinsIsToldOfAllFiltersFirstAndOfMembersBehind() {
        int count = 5_000;
        for (int i = 0; i < count; i++) {
            setConnected(a, receiver("client" + i), true);
            a.subscribe("some/longer/filter/of/a/device/" + i, "s");
        }
        for (int i = 0; i < 10; i++) {
            tell();
        }
        TestNode late = unlinked("late", 1);
        List<FilterChanges> frames = new ArrayList<>();
        record(late, frames);
        late.join();
        cluster.settle();

        int last = 0;
        while (!frames.get(last).getEndsList()) {
            assertThat(frames.get(last).getMembersCount()).isZero();
            last++;
        }
        assertThat(frames.get(last).getMembersCount()).isBetween(1, 200);
        Set<String> told = new HashSet<>();
        for (FilterChanges frame : frames) {
            assertThat(frame.getSerializedSize()).isLessThan(2 * 32 * 1024);
            for (MemberChange change : frame.getMembersList()) {
                assertThat(change.getConnected()).isTrue();
                assertThat(told.add(change.getClientId())).isTrue();
            }
        }
        assertThat(told).hasSize(count);
        assertThat(gauge(late, ".others.bytes")).isEqualTo(gauge(a, ".bytes"));
    }

    /** Notes the reports of node a, and passes all frames on. */
    private void record(TestNode at, List<FilterChanges> frames) {
        at.links.receive(Lane.CONTROL, (from, frame) -> {
            PeerFrame decoded = ControlFrames.decode(from.version(), frame);
            if (from.nodeId().equals("a") && decoded.hasFilters()) {
                frames.add(decoded.getFilters());
            }
            at.peers.onControl(from, frame);
        });
    }

    /** Room for frames with filters is left while members are under way. */
    @Test
    void aSubscriptionDoesNotWaitForMembers() {
        cluster.net.cut("a", "b");
        for (int i = 0; i < 5_000; i++) {
            setConnected(a, receiver("client" + i), true);
        }
        for (int i = 0; i < 10; i++) {
            tell();
        }
        CompletableFuture<Boolean> subscribed = a.subscribe("filter", "s");
        cluster.settle();
        cluster.net.mend("a", "b");
        assertThat(subscribed).isNotDone();
        for (int frame = 0; frame < 3; frame++) {
            cluster.net.deliverOne("a", "b", Lane.CONTROL);
        }
        cluster.net.cut("a", "b");
        cluster.settle();
        assertThat(subscribed).isCompletedWithValue(true);
        assertThat(gauge(b, ".others.bytes")).isLessThan(gauge(a, ".bytes") / 2);
        cluster.net.mend("a", "b");
        cluster.settle();
        assertThat(gauge(b, ".others.bytes")).isEqualTo(gauge(a, ".bytes"));
    }

    @Test
    void aLinkThatEndsInTheMiddleOfTheListLeavesNothingBehind() {
        routes(AWAY, MEMBER);
        for (int i = 0; i < 5_000; i++) {
            setConnected(a, receiver("client" + i), true);
        }
        setConnected(a, MEMBER, true);
        for (int i = 0; i < 10; i++) {
            tell();
        }
        cluster.view.hasMajority = false; // nobody is excluded
        for (int round = 0; round < 3; round++) {
            cluster.net.end("a", "b", "for the test");
            cluster.net.link("a", "b");
            cluster.net.deliverOne("a", "b", Lane.CONTROL);
            cluster.net.deliverOne("a", "b", Lane.CONTROL);
        }
        cluster.settle();
        cluster.timers.advance(RemoteFilters.RETRY);
        assertThat(chosen(b)).containsExactly("member");
        assertThat(gauge(b, ".others.bytes")).isEqualTo(gauge(a, ".bytes"));
        setConnected(a, MEMBER, false);
        tell();
        assertThat(chosen(b)).containsExactlyInAnyOrder("away", "member");
    }

    /** While the link is over, the members of its node count as connected: its clients may still be there. */
    @Test
    void whatHappensWhileALinkIsOverIsKnownAfterIt() {
        routes(AWAY, MEMBER);
        setConnected(a, MEMBER, true);
        tell();
        cluster.view.hasMajority = false;
        cluster.net.end("a", "b", "for the test");
        setConnected(a, MEMBER, false);
        setConnected(a, AWAY, true);
        tell();
        assertThat(chosen(b)).containsExactly("member");
        cluster.net.link("a", "b");
        cluster.settle();
        cluster.timers.advance(RemoteFilters.RETRY);
        assertThat(chosen(b)).containsExactly("away");
    }

    @Test
    void theMembersOfAnExcludedNodeAreNotConnected() {
        routes(AWAY, MEMBER);
        setConnected(a, MEMBER, true);
        for (int i = 0; i < 5_000; i++) {
            setConnected(a, receiver("client" + i), true);
        }
        for (int i = 0; i < 10; i++) {
            tell();
        }
        assertThat(chosen(b)).containsExactly("member");
        cluster.net.kill("a");
        cluster.timers.advance(RemoteFilters.RETRY.multipliedBy(2));
        assertThat(b.members.excluded).contains(a.life);
        assertThat(chosen(b)).containsExactlyInAnyOrder("away", "member");
        assertThat(gauge(b, ".others.bytes")).isZero();

        TestNode again = node("a", 2);
        cluster.settle();
        setConnected(again, MEMBER, true);
        tell();
        assertThat(chosen(b)).containsExactly("member");
    }

    /** The node that stands still is not excluded here; it must only not cost the others without a bound. */
    @Test
    void clientsThatComeAndGoWhileANodeStandsStillAreKnownWhenItGoesOn() {
        routes(AWAY, MEMBER);
        cluster.net.cut("a", "b");
        for (int i = 0; i < 200; i++) {
            setConnected(a, receiver("client" + i), true);
            setConnected(a, MEMBER, i % 2 == 1);
            cluster.timers.advance(TOLD);
            setConnected(a, receiver("client" + i), false);
            cluster.timers.advance(TOLD);
        }
        cluster.settle();
        cluster.net.mend("a", "b");
        int frames = 0;
        while (cluster.net.deliverOne("a", "b", Lane.CONTROL)) {
            frames++;
        }
        assertThat(frames).isLessThan(6);
        assertThat(chosen(b)).containsExactly("member");
        assertThat(gauge(b, ".others.bytes")).isEqualTo(gauge(a, ".bytes"));
    }

    @Test
    void aMemberOfAnotherTenantIsAnotherMember() {
        routes(AWAY, MEMBER);
        a.client().setConnected(GROUP, new InboxReceiver(new TenantId("other"), MEMBER.clientId(), 1), true);
        tell();
        assertThat(chosen(b)).containsExactlyInAnyOrder("away", "member");
    }
}
