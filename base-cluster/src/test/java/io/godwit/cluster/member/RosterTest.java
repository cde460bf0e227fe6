package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.MemberMessage.Announcement;
import io.godwit.cluster.member.Roster.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class RosterTest {
    private final Roster<String> roster = new Roster<>("a", "node-a");

    /** Announcements come after the view. A node that has not announced that it joined is not a member. */
    @Example
    void aLivingNodeThatHasJoinedIsAMember() {
        assertThat(roster.viewed(List.of("a", "b"))).isEmpty();
        assertThat(roster.unknown()).containsExactly("a", "b");
        assertThat(roster.mayJoin()).isFalse();

        assertThat(roster.announced("b", announcement(1, false, "node-b", 1))).isEmpty();
        assertThat(roster.mayJoin()).isTrue();
        assertThat(roster.announced("a", announcement(1, true, "node-a", 1))).containsExactly(joined("node-a", 1));
        assertThat(roster.announced("b", announcement(2, true, "node-b", 1))).containsExactly(joined("node-b", 1));

        assertThat(roster.members()).containsExactly(member("node-a", 1), member("node-b", 1));
    }

    @Example
    void aNodeThatSaidGoodbyeHasLeftAndAnyOtherHasCrashed() {
        join("a", "b", "c");

        roster.leaving("b");
        assertThat(roster.viewed(List.of("a")))
                .containsExactlyInAnyOrder(gone("node-b", 1, Departure.LEFT), gone("node-c", 1, Departure.CRASHED));
        assertThat(roster.members()).containsExactly(member("node-a", 1));
    }

    /** After a partition it may come back under the same key; its earlier goodbye no longer counts. */
    @Example
    void aNodeThatComesBackJoinsAgain() {
        join("a", "b");
        roster.leaving("b");
        roster.viewed(List.of("a"));

        roster.viewed(List.of("a", "b"));
        assertThat(roster.unknown()).containsExactly("b");
        assertThat(roster.announced("b", announcement(1, true, "node-b", 1))).containsExactly(joined("node-b", 1));
        assertThat(roster.viewed(List.of("a"))).containsExactly(gone("node-b", 1, Departure.CRASHED));
    }

    @Example
    void restartedProcessIsKeptOutWhileTheOldOneCounts() {
        roster.viewed(List.of("old", "a"));
        roster.announced("a", announcement(1, false, "node-a", 2));
        roster.announced("old", announcement(1, true, "node-a", 1));
        assertThat(roster.rival()).isEqualTo(member("node-a", 1));
        assertThat(roster.mayJoin()).isFalse();

        assertThat(roster.viewed(List.of("a"))).containsExactly(gone("node-a", 1, Departure.CRASHED));
        assertThat(roster.mayJoin()).isTrue();
    }

    /** A partition has made the old process look dead. */
    @Example
    void laterLifeOfANodeWinsAndTheEarlierIsTold() {
        join("a");
        roster.viewed(List.of("a", "new"));
        assertThat(roster.announced("new", announcement(1, true, "node-a", 2)))
                .containsExactly(
                        gone("node-a", 1, Departure.CRASHED),
                        joined("node-a", 2),
                        new Change.Superseded(member("node-a", 2)));
        assertThat(roster.members()).containsExactly(member("node-a", 2));
    }

    @Example
    void amongEqualsTheOldestInTheViewWins() {
        roster.viewed(List.of("b1", "b2", "a"));
        roster.announced("b2", announcement(1, true, "node-b", 1));
        assertThat(roster.announced("b1", announcement(1, true, "node-b", 1)))
                .containsExactly(gone("node-b", 1, Departure.CRASHED), joined("node-b", 1));
        assertThat(roster.announced("b2", announcement(2, true, "node-b", 1))).isEmpty();
    }

    @Example
    void olderRevisionChangesNothing() {
        join("a", "b");
        Member changed = member("node-b", 1).withAttributes(Map.of("zone", "z2"));
        assertThat(roster.announced("b", new Announcement(7, true, false, changed)))
                .containsExactly(new Change.Updated(changed));
        assertThat(roster.announced("b", announcement(6, true, "node-b", 1))).isEmpty();
        assertThat(roster.members()).contains(changed);
    }

    /**
     * Replaying the changes gives the members. A member is never reported as joined twice, or as gone without having
     * joined.
     */
    @Property(tries = 300)
    void changesAddUpToTheMembers(@ForAll long seed) {
        Random random = new Random(seed);
        Roster<String> roster = new Roster<>("a", "node-a");
        List<String> keys = List.of("a", "b", "c", "d", "e");
        Map<String, Member> replayed = new HashMap<>();
        long revision = 0;
        for (int step = 0; step < 40; step++) {
            List<Change> changes = new ArrayList<>();
            switch (random.nextInt(4)) {
                case 0 -> {
                    List<String> view = new ArrayList<>(keys.subList(1, keys.size()));
                    view.removeIf(key -> random.nextBoolean());
                    view.add(random.nextInt(view.size() + 1), "a");
                    changes.addAll(roster.viewed(view));
                }
                case 1 -> roster.leaving(keys.get(1 + random.nextInt(4)));
                default -> {
                    String node = "node-" + "ab".charAt(random.nextInt(2)); // several keys share an id
                    changes.addAll(roster.announced(
                            keys.get(random.nextInt(5)),
                            announcement(++revision, random.nextInt(4) > 0, node, random.nextInt(3))));
                }
            }
            for (Change change : changes) {
                if (change instanceof Change.Joined joined) {
                    assertThat(replayed.put(joined.member().nodeId(), joined.member()))
                            .isNull();
                } else if (change instanceof Change.Gone gone) {
                    assertThat(replayed.remove(gone.member().nodeId())).isEqualTo(gone.member());
                } else if (change instanceof Change.Updated updated) {
                    assertThat(replayed.put(updated.member().nodeId(), updated.member()))
                            .isNotNull();
                }
            }
            assertThat(roster.members()).containsExactlyInAnyOrderElementsOf(replayed.values());
        }
    }

    private void join(String... keys) {
        roster.viewed(List.of(keys));
        for (String key : keys) {
            roster.announced(key, announcement(1, true, "node-" + key, 1));
        }
    }

    private static Announcement announcement(long revision, boolean joined, String nodeId, long incarnation) {
        return new Announcement(revision, joined, false, member(nodeId, incarnation));
    }

    private static Member member(String nodeId, long incarnation) {
        return new Member(nodeId, incarnation, new HostPort("10.0.0.1", 8_900), "1.0", "test", Map.of("zone", "z1"));
    }

    private static Change joined(String nodeId, long incarnation) {
        return new Change.Joined(member(nodeId, incarnation));
    }

    private static Change gone(String nodeId, long incarnation, Departure departure) {
        return new Change.Gone(member(nodeId, incarnation), departure);
    }
}
