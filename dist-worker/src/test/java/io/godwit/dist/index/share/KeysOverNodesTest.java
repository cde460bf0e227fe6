package io.godwit.dist.index.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One group as several nodes know it: strategies with keys choose the same member on all of them. */
class KeysOverNodesTest extends SharedGroupFixture {
    private static final int KEYS = 4_000;

    /** The live members of another node; equal whatever their number. */
    private record Node(ClientId clientId, int membersElsewhere) implements LiveReceiver {
        @Override
        public boolean equals(Object other) {
            return other instanceof Node node && node.clientId.equals(clientId);
        }

        @Override
        public int hashCode() {
            return clientId.hashCode();
        }
    }

    /** What a sticky group of a node keeps. */
    private record Report(String from, Receiver receiver) {}

    /** The nodes, all with the same knowledge. */
    private final class Views {
        private final Map<String, SharedGroup> groups = new TreeMap<>();
        private final Map<String, List<Receiver>> live = new TreeMap<>();
        private final Map<InboxReceiver, String> stored = new LinkedHashMap<>();
        private final List<Report> reports = new ArrayList<>();
        private final String filter;
        private final SharedPick strategy;

        Views(String filter, SharedPick strategy) {
            this.filter = filter;
            this.strategy = strategy;
        }

        Views node(String name, int members) {
            live.put(name, new ArrayList<>());
            SharedGroup group = KeysOverNodesTest.this.node(
                    filter(filter),
                    new SharedStrategies(strategy),
                    name,
                    (tenant, of, receiver) -> reports.add(new Report(name, receiver)));
            groups.put(name, group);
            live.forEach((node, its) -> tell(name, node));
            stored.keySet().forEach(receiver -> group.add(member(receiver)));
            stored.forEach((receiver, at) -> group.setConnectedElsewhere(receiver, true));
            for (int i = 0; i < members; i++) {
                join(name, name + i);
            }
            return this;
        }

        private SharedGroup at(String node) {
            return Objects.requireNonNull(groups.get(node));
        }

        private List<Receiver> liveOf(String node) {
            return Objects.requireNonNull(live.get(node));
        }

        private void tell(String to, String of) {
            int count = liveOf(of).size();
            if (!to.equals(of)) {
                Node node = new Node(new ClientId(of), count);
                if (count == 0) {
                    at(to).remove(node);
                } else {
                    at(to).add(member(node));
                }
            }
        }

        void join(String node, String session) {
            Receiver receiver = new TestReceiver(session);
            liveOf(node).add(receiver);
            at(node).add(member(receiver));
            groups.keySet().forEach(other -> tell(other, node));
        }

        void leave(String node, String session) {
            Receiver receiver = new TestReceiver(session);
            liveOf(node).remove(receiver);
            at(node).remove(receiver);
            groups.keySet().forEach(other -> tell(other, node));
        }

        void kill(String node) {
            groups.remove(node);
            live.remove(node);
            groups.values().forEach(group -> group.remove(new Node(new ClientId(node), 1)));
        }

        /** A stored member, whose client is connected to the node; to none for null. */
        Views stored(String name, @Nullable String node) {
            InboxReceiver receiver = inbox(name);
            groups.forEach((at, group) -> {
                group.add(member(receiver));
                group.setConnected(receiver, at.equals(node));
                group.setConnectedElsewhere(receiver, node != null && !at.equals(node));
            });
            if (node != null) {
                stored.put(receiver, node);
            }
            return this;
        }

        /** The reports arrive at all nodes. */
        int report() {
            for (Report report : reports) {
                groups.forEach((name, group) -> {
                    if (!name.equals(report.from)) {
                        arrive(report, group);
                    }
                });
            }
            int count = reports.size();
            reports.clear();
            return count;
        }

        private static void arrive(Report report, SharedGroup group) {
            if (report.receiver instanceof InboxReceiver stored) {
                group.stickToStored(report.from, stored);
            } else if (report.receiver instanceof Node node) {
                group.stickToNode(report.from, node.clientId.value());
            } else {
                group.stickToNode(report.from, report.from);
            }
        }

