package io.godwit.kv.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EarlyElectionTest {
    private static final List<String> VOTERS = List.of("a", "b", "c", "d", "e");

    @Test
    void everySurvivorFindsTheSameOrder() {
        List<String> order = EarlyElection.candidates("inbox-1", VOTERS, "c");
        assertThat(order).containsExactlyInAnyOrder("a", "b", "d", "e");
        assertThat(EarlyElection.candidates("inbox-1", List.of("e", "d", "c", "b", "a"), "c"))
                .isEqualTo(order);
    }

    /** The groups of a dead node go to different nodes. */
    @Test
    void groupsAreSpreadOverTheSurvivors() {
        Map<String, Integer> firsts = new HashMap<>();
        for (int i = 0; i < 400; i++) {
            firsts.merge(EarlyElection.candidates("inbox-" + i, VOTERS, "c").get(0), 1, Integer::sum);
        }
        assertThat(firsts).hasSize(4);
        assertThat(firsts.values()).allMatch(count -> count > 50);
    }
}
