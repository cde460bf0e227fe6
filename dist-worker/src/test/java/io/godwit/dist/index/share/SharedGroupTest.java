package io.godwit.dist.index.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which member each strategy picks, and what a change of the members moves. */
class SharedGroupTest extends SharedGroupFixture {
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

    private static void assertEven(Map<String, Receiver> owners, int members, int least, int most) {
        Map<Receiver, Integer> counts = new HashMap<>();
        new ArrayList<>(owners.values()).forEach(owner -> counts.merge(owner, 1, Integer::sum));
        assertThat(counts)
                .hasSize(members)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(least, most));
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
     * Each of 10,000 members costs a few slot writes to join, connect, move to another node, disconnect and leave,
     * however many others there are.
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
            group.setConnectedElsewhere(inbox("m" + i), true);
            group.setConnected(inbox("m" + i), false);
            group.setConnectedElsewhere(inbox("m" + i), false);
            group.remove(inbox("m" + i));
        }
        assertThat(group.isEmpty()).isTrue();
        // each change writes at most three slots, and copies to larger or smaller arrays add up to less than five more
        assertThat(group.writes()).isLessThan(5L * members * 8);
    }
}