        /** The member that a message reaches that is published at the node. */
        Receiver reached(String from, String publisher, String topic, @Nullable SharedPick asked) {
            ClientId client = new ClientId(publisher);
            SharedMember picked = at(from).pick(client, topic, asked);
            assertThat(picked).isNotNull();
            if (!picked.isElsewhere()) {
                return picked.match().receiver();
            }
            String node = picked.match().receiver().clientId().value();
            SharedMember there = at(node).pickHere(client, topic, asked);
            assertThat(there).isNotNull();
            return there.match().receiver();
        }

        Receiver reached(String from, int key) {
            return reached(from, "p" + key, "t" + key, null);
        }

        /** The members that the keys reach, wherever they are published. */
        List<Receiver> reached(int keys) {
            List<Receiver> reached = new ArrayList<>(keys);
            for (int key = 0; key < keys; key++) {
                Receiver first = null;
                for (String from : groups.keySet()) {
                    Receiver member = reached(from, key);
                    first = first == null ? member : first;
                    assertThat(member)
                            .as("key " + key + " published at " + from)
                            .isEqualTo(first);
                }
                reached.add(first);
            }
            return reached;
        }
    }

    private SharedGroup node(TopicFilter filter, SharedStrategies strategies, String name) {
        return node(filter, strategies, name, (tenant, of, receiver) -> {});
    }

    private SharedGroup node(TopicFilter filter, SharedStrategies strategies, String name, StickyListener sticky) {
        return new SharedGroup(TenantId.DEFAULT, filter, strategies, () -> nowNanos, name, sticky);
    }

    private Views three(SharedPick strategy) {
        return new Views("$share/g/a", strategy)
                .node("a", 2)
                .node("b", 1)
                .node("c", 3)
                .stored("s0", "a")
                .stored("s1", "b")
                .stored("s2", "b")
                .stored("s3", "c")
                .stored("offline", null);
    }

    private static Map<Receiver, Integer> counted(List<Receiver> reached) {
        Map<Receiver, Integer> counts = new HashMap<>();
        reached.forEach(receiver -> counts.merge(receiver, 1, Integer::sum));
        return counts;
    }

    private static long moved(List<Receiver> before, List<Receiver> after) {
        return IntStream.range(0, before.size())
                .filter(key -> !before.get(key).equals(after.get(key)))
                .count();
    }

