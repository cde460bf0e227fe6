package io.godwit.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeChoiceTest {
    private final NodeChoice nodes = new NodeChoice(3, 0);

    @Test
    void connectionsSideBySideGoToDifferentNodes() {
        assertThat(Set.of(nodes.next("a"), nodes.next("b"), nodes.next("c"))).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void publishersOneAfterTheOtherAreNeverWhereTheSubscriberIs() {
        int subscriber = nodes.next("subscriber");
        Set<Integer> publishers = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            int publisher = nodes.next("p" + i);
            publishers.add(publisher);
            nodes.closed(publisher);
        }
        assertThat(publishers).hasSize(2).doesNotContain(subscriber);
    }

    @Test
    void aClientGoesToAnotherNodeEachTime() {
        int before = nodes.next("client");
        nodes.closed(before);
        for (int i = 0; i < 10; i++) {
            int other = nodes.next("p" + i);
            int next = nodes.next("client");
            assertThat(next).isNotEqualTo(before);
            nodes.closed(other);
            nodes.closed(next);
            before = next;
        }
    }

    @Test
    void aTakeoverComesFromAnotherNode() {
        assertThat(nodes.next("client")).isNotEqualTo(nodes.next("client"));
    }

    @Test
    void namelessClientsMayStay() {
        NodeChoice two = new NodeChoice(2, 0);
        assertThat(two.next("client")).isZero();
        assertThat(two.next("")).isEqualTo(1);
        two.closed(1);
        assertThat(two.next("")).isEqualTo(1);
    }

    @Test
    void theOnlyNodeTakesAll() {
        NodeChoice one = new NodeChoice(1, 0);
        assertThat(one.next("client")).isZero();
        assertThat(one.next("client")).isZero();
    }
}
