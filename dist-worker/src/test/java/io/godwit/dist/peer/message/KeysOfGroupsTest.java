package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.StickyChoice;
import io.godwit.dist.wire.StickyChoices;
import io.godwit.dist.wire.StoredMember;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups whose messages have keys: those of one key reach one member, whichever node their publisher uses. */
class KeysOfGroupsTest {
    private static final int KEYS = 60;

    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final TestNode a = cluster.serving("a", 1);
    private final TestNode b = cluster.serving("b", 1);
    private final TestNode c = cluster.serving("c", 1);
    private final List<TestNode> nodes = List.of(a, b, c);

    private void subscribe(String filter) {
        a.subscribe(filter, "a0");
        a.subscribe(filter, "a1");
        b.subscribe(filter, "b0");
        c.subscribe(filter, "c0");
        c.subscribe(filter, "c1");
        c.subscribe(filter, "c2");
        tell();
    }

    /** The number of members is reported a little later. */
    private void tell() {
        cluster.settle();
        cluster.timers.advance(Duration.ofMillis(200));
        cluster.settle();
    }

    private static CompletableFuture<DistOutcome> publish(TestNode from, int key, @Nullable SharedPick asked) {
        return from.client()
                .publisher(TestNode.clientOf("p" + key), asked, Runnable::run)
                .publish(TestNode.message("t/" + key, Qos.AT_LEAST_ONCE, "m" + key), null);
    }

