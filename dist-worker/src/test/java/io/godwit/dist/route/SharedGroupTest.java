package io.godwit.dist.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SharedGroupTest {
    private static final ClientId PUBLISHER = new ClientId("p");

    private long nowNanos;

    @Test
    void roundRobinGivesEachItsTurn() {
        SharedGroup group = group(SharedPick.ROUND_ROBIN, 7);

        assertThat(counts(group, 7 * 100))
                .hasSize(7)
                .allSatisfy((receiver, count) -> assertThat(count).isEqualTo(100));
    }

    @Test
    void randomReachesEachAboutAsOften() {
        SharedGroup group = group(SharedPick.RANDOM, 5);

        assertThat(counts(group, 50_000))
                .hasSize(5)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(9_000, 11_000));
    }

    /** Represents members on another node. */
    private record Elsewhere(ClientId clientId, int membersElsewhere) implements LiveReceiver {}

    @ParameterizedTest
    @EnumSource(names = {"RANDOM", "ROUND_ROBIN"})
    void anotherNodeIsChosenAsOftenAsItHasMembers(SharedPick pick) {
        SharedGroup group = group(pick, 2);
        Receiver other = new Elsewhere(new ClientId("n"), 8);
        group.add(member(other));
        group.add(member(new Elsewhere(new ClientId("o"), 1)));
        assertThat(counts(group, 11_000).get(other)).isBetween(7_500, 8_500);

        group.remove(other);
        assertThat(counts(group, 1_000)).hasSize(3);
    }

    /** As {@link Elsewhere}; the same one however many members there are. */
    private record Told(ClientId clientId, int membersElsewhere) implements LiveReceiver {
        @Override
        public boolean equals(Object other) {
            return other instanceof Told told && told.clientId.equals(clientId);
        }

        @Override
        public int hashCode() {
            return clientId.hashCode();
        }
    }

    @Test
    void membersOfOtherNodesCountAsManyAsTheyAre() {
        SharedGroup group = group(SharedPick.RANDOM, 2);
        group.add(member(inbox("stored")));
        Told eight = new Told(new ClientId("n"), 8);
        assertThat(group.add(member(eight))).isTrue();
        assertThat(group.size()).isEqualTo(4);
        assertThat(group.memberCount()).isEqualTo(11);

        assertThat(group.add(member(new Told(new ClientId("n"), 3)))).isFalse();
        assertThat(group.memberCount()).isEqualTo(6);
        group.refused(Objects.requireNonNull(group.memberOf(eight)));
        assertThat(group.memberCount()).as("a full member is still a member").isEqualTo(6);

        group.remove(new Told(new ClientId("n"), 1));
        group.remove(inbox("stored"));
        assertThat(group.memberCount()).isEqualTo(2);
        assertThat(group.remove(eight)).isFalse();
        assertThat(group.memberCount()).isEqualTo(2);
    }

    @Test
    void localFirstGoesToAnotherNodeWhenNobodyIsConnectedHere() {
        SharedGroup group = group(SharedPick.LOCAL_FIRST, 1);
        group.add(member(inbox("stored")));
        group.add(member(new Elsewhere(new ClientId("n"), 5)));
        assertThat(only(counts(group, 100))).isEqualTo(new TestReceiver("m0"));

        group.remove(new TestReceiver("m0"));
        assertThat(only(counts(group, 100))).isInstanceOf(Elsewhere.class);
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfAnotherNodeGoesToASessionOfThisOneFullOrNot(SharedPick pick) {
        SharedGroup group = group(pick, 0);
        group.add(member(new Elsewhere(new ClientId("n"), 5)));
        group.add(member(inbox("stored")));
        assertThat(group.pickHere(PUBLISHER, "a")).isNull();

        group.add(member(new TestReceiver("full")));
        group.add(member(new TestReceiver("other")));
        group.refused(memberOf(group, inbox("stored")));
        group.refused(memberOf(group, new TestReceiver("full")));
        assertThat(here(group)).isEqualTo(new TestReceiver("other"));
        group.remove(new TestReceiver("other"));
        assertThat(here(group)).isEqualTo(new TestReceiver("full"));
        group.remove(new TestReceiver("full"));
        assertThat(group.pickHere(PUBLISHER, "a")).isNull();
    }

    private static Receiver here(SharedGroup group) {
        Set<Receiver> picked = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            SharedMember member = group.pickHere(PUBLISHER, "a");
            assertThat(member).isNotNull();
            picked.add(member.match().receiver());
        }
        assertThat(picked).hasSize(1);
        return picked.iterator().next();
    }

    @Test
    void anOrderedGroupKeepsWhatOtherNodesSendAtOneSessionAndGivesAKeyAwayOnlyOnce() {
        SharedGroup group = ordered();
        Receiver other = new Elsewhere(new ClientId("n"), 5);
        group.add(member(other));
        Receiver owner = pick(group, PUBLISHER, "a");
        for (int i = 0; i < 5; i++) {
            group.add(member(new TestReceiver("m" + i)));
        }
        Receiver first = here(group);
        group.add(member(new TestReceiver("late")));
        assertThat(here(group)).isEqualTo(first);

        assertThat(owner).isEqualTo(other);
        SharedMember without = memberOf(group, other);
        group.refused(without);
        SharedMember next = group.pickOther(PUBLISHER, "a", null, without);
        assertThat(next).isNotNull().isNotEqualTo(without);
        for (int i = 0; i < 20; i++) {
            assertThat(group.pickOther(PUBLISHER, "a", null, without)).isEqualTo(next);
        }
        assertThat(pick(group, PUBLISHER, "a")).isEqualTo(next.match().receiver());
    }

    @Test
    void stickyStaysWithOneUntilItLeavesOrIsFull() {
        SharedGroup group = group(SharedPick.STICKY, 5);
        Receiver first = only(counts(group, 100));
        group.add(member(new TestReceiver("late")));
        assertThat(only(counts(group, 100))).isEqualTo(first);

        group.remove(first);
        Receiver second = only(counts(group, 100));
        assertThat(second).isNotEqualTo(first);
        group.add(member(first));
        assertThat(only(counts(group, 100))).isEqualTo(second);

        group.refused(memberOf(group, second));
        Receiver third = only(counts(group, 100));
        nowNanos += SharedGroup.REFUSAL_NANOS;
        assertThat(third).isNotEqualTo(second);
        assertThat(only(counts(group, 100))).isEqualTo(third);
    }

    @Test
    void hashByClientKeepsAPublisherAndHashByTopicATopicTogether() {
        SharedGroup byClient = group(SharedPick.HASH_BY_CLIENT, 5);
        SharedGroup byTopic = group(SharedPick.HASH_BY_TOPIC, 5);
        Set<Receiver> clients = new HashSet<>();
        Set<Receiver> topics = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            ClientId publisher = new ClientId("p" + i);
            Set<Receiver> ofClient = new HashSet<>();
            Set<Receiver> ofTopic = new HashSet<>();
            for (int j = 0; j < 20; j++) {
                ofClient.add(pick(byClient, publisher, "t" + j));
                ofTopic.add(pick(byTopic, new ClientId("p" + j), "t" + i));
            }
            assertThat(ofClient).hasSize(1);
            assertThat(ofTopic).hasSize(1);
            clients.addAll(ofClient);
            topics.addAll(ofTopic);
        }
        assertThat(clients).hasSize(5);
        assertThat(topics).hasSize(5);
    }

    @Test
    void whoJoinsAHashedGroupTakesItsShareAndOnlyWhatALeavingMemberHadMoves() {
        SharedGroup group = group(SharedPick.HASH_BY_TOPIC, 4);
        Map<String, Receiver> before = owners(group, 4_000);
        assertEven(before, 4, 700, 1_300);

        Receiver joined = new TestReceiver("joined");
        group.add(member(joined));
        Map<String, Receiver> after = owners(group, 4_000);
        assertEven(after, 5, 450, 1_150);
        assertThat(after).allSatisfy((topic, owner) -> assertThat(owner).isIn(before.get(topic), joined));

        group.remove(new TestReceiver("m1"));
        assertThat(owners(group, 4_000)).allSatisfy((topic, owner) -> {
            if (after.get(topic).equals(new TestReceiver("m1"))) {
                assertThat(owner).isNotEqualTo(new TestReceiver("m1"));
            } else {
                assertThat(owner).isEqualTo(after.get(topic));
            }
        });
    }

    @Test
    void whoJoinsAnOrderedGroupGetsNewKeysOnly() {
        SharedGroup group = ordered();
        group.add(member(new TestReceiver("m0")));
        group.add(member(new TestReceiver("m1")));
        Map<String, Receiver> before = owners(group, 1_000);

        Receiver joined = new TestReceiver("joined");
        group.add(member(joined));

        Map<String, Receiver> after = owners(group, 2_000);
        before.forEach((topic, owner) -> assertThat(after.get(topic)).isEqualTo(owner));
        assertThat(after.values().stream().filter(joined::equals).count()).isGreaterThan(400);
    }

    /** An offline or full member keeps its keys, because its session lives. */
    @Test
    void anOrderedGroupWaitsForAMemberThatIsAway() {
        SharedGroup group = ordered();
        InboxReceiver away = inbox("away");
        group.add(member(away));
        group.setConnected(away, true);
        assertThat(pick(group, PUBLISHER, "t")).isEqualTo(away);
        group.add(member(new TestReceiver("live")));

        group.setConnected(away, false);
        assertThat(pick(group, PUBLISHER, "t")).isEqualTo(away);
        group.refused(memberOf(group, away));
        assertThat(pick(group, PUBLISHER, "t")).isEqualTo(away);
        assertThat(group.mayTryAnother()).isFalse();

        group.remove(away);
        assertThat(pick(group, PUBLISHER, "t")).isEqualTo(new TestReceiver("live"));
    }

    @Test
    void localFirstPrefersASessionInMemory() {
        SharedGroup group =
                new SharedGroup(filter("$share/g/a"), new SharedStrategies(SharedPick.LOCAL_FIRST), () -> nowNanos);
        InboxReceiver stored = inbox("stored");
        group.add(member(stored));
        group.setConnected(stored, true);
        assertThat(only(counts(group, 10))).isEqualTo(stored);
        group.add(member(new TestReceiver("live")));
        assertThat(only(counts(group, 10))).isEqualTo(new TestReceiver("live"));
    }

    /** Two listeners with their own strategies use one group: each message uses the strategy of its own listener. */
    @Test
    void aMessageIsGivenOutAsItsListenerAsks() {
        SharedGroup group = group(SharedPick.RANDOM, 5);
        Map<SharedPick, Map<String, Receiver>> before = new EnumMap<>(SharedPick.class);
        for (int round = 0; round < 2; round++) {
            assertThat(only(counts(group, SharedPick.STICKY, 100)))
                    .isEqualTo(only(counts(group, SharedPick.STICKY, 100)));
            assertThat(counts(group, SharedPick.ROUND_ROBIN, 500))
                    .hasSize(5)
                    .allSatisfy((receiver, count) -> assertThat(count).isEqualTo(100));
            for (SharedPick hash : List.of(SharedPick.HASH_BY_TOPIC, SharedPick.HASH_BY_CLIENT)) {
                Map<String, Receiver> owners = new HashMap<>();
                for (int i = 0; i < 200; i++) {
                    boolean isTopic = hash == SharedPick.HASH_BY_TOPIC;
                    ClientId publisher = new ClientId(isTopic ? "p" + round : "k" + i);
                    owners.put("k" + i, pick(group, publisher, isTopic ? "k" + i : "t" + round, hash));
                }
                assertThat(new HashSet<>(owners.values())).hasSize(5);
                Map<String, Receiver> first = before.putIfAbsent(hash, owners);
                assertThat(first == null || first.equals(owners))
                        .as("the keys keep their members")
                        .isTrue();
            }
        }
        assertThat(before.get(SharedPick.HASH_BY_TOPIC)).isNotEqualTo(before.get(SharedPick.HASH_BY_CLIENT));
        assertThat(counts(group, null, 500))
                .as("the default strategy of the group is random")
                .hasSize(5);

        Receiver joined = new TestReceiver("joined");
        group.add(member(joined));
        assertThat(before.keySet()).allSatisfy(hash -> {
            Set<Receiver> owners = new HashSet<>();
            for (int i = 0; i < 500; i++) {
                owners.add(pick(group, new ClientId("k" + i), "k" + i, hash));
            }
            assertThat(owners).contains(joined);
        });
    }

    @Test
    void aGroupsOwnStrategyGoesBeforeTheListeners() {
        SharedStrategies strategies = new SharedStrategies(SharedPick.RANDOM, Map.of("g", SharedPick.STICKY));
        SharedGroup group = new SharedGroup(filter("$share/g/a"), strategies, () -> nowNanos);
        SharedGroup other = new SharedGroup(filter("$share/other/a"), strategies, () -> nowNanos);
        for (int i = 0; i < 3; i++) {
            group.add(member(new TestReceiver("m" + i)));
            other.add(member(new TestReceiver("m" + i)));
        }

        assertThat(counts(group, SharedPick.ROUND_ROBIN, 30)).hasSize(1);
        assertThat(counts(other, SharedPick.ROUND_ROBIN, 30)).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(SharedPick.class)
    void anOrderedGroupStaysOrderedWhateverAListenerAsks(SharedPick asked) {
        SharedGroup group = ordered();
        for (int i = 0; i < 3; i++) {
            group.add(member(new TestReceiver("m" + i)));
        }
        for (int i = 0; i < 20; i++) {
            Receiver owner = pick(group, PUBLISHER, "t" + i);
            for (int j = 0; j < 5; j++) {
                assertThat(pick(group, PUBLISHER, "t" + i, asked)).isEqualTo(owner);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SharedPick.class)
    void anEmptyGroupPicksNobody(SharedPick strategy) {
        SharedGroup group = group(strategy, 1);
        group.remove(new TestReceiver("m0"));

        assertThat(group.pick(PUBLISHER, "a", null)).isNull();
        assertThat(group.isEmpty()).isTrue();
    }

    @Test
    void aReplacedSubscriptionKeepsItsPlace() {
        SharedGroup group =
                new SharedGroup(filter("$share/g/a"), new SharedStrategies(SharedPick.RANDOM), () -> nowNanos);
        InboxReceiver stored = inbox("stored");
        group.add(member(stored));
        group.add(member(inbox("absent")));
        group.setConnected(stored, true);
        assertThat(group.add(new Match(stored, Qos.EXACTLY_ONCE, true, new int[] {7})))
                .isFalse();

        assertThat(only(counts(group, 20))).isEqualTo(stored);
        assertThat(memberOf(group, stored).match().qos()).isEqualTo(Qos.EXACTLY_ONCE);
    }

    /**
     * Each of 10,000 members costs a few slot writes to join, connect, disconnect and leave, however many others there
     * are.
     */
    @ParameterizedTest
    @EnumSource(SharedPick.class)
    void theCostOfAChangeDoesNotGrowWithTheGroup(SharedPick strategy) {
        int members = 10_000;
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(strategy), () -> nowNanos);
        for (int i = 0; i < members; i++) {
            group.add(member(inbox("m" + i)));
            group.setConnected(inbox("m" + i), true);
            assertThat(group.pick(PUBLISHER, "t" + i, null)).isNotNull();
        }
        for (int i = 0; i < members; i++) {
            group.setConnected(inbox("m" + i), false);
            group.remove(inbox("m" + i));
        }
        assertThat(group.isEmpty()).isTrue();
        // each change writes at most three slots, and copies to larger or smaller arrays add up to less than five more
        assertThat(group.writes()).isLessThan(4L * members * 8);
    }

    enum Change {
        JOIN,
        LEAVE,
        CONNECT,
        DISCONNECT,
        REFUSE,
        WAIT
    }

    record Step(Change change, int member) {}

    /** The group's state in its simplest form: tier by receiver. */
    private static final class Model {
        final Map<Receiver, Boolean> connected = new LinkedHashMap<>();
        final Map<Receiver, Long> refusesUntil = new HashMap<>();

        Set<Receiver> best(boolean localFirst, long now) {
            List<Set<Receiver>> tiers = List.of(new HashSet<>(), new HashSet<>(), new HashSet<>(), new HashSet<>());
            connected.forEach((receiver, isConnected) -> {
                boolean refuses = refusesUntil.getOrDefault(receiver, Long.MIN_VALUE) > now;
                boolean isLive = receiver instanceof TestReceiver;
                int tier = refuses ? 3 : isLive ? 0 : isConnected ? localFirst ? 1 : 0 : 2;
                tiers.get(tier).add(receiver);
            });
            return tiers.stream().filter(tier -> !tier.isEmpty()).findFirst().orElse(Set.of());
        }
    }

    @Property(tries = 300)
    void choosesTheBestOfWhoJoinedAndDidNotLeave(@ForAll("steps") List<Step> steps, @ForAll SharedPick strategy) {
        nowNanos = 0;
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(strategy), () -> nowNanos);
        Model model = new Model();
        for (Step step : steps) {
            Receiver receiver = step.member % 2 == 0 ? new TestReceiver("m" + step.member) : inbox("m" + step.member);
            boolean isMember = model.connected.containsKey(receiver);
            switch (step.change) {
                case JOIN -> {
                    assertThat(group.add(member(receiver))).isEqualTo(!isMember);
                    model.connected.putIfAbsent(receiver, false);
                }
                case LEAVE -> {
                    assertThat(group.remove(receiver)).isEqualTo(isMember);
                    model.connected.remove(receiver);
                    model.refusesUntil.remove(receiver);
                }
                case CONNECT, DISCONNECT -> {
                    group.setConnected(receiver, step.change == Change.CONNECT);
                    if (isMember && receiver instanceof InboxReceiver) {
                        model.connected.put(receiver, step.change == Change.CONNECT);
                        model.refusesUntil.remove(receiver);
                    }
                }
                case REFUSE -> {
                    if (isMember) {
                        group.refused(memberOf(group, receiver));
                        // refusals here start at different times or have the same length, so they end in the order they
                        // began
                        model.refusesUntil.merge(
                                receiver,
                                nowNanos + SharedGroup.REFUSAL_NANOS,
                                (before, until) -> before > nowNanos ? before : until);
                    }
                }
                case WAIT -> nowNanos += SharedGroup.REFUSAL_NANOS / 2;
            }
            assertHolds(group, model, strategy);
        }
    }

    private void assertHolds(SharedGroup group, Model model, SharedPick strategy) {
        Set<Receiver> all = new HashSet<>();
        group.forEach(match -> assertThat(all.add(match.receiver())).isTrue());
        assertThat(all).isEqualTo(model.connected.keySet());
        assertThat(group.size()).isEqualTo(all.size());
        Set<Receiver> best = model.best(strategy == SharedPick.LOCAL_FIRST, nowNanos);
        for (int i = 0; i < 3; i++) {
            SharedMember picked = group.pick(new ClientId("p" + i), "t" + i, null);
            if (best.isEmpty()) {
                assertThat(picked).isNull();
            } else {
                assertThat(picked.match().receiver()).isIn(best);
                assertThat(picked.isRefusing())
                        .isEqualTo(
                                model.refusesUntil.getOrDefault(picked.match().receiver(), Long.MIN_VALUE) > nowNanos);
            }
        }
        if (strategy == SharedPick.ROUND_ROBIN) {
            assertThat(counts(group, best.size()).keySet()).isEqualTo(best);
        }
    }

    /**
     * One publisher and topic stay with one member as long as it is in the group, even if others come, go and connect.
     */
    @Property(tries = 200)
    void orderedKeysStayWithTheirMember(@ForAll("steps") List<Step> steps) {
        SharedGroup group = ordered();
        Map<String, Receiver> owners = new HashMap<>();
        Set<Receiver> members = new HashSet<>();
        for (Step step : steps) {
            Receiver receiver = step.member % 2 == 0 ? new TestReceiver("m" + step.member) : inbox("m" + step.member);
            switch (step.change) {
                case JOIN -> {
                    group.add(member(receiver));
                    members.add(receiver);
                }
                case LEAVE -> {
                    group.remove(receiver);
                    members.remove(receiver);
                }
                case CONNECT, DISCONNECT -> group.setConnected(receiver, step.change == Change.CONNECT);
                case REFUSE, WAIT -> {}
            }
            owners.values().removeIf(owner -> !members.contains(owner));
            for (int key = 0; key < 10 && !members.isEmpty(); key++) {
                Receiver picked = pick(group, new ClientId("p" + key % 3), "t" + key);
                assertThat(owners.computeIfAbsent("t" + key, topic -> picked)).isEqualTo(picked);
            }
        }
    }

    /** A publish finds a member however many come, go and change tiers at that moment. */
    @ParameterizedTest
    @EnumSource(SharedPick.class)
    void aPickBesideChangesFindsAMember(SharedPick strategy) throws InterruptedException {
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(strategy), System::nanoTime);
        InboxReceiver constant = inbox("constant");
        group.add(member(constant));
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger missed = new AtomicInteger();
        Thread picker = new Thread(() -> {
            while (!done.get()) {
                if (group.pick(PUBLISHER, "a", null) == null) {
                    missed.incrementAndGet();
                }
            }
        });
        picker.start();
        for (int i = 0; i < 3_000; i++) {
            group.setConnected(constant, i % 2 == 0);
            Receiver other = new TestReceiver("m" + i % 10);
            if (!group.remove(other)) {
                group.add(member(other));
            }
            if (i % 7 == 0) {
                group.refused(memberOf(group, constant));
            }
        }
        done.set(true);
        picker.join();
        assertThat(missed.get()).isZero();
    }

    @Provide
    static Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(
                                Change.JOIN,
                                Change.JOIN,
                                Change.LEAVE,
                                Change.CONNECT,
                                Change.DISCONNECT,
                                Change.REFUSE,
                                Change.WAIT),
                        Arbitraries.integers().between(0, 15))
                .as(Step::new)
                .list()
                .ofMaxSize(100);
    }

    private SharedGroup ordered() {
        return new SharedGroup(filter("$oshare/g/a"), new SharedStrategies(SharedPick.RANDOM), () -> nowNanos);
    }

    private SharedGroup group(SharedPick pick, int members) {
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(pick), () -> nowNanos);
        for (int i = 0; i < members; i++) {
            group.add(member(new TestReceiver("m" + i)));
        }
        return group;
    }

    private static Map<Receiver, Integer> counts(SharedGroup group, int picks) {
        return counts(group, null, picks);
    }

    private static Map<Receiver, Integer> counts(SharedGroup group, @Nullable SharedPick asked, int picks) {
        Map<Receiver, Integer> counts = new HashMap<>();
        for (int i = 0; i < picks; i++) {
            counts.merge(pick(group, PUBLISHER, "a", asked), 1, Integer::sum);
        }
        return counts;
    }

    private static Map<String, Receiver> owners(SharedGroup group, int topics) {
        Map<String, Receiver> owners = new LinkedHashMap<>();
        for (int i = 0; i < topics; i++) {
            owners.put("t" + i, pick(group, PUBLISHER, "t" + i));
        }
        return owners;
    }

    private static void assertEven(Map<String, Receiver> owners, int members, int least, int most) {
        Map<Receiver, Integer> counts = new HashMap<>();
        new ArrayList<>(owners.values()).forEach(owner -> counts.merge(owner, 1, Integer::sum));
        assertThat(counts)
                .hasSize(members)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(least, most));
    }

    private static Receiver only(Map<Receiver, Integer> counts) {
        assertThat(counts).hasSize(1);
        return counts.keySet().iterator().next();
    }

    private static Receiver pick(SharedGroup group, ClientId publisher, String topic) {
        return pick(group, publisher, topic, null);
    }

    private static Receiver pick(SharedGroup group, ClientId publisher, String topic, @Nullable SharedPick asked) {
        SharedMember picked = group.pick(publisher, topic, asked);
        assertThat(picked).isNotNull();
        return picked.match().receiver();
    }

    private static SharedMember memberOf(SharedGroup group, Receiver receiver) {
        SharedMember member = group.memberOf(receiver);
        assertThat(member).isNotNull();
        return member;
    }

    private static Match member(Receiver receiver) {
        return new Match(receiver, Qos.AT_LEAST_ONCE, false, Match.NO_IDS);
    }

    private static InboxReceiver inbox(String name) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(name), 1);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