    @ParameterizedTest
    @EnumSource(names = {"HASH_BY_CLIENT", "HASH_BY_TOPIC"})
    void aKeyReachesTheSameMemberWhicheverNodePublishes(SharedPick strategy) {
        Map<Receiver, Integer> counts = counted(three(strategy).reached(KEYS));
        assertThat(counts)
                .as("live members of three nodes, and stored ones that are connected")
                .hasSize(10)
                .doesNotContainKey(inbox("offline"))
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(KEYS / 13, KEYS / 8));
    }

    @Test
    void twoNodesWithoutStoredMembersAgreeToo() {
        Views two =
                new Views("$share/g/a", SharedPick.HASH_BY_TOPIC).node("a", 1).node("b", 3);
        Map<Receiver, Integer> counts = counted(two.reached(KEYS));
        assertThat(counts.get(new TestReceiver("a0"))).isBetween(KEYS / 5, KEYS * 3 / 10);
    }

    @ParameterizedTest
    @EnumSource(names = {"STICKY", "HASH_BY_CLIENT", "HASH_BY_TOPIC"})
    void theStrategyOfTheListenerHasKeysOnAllNodesToo(SharedPick asked) {
        Views views = three(SharedPick.RANDOM);
        for (int key = 0; key < 200; key++) {
            Receiver first = views.reached("a", "p" + key, "t" + key, asked);
            assertThat(views.reached("b", "p" + key, "t" + key, asked)).isEqualTo(first);
            assertThat(views.reached("c", "p" + key, "t" + key, asked)).isEqualTo(first);
        }
    }

    @Test
    void keysOfAnOrderedGroupAreFirstGivenToTheSameMemberByAllNodes() {
        Views views = new Views("$oshare/g/a", SharedPick.RANDOM)
                .node("a", 2)
                .node("b", 2)
                .node("c", 1);
        views.stored("s0", "a").stored("s1", null);
        assertThat(counted(views.reached(1_000))).hasSize(6).doesNotContainKey(inbox("s1"));
    }

    @Test
    void whenNobodyIsConnectedAllNodesChooseTheSameQueue() {
        Views views =
                new Views("$share/g/a", SharedPick.HASH_BY_TOPIC).node("a", 0).node("b", 0);
        for (int i = 0; i < 5; i++) {
            views.stored("offline" + i, null);
        }
        assertThat(counted(views.reached(KEYS))).hasSize(5);
        views.stored("s", "b");
        assertThat(counted(views.reached(KEYS))).containsOnlyKeys(inbox("s"));
    }

    /** All that moves goes to the new members, and that is their share. */
    @Test
    void aNodeThatJoinsOrAStoredMemberThatConnectsTakesItsShareOnly() {
        Views views = three(SharedPick.HASH_BY_TOPIC);
        List<Receiver> before = views.reached(KEYS);
        views.node("d", 2);
        List<Receiver> after = views.reached(KEYS);
        for (int key = 0; key < KEYS; key++) {
            assertThat(after.get(key)).isIn(before.get(key), new TestReceiver("d0"), new TestReceiver("d1"));
        }
        assertThat(moved(before, after)).isBetween(KEYS * 2L / 15, KEYS * 2L / 10);

        views.stored("offline", "a");
        List<Receiver> connected = views.reached(KEYS);
        for (int key = 0; key < KEYS; key++) {
            assertThat(connected.get(key)).isIn(after.get(key), inbox("offline"));
        }
        assertThat(moved(after, connected)).isBetween(KEYS / 17L, KEYS / 10L);

        views.stored("offline", null);
        assertThat(views.reached(KEYS)).isEqualTo(after);
        views.kill("d");
        assertThat(views.reached(KEYS)).isEqualTo(before);
    }

    /** Its node takes keys from other nodes, and it takes keys from those beside it. */
    @Test
    void aLiveMemberThatJoinsOrLeavesMovesTwiceItsShareAtMost() {
        Views views = three(SharedPick.HASH_BY_TOPIC);
        List<Receiver> before = views.reached(KEYS);
        views.join("b", "b1");
        List<Receiver> after = views.reached(KEYS);
        for (int key = 0; key < KEYS; key++) {
            assertThat(after.get(key)).isIn(before.get(key), new TestReceiver("b0"), new TestReceiver("b1"));
        }
        assertThat(moved(before, after)).isBetween(KEYS / 13L, KEYS * 2L / 10);
        views.leave("b", "b1");
        assertThat(views.reached(KEYS)).isEqualTo(before);

        views.leave("b", "b0");
        List<Receiver> without = views.reached(KEYS);
        for (int key = 0; key < KEYS; key++) {
            if (!before.get(key).equals(new TestReceiver("b0"))) {
                assertThat(without.get(key)).isEqualTo(before.get(key));
            }
        }
    }

    @Test
    void aClientThatMovesToAnotherNodeKeepsItsKeys() {
        Views views = three(SharedPick.HASH_BY_CLIENT);
        List<Receiver> before = views.reached(KEYS);
        assertThat(views.stored("s0", "c").reached(KEYS)).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("weights")
    void aNodeIsChosenAsOftenAsItHasMembers(int members, int others) {
        SharedGroup group = node(filter("$share/g/a"), new SharedStrategies(SharedPick.HASH_BY_TOPIC), "own");
        group.add(member(new Node(new ClientId("n"), members)));
        group.add(member(new Node(new ClientId("o"), others)));
        int chosen = 0;
        for (int key = 0; key < 10_000; key++) {
            chosen += pick(group, PUBLISHER, "t" + key).clientId().value().equals("n") ? 1 : 0;
        }
        double expected = (double) members / (members + others);
        assertThat(chosen / 10_000.0).isBetween(expected - 0.02, expected + 0.02);
    }

    static List<Object[]> weights() {
        return List.of(
                new Object[] {1, 1}, new Object[] {1, 9}, new Object[] {300, 700}, new Object[] {1_000_000, 500_000});
    }

    @ParameterizedTest
    @EnumSource(names = {"HASH_BY_CLIENT", "HASH_BY_TOPIC", "STICKY"})
    void allNodesGoOnToTheSameMemberWhenANodeDeclines(SharedPick strategy) {
        Views views = new Views("$share/g/a", strategy)
                .node("a", 0)
                .node("b", 0)
                .node("c", 1)
                .node("d", 2);
        views.stored("s", "c");
        for (int key = 0; key < 50; key++) {
            ClientId publisher = new ClientId("p" + key);
            SharedMember ofA = views.at("a").pick(publisher, "t" + key, null);
            SharedMember ofB = views.at("b").pick(publisher, "t" + key, null);
            assertThat(ofA).isNotNull();
            assertThat(ofB).isNotNull();
            views.at("a").refused(ofA);
            views.at("b").refused(ofB);
            SharedMember nextOfA = views.at("a").pickOther(publisher, "t" + key, null, ofA);
            SharedMember nextOfB = views.at("b").pickOther(publisher, "t" + key, null, ofB);
            assertThat(nextOfA).isNotNull().isNotEqualTo(ofA);
            assertThat(nextOfB).isNotNull();
            assertThat(nextOfA.match().receiver())
                    .isEqualTo(nextOfB.match().receiver())
                    .isNotEqualTo(ofA.match().receiver());
            assertThat(views.at("a").pick(publisher, "t" + key, null))
                    .as("for a while")
                    .isEqualTo(nextOfA);
            nowNanos += SharedGroup.REFUSAL_NANOS;
        }
    }

    /** A node that has no room for the message is not asked again before the one that comes next. */
    @Test
    void aKeyOfAnOrderedGroupThatItsNodeDeclinesGoesOnAndStays() {
        Views views = new Views("$oshare/g/a", SharedPick.RANDOM)
                .node("a", 0)
                .node("b", 2)
                .node("c", 2);
        for (int key = 0; key < 50; key++) {
            String topic = "t" + key;
            SharedMember first = views.at("a").pick(PUBLISHER, topic, null);
            assertThat(first).isNotNull();
            views.at("a").refused(first);
            SharedMember next = views.at("a").pickOther(PUBLISHER, topic, null, first);
            assertThat(next).isNotNull().isNotEqualTo(first);
            nowNanos += SharedGroup.REFUSAL_NANOS;
            assertThat(views.at("a").pick(PUBLISHER, topic, null)).isEqualTo(next);
        }
    }

    @Test
    void whatStaysDoesNotMoveToANewMemberOnAnotherNode() {
        for (String filter : List.of("$oshare/g/a", "$share/g/a")) {
            Views views = new Views(filter, SharedPick.STICKY)
                    .node("a", 1)
                    .node("b", 2)
                    .stored("s", "a");
            List<Receiver> before = views.reached(500);
            views.node("c", 5);
            views.join("a", "a1");
            views.stored("s1", "b");
            for (int key = 0; key < 500; key++) {
                assertThat(views.reached("a", key)).isEqualTo(before.get(key));
                assertThat(views.reached("b", key)).isEqualTo(before.get(key));
            }
        }
    }

    /** All that it knows would make it choose one of the members that have joined since. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatHasNotUsedAStickyGroupFollowsThoseThatHave(boolean isStored) {
        int reports = 0;
        for (int i = 0; i < 40; i++) {
            Views views = new Views("$share/g" + i + "/a", SharedPick.STICKY)
                    .node("a", 0)
                    .node("b", 0);
            if (isStored) {
                views.stored("s", "b");
            } else {
                views.join("b", "b0");
            }
            Receiver first = views.reached("a", 1);
            assertThat(views.report())
                    .as("nodes choose this one without a report")
                    .isZero();
            views.node("c", 3);
            assertThat(views.reached("a", 2)).isEqualTo(first);
            reports += views.report();
            assertThat(views.reached("c", 3)).isEqualTo(first);
            assertThat(views.reached("b", 4)).isEqualTo(first);
            assertThat(views.reached("a", 5)).isEqualTo(first);
        }
        assertThat(reports).as("three of four").isBetween(20, 39);
    }

    /** Each has used the group when it knew only its own members. */
    @Test
    void nodesThatKeepDifferentMembersAgreeInTheEnd() {
        for (int i = 0; i < 40; i++) {
            Views views = new Views("$share/g" + i + "/a", SharedPick.STICKY).node("a", 1);
            assertThat(views.reached("a", 1)).isEqualTo(new TestReceiver("a0"));
            views.node("b", 1);
            views.at("b").remove(new Node(new ClientId("a"), 1));
            assertThat(views.reached("b", 1)).isEqualTo(new TestReceiver("b0"));
            views.at("b").add(member(new Node(new ClientId("a"), 1)));
            views.stored("s", "b").node("c", 2);
            for (int round = 0; round < 3; round++) {
                views.groups.keySet().forEach(from -> views.reached(from, 2));
                views.report();
                nowNanos += GroupKeys.REPORT_NANOS;
            }
            views.reached(10);
        }
    }

    @Test
    void whenAStickyMemberIsFullAllGoOnToTheNextAndStayThere() {
        Views views = new Views("$share/g/a", SharedPick.STICKY).node("a", 0).node("b", 0);
        for (int i = 0; i < 5; i++) {
            views.stored("s" + i, "b");
        }
        Receiver first = views.reached("a", 1);
        assertThat(views.reached("b", 1)).isEqualTo(first);
        views.at("a").refused(memberOf(views.at("a"), first));
        Receiver next = views.reached("a", 1);
        assertThat(next).isNotEqualTo(first);
        nowNanos += SharedGroup.REFUSAL_NANOS;
        assertThat(views.reached("a", 1)).isEqualTo(next);
        assertThat(views.report()).isPositive();
        assertThat(views.reached("b", 1)).isEqualTo(next);
    }

    @Test
    void aReportIsRepeatedWhileThereAreMessages() {
        Views views = new Views("$share/g/a", SharedPick.STICKY).node("a", 0).stored("s", "a");
        views.reached("a", 1);
        for (int i = 0; i < 20; i++) {
            views.stored("t" + i, "a");
        }
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 10; i++) {
                views.reached("a", i);
                nowNanos += GroupKeys.REPORT_NANOS / 10;
            }
            assertThat(views.reports).hasSize(round + 1);
        }
    }

    /** The node is linked again: the same members are represented by another object. */
    @Test
    void anOrderedKeyStaysWithItsNodeWhenThatIsLinkedAgain() {
        SharedGroup group = node(filter("$oshare/g/a"), new SharedStrategies(SharedPick.RANDOM), "own");
        Relinked first = new Relinked(new ClientId("n"), 1);
        group.add(member(first));
        Map<String, Receiver> before = owners(group, 100);
        group.add(member(new Node(new ClientId("o"), 50)));
        Relinked second = new Relinked(new ClientId("n"), 2);
        group.add(member(second));
        group.remove(first);
        assertThat(before).allSatisfy((topic, owner) -> assertThat(owner).isEqualTo(first));
        assertThat(owners(group, 100))
                .allSatisfy((topic, owner) -> assertThat(owner).isEqualTo(second));
    }

    private record Relinked(ClientId clientId, int link) implements LiveReceiver {
        @Override
        public int membersElsewhere() {
            return 1;
        }
    }

    /** A client may choose any id for which {@code String.hashCode} is the same as for another. */
    @Test
    void membersWhoseIdsHaveTheSameHashCodeShareTheKeys() {
        SharedGroup group = group(SharedPick.HASH_BY_TOPIC, 0);
        for (String name : List.of("AaAa", "AaBB", "BBAa", "BBBB")) {
            group.add(member(new TestReceiver(name)));
        }
        assertThat(counted(new ArrayList<>(owners(group, KEYS).values())))
                .hasSize(4)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(KEYS / 5, KEYS * 3 / 10));
    }

    @Test
    void theComparisonWithoutLogarithmsIsThatOfTheScores() {
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            long draw = random.nextLong() >>> 12;
            long other = i % 10 == 0 ? draw : random.nextLong() >>> 12;
            int weight = 1 + random.nextInt(4);
            int otherWeight = 1 + random.nextInt(4);
            assertThat(Rendezvous.isHigher(draw, weight, other, otherWeight))
                    .as("%d of weight %d and %d of weight %d", draw, weight, other, otherWeight)
                    .isEqualTo(Rendezvous.score(draw, weight) > Rendezvous.score(other, otherWeight));
        }
    }

    /** Nodes of different releases must agree. The values were computed by another program. */
    @Test
    void theChoiceIsTheSameInEveryRelease() {
        assertThat(Rendezvous.bucketOf("t1".hashCode())).isEqualTo(5_754);
        assertThat(Rendezvous.hashOf("größer")).isEqualTo(5_042_895_402_666_228_349L);
        assertThat(Rendezvous.draw(Rendezvous.point(1, 2), 3)).isEqualTo(507_867_880_869_054L);
        assertThat(Rendezvous.score(1L << 51, 3)).isEqualTo(4.3280851226668915);
        Views views = three(SharedPick.HASH_BY_TOPIC);
        List<String> owners = IntStream.range(0, 30)
                .mapToObj(key -> views.reached("a", key).clientId().value())
                .toList();
        assertThat(String.join(" ", owners))
                .isEqualTo("b0 s3 c0 c2 s0 c0 c1 a1 s3 c0 s1 c2 s0 s3 s0 c2 c1 b0 a1 s1 c2 c0 c2 a0 c1 c2 c1 s1 s0 b0");
    }

    /** What is remembered of a large group is what a search of all members finds. */
    @Test
    void inALargeGroupThatChangesTheOwnersAreThoseOfANewGroupWithTheSameMembers() {
        Random random = new Random(11);
        SharedGroup group = group(SharedPick.HASH_BY_TOPIC, 0);
        List<InboxReceiver> connected = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            group.add(member(inbox("m" + i)));
        }
        for (int round = 0; round < 60; round++) {
            for (int change = random.nextInt(round % 3 == 0 ? 400 : 8); change >= 0; change--) {
                InboxReceiver receiver = inbox("m" + random.nextInt(1_000));
                boolean isConnected = !connected.remove(receiver);
                if (isConnected) {
                    connected.add(receiver);
                }
                if (random.nextBoolean()) {
                    group.setConnectedElsewhere(receiver, isConnected);
                    group.setConnected(receiver, isConnected);
                } else {
                    group.setConnected(receiver, isConnected);
                    group.setConnectedElsewhere(receiver, isConnected);
                }
            }
            SharedGroup other = group(SharedPick.HASH_BY_TOPIC, 0);
            connected.forEach(receiver -> {
                other.add(member(receiver));
                other.setConnected(receiver, true);
            });
            if (!connected.isEmpty()) {
                int from = random.nextInt(200);
                for (int key = from; key < from + 100; key++) {
                    assertThat(pick(group, PUBLISHER, "t" + key))
                            .as("key " + key + " in round " + round)
                            .isEqualTo(pick(other, PUBLISHER, "t" + key));
                }
            }
        }
    }

    /** A join gives no keys away; whoever uses a key next compares its member with those that have joined. */
    @Test
    void aMemberThatConnectsCostsAWriteAndEachKeyInUseOneComparison() {
        int members = 5_000;
        SharedGroup group = group(SharedPick.HASH_BY_TOPIC, 0);
        for (int i = 0; i < members; i++) {
            group.add(member(inbox("m" + i)));
            group.setConnectedElsewhere(inbox("m" + i), true);
        }
        int keys = 100;
        owners(group, keys);
        assertThat(group.looks()).isLessThanOrEqualTo((long) keys * members);
        long looks = group.looks();
        for (int i = 0; i < 1_000; i++) {
            group.setConnectedElsewhere(inbox("m" + i), false);
            group.setConnectedElsewhere(inbox("m" + i), true);
        }
        assertThat(group.looks()).as("nobody looks before a message comes").isEqualTo(looks);

        owners(group, keys); // many have joined: each key in use looks at all
        looks = group.looks();
        for (int i = 0; i < 100; i++) {
            group.add(member(inbox("n" + i)));
            group.setConnectedElsewhere(inbox("n" + i), true);
            owners(group, keys);
        }
        assertThat(group.looks() - looks).isEqualTo(100L * keys);
    }
}