    private void publishAll(TestNode from, @Nullable SharedPick asked) {
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            outcomes.add(publish(from, key, asked));
        }
        cluster.settle();
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED));
    }

    /** The sessions that got messages, by message. */
    private Map<String, Set<String>> members() {
        Map<String, Set<String>> members = new TreeMap<>();
        for (TestNode node : nodes) {
            for (String session : List.of("a0", "a1", "b0", "c0", "c1", "c2")) {
                node.received(session)
                        .forEach(message -> members.computeIfAbsent(message, key -> new TreeSet<>())
                                .add(session));
            }
        }
        return members;
    }

    private static Set<String> all(Map<String, Set<String>> members) {
        Set<String> all = new TreeSet<>();
        members.values().forEach(all::addAll);
        return all;
    }

    private static void assertOneEach(Map<String, Set<String>> members) {
        assertThat(members)
                .hasSize(KEYS)
                .allSatisfy((message, sessions) -> assertThat(sessions).hasSize(1));
    }

    @ParameterizedTest
    @EnumSource(names = {"HASH_BY_CLIENT", "HASH_BY_TOPIC", "STICKY"})
    void messagesOfAKeyReachOneMemberWhicheverNodePublishes(SharedPick asked) {
        subscribe("$share/g/t/+");
        for (TestNode from : nodes) {
            publishAll(from, asked);
        }
        assertOneEach(members());
        assertThat(all(members())).hasSize(asked == SharedPick.STICKY ? 1 : 6);
    }

    /** What b and c would choose differs in some of the groups from what a has chosen before the others joined. */
    @Test
    void nodesThatHaveNotUsedAStickyGroupFollowTheOneThatHas() {
        int groups = 20;
        for (int i = 0; i < groups; i++) {
            a.subscribe("$share/g" + i + "/t/+", "a0");
        }
        tell();
        publishAll(a, SharedPick.STICKY);
        for (int i = 0; i < groups; i++) {
            for (String session : List.of("c0", "c1", "c2")) {
                c.subscribe("$share/g" + i + "/t/+", session);
            }
        }
        tell();
        publishAll(a, SharedPick.STICKY);
        tell();
        nodes.forEach(node -> node.live.clear());
        nodes.forEach(node -> publishAll(node, SharedPick.STICKY));
        assertThat(a.received("a0")).hasSize(nodes.size() * KEYS * groups);
        assertThat(c.live).isEmpty();
    }

    @Test
    void anOrderedGroupHasOneMemberForAPublisherAndTopicAfterAReconnectToAnotherNode() {
        subscribe("$oshare/g/t/+");
        for (TestNode from : nodes) {
            publishAll(from, null);
            publishAll(from, SharedPick.RANDOM);
        }
        assertOneEach(members());
        assertThat(all(members())).hasSizeGreaterThan(3);
    }

    @Test
    void whatANodeDeclinesGoesToTheMemberThatAllNodesChooseNext() {
        subscribe("$share/g/t/+");
        publishAll(b, SharedPick.HASH_BY_TOPIC);
        Set<String> ofC = new TreeSet<>();
        members().forEach((message, sessions) -> {
            if (sessions.iterator().next().startsWith("c")) {
                ofC.add(message);
            }
        });
        assertThat(ofC).isNotEmpty();
        nodes.forEach(node -> node.live.clear());
        List.of("c0", "c1", "c2").forEach(session -> c.unsubscribe("$share/g/t/+", session));
        publishAll(b, SharedPick.HASH_BY_TOPIC);
        assertThat(c.count("godwit.dist.peer.declined")).isPositive();
        cluster.timers.advance(Duration.ofSeconds(2));
        tell();
        publishAll(a, SharedPick.HASH_BY_TOPIC);
        publishAll(c, SharedPick.HASH_BY_TOPIC);
        assertOneEach(members());
        assertThat(all(members())).containsExactly("a0", "a1", "b0");
    }

    /** The filter of a node of an earlier release: it does not see the field, and would end a peer for the flag. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeOfAnEarlierReleaseIsSentNoStrategy(boolean isOld) {
        if (isOld) { // what a reports arrives at b as an earlier release would report it
            b.links.receive(
                    Lane.CONTROL, (from, frame) -> b.peers.onControl(from, withoutField(from.version(), frame)));
        }
        List<@Nullable SharedPick> asked = new ArrayList<>();
        a.links.receive(Lane.LIVE, LaneReceiver.paced((from, frame) -> {
            asked.add(LiveFrame.decode(from.version(), frame, 0).asked());
            return a.peers.onLive(from, frame);
        }));
        a.subscribe("$share/g/t/+", "a0");
        a.subscribe("$share/g/t/+", "a1");
        tell();
        publishAll(b, SharedPick.HASH_BY_TOPIC);
        assertThat(asked).hasSize(KEYS).containsOnly(isOld ? null : SharedPick.HASH_BY_TOPIC);
        assertThat(members()).hasSize(KEYS);
        List<PeerFrame.KindCase> kinds = new ArrayList<>();
        a.links.receive(Lane.CONTROL, (from, frame) -> {
            if (from.nodeId().equals("b")) {
                kinds.add(ControlFrames.decode(from.version(), frame).getKindCase());
            }
            a.peers.onControl(from, frame);
        });
        for (int i = 0; i < 20; i++) {
            a.subscribe("$share/s" + i + "/t/+", "a0");
        }
        tell();
        publishAll(b, SharedPick.STICKY);
        for (int i = 0; i < 20; i++) {
            c.subscribe("$share/s" + i + "/t/+", "c0");
        }
        tell();
        publishAll(b, SharedPick.STICKY);
        tell();
        assertThat(kinds.contains(PeerFrame.KindCase.STICKY_CHOICES)).isEqualTo(!isOld);

        asked.clear();
        publishAll(c, null);
        assertThat(asked).hasSize(KEYS).containsOnlyNulls();
    }

    private void report(StickyChoice.Builder choice) {
        PeerFrame frame = PeerFrame.newBuilder()
                .setStickyChoices(StickyChoices.newBuilder().addChoices(choice))
                .build();
        Objects.requireNonNull(a.links.peer("b")).send(Lane.CONTROL, ControlFrames.encode(frame));
        cluster.settle();
    }

    @Test
    void aReportOfAGroupOrMemberThatIsNotKnownChangesNothing() {
        b.subscribe("$share/g/t/+", "b0");
        cluster.settle();
        StickyChoice.Builder of = StickyChoice.newBuilder().setTenant("default").setFilter("$share/g/t/+");
        report(of.clone().setTenant("unknown").setNodeId("c"));
        report(of.clone().setFilter("$share/unknown/t").setNodeId("c"));
        report(of.clone().setNodeId("unknown"));
        report(of.clone().setNodeId("c"));
        report(of.clone().setStored(StoredMember.newBuilder().setClientId("unknown")));
        report(of.clone());
        publishAll(b, SharedPick.STICKY);
        assertThat(b.received("b0")).hasSize(KEYS);
        assertThat(b.links.peer("a")).isNotNull();
    }

    @Test
    void aReportOfAFilterThatIsNotSharedEndsThePeer() {
        cluster.settle();
        report(StickyChoice.newBuilder().setTenant("default").setFilter("t/+").setNodeId("c"));
        assertThat(b.links.peer("a")).isNull();
    }

    private static byte[] withoutField(int version, byte[] frame) {
        PeerFrame decoded = ControlFrames.decode(version, frame);
        if (!decoded.hasFilters()) {
            return frame;
        }
        PeerFrame.Builder old = decoded.toBuilder();
        old.getFiltersBuilder().clearReadsStrategies();
        return ControlFrames.encode(old.build());
    }
}
