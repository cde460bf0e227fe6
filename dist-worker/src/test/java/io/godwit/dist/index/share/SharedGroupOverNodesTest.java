package io.godwit.dist.index.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.client.ClientId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A group that has members on other nodes, and picks for messages that come from there. */
class SharedGroupOverNodesTest extends SharedGroupFixture {
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
    @EnumSource(names = {"RANDOM", "ROUND_ROBIN"})
    void aStoredMemberThatIsConnectedToAnotherNodeIsChosenLikeOneOfThisNode(SharedPick pick) {
        SharedGroup group = group(pick, 1);
        group.add(member(new Elsewhere(new ClientId("n"), 1)));
        for (String name : List.of("here", "there", "away")) {
            group.add(member(inbox(name)));
        }
        group.setConnected(inbox("here"), true);
        group.setConnectedElsewhere(inbox("there"), true);
        assertThat(counts(group, 4_000))
                .hasSize(4)
                .doesNotContainKey(inbox("away"))
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(800, 1_200));

        group.setConnectedElsewhere(inbox("there"), false);
        assertThat(counts(group, 300)).hasSize(3).doesNotContainKey(inbox("there"));
    }

    @Test
    void localFirstPrefersMembersOfThisNodeToStoredOnesThatAreConnectedToAnother() {
        SharedGroup group = group(SharedPick.LOCAL_FIRST, 0);
        for (String name : List.of("here", "there", "away")) {
            group.add(member(inbox(name)));
        }
        group.setConnectedElsewhere(inbox("there"), true);
        assertThat(only(counts(group, 100))).isEqualTo(inbox("there"));
        group.add(member(new Elsewhere(new ClientId("n"), 1)));
        assertThat(counts(group, 100)).hasSize(2).containsKey(inbox("there"));
        group.setConnected(inbox("here"), true);
        assertThat(only(counts(group, 100))).isEqualTo(inbox("here"));
        group.add(member(new TestReceiver("live")));
        assertThat(only(counts(group, 100))).isEqualTo(new TestReceiver("live"));
    }

    /** The reports of the two nodes may come in any order, and that of the earlier node long after the move. */
    @Test
    void aClientThatMovesHereIsConnectedWhateverItsEarlierNodeReports() {
        SharedGroup group = group(SharedPick.RANDOM, 0);
        group.add(member(inbox("moves")));
        group.add(member(inbox("away")));
        group.setConnectedElsewhere(inbox("moves"), true);
        group.setConnected(inbox("moves"), true);
        assertThat(only(counts(group, 100))).isEqualTo(inbox("moves"));
        group.refused(memberOf(group, inbox("moves")));
        group.setConnectedElsewhere(inbox("moves"), false);
        assertThat(only(counts(group, 100))).as("it is still full").isEqualTo(inbox("away"));
        nowNanos += SharedGroup.REFUSAL_NANOS;
        assertThat(only(counts(group, 100))).isEqualTo(inbox("moves"));

        group.setConnectedElsewhere(inbox("moves"), true);
        group.setConnected(inbox("moves"), false);
        assertThat(only(counts(group, 100))).isEqualTo(inbox("moves"));
        group.setConnectedElsewhere(inbox("moves"), false);
        assertThat(counts(group, 100)).hasSize(2);
    }

    /** Else a client that goes from node to node would take more and more keys from the others. */
    @Test
    void aMemberThatStaysConnectedKeepsItsKeysAndTakesNoOthers() {
        SharedGroup group = group(SharedPick.HASH_BY_TOPIC, 3);
        group.add(member(inbox("moves")));
        group.setConnected(inbox("moves"), true);
        Map<String, Receiver> before = owners(group, 2_000);
        for (int i = 0; i < 10; i++) {
            group.setConnectedElsewhere(inbox("moves"), true);
            group.setConnected(inbox("moves"), false);
            group.setConnected(inbox("moves"), true);
            group.setConnectedElsewhere(inbox("moves"), false);
        }
        assertThat(owners(group, 2_000)).isEqualTo(before);
        group.setConnected(inbox("moves"), false);
        assertThat(owners(group, 2_000)).doesNotContainValue(inbox("moves"));
        group.setConnectedElsewhere(inbox("moves"), true);
        assertThat(owners(group, 2_000)).containsValue(inbox("moves"));
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfAnotherNodeGoesToASessionOfThisOneFullOrNot(SharedPick pick) {
        SharedGroup group = group(pick, 0);
        group.add(member(new Elsewhere(new ClientId("n"), 5)));
        group.add(member(inbox("stored")));
        assertThat(group.pickHere(PUBLISHER, "a", null)).isNull();

        group.add(member(new TestReceiver("full")));
        group.add(member(new TestReceiver("other")));
        group.refused(memberOf(group, inbox("stored")));
        group.refused(memberOf(group, new TestReceiver("full")));
        assertThat(here(group)).isEqualTo(new TestReceiver("other"));
        group.remove(new TestReceiver("other"));
        assertThat(here(group)).isEqualTo(new TestReceiver("full"));
        group.remove(new TestReceiver("full"));
        assertThat(group.pickHere(PUBLISHER, "a", null)).isNull();
    }

    private static Receiver here(SharedGroup group) {
        Set<Receiver> picked = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            SharedMember member = group.pickHere(PUBLISHER, "a", null);
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
}
