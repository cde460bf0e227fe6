package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class StoreReplicasTest {
    private static StoreReplicas of(String ranges) {
        return StoreReplicas.of(new JsonObject("{\"store\": \"inbox\", \"ranges\": [" + ranges + "]}"));
    }

    private static String range(String leader, String voters) {
        return "{\"id\": 1, \"leader\": \"" + leader + "\", \"voters\": [" + voters + "]}";
    }

    @Test
    void rangesAreCompleteWhenEachIsLedAndHasItsVoters() {
        StoreReplicas replicas = of(range("a", "\"a\", \"b\"") + "," + range("b", "\"a\", \"b\""));

        assertThat(replicas.areComplete(2)).isTrue();
        assertThat(replicas.areComplete(3)).isFalse();
        assertThat(replicas.describe()).isEqualTo("2 ranges of 2 voters, led by 2 nodes");
    }

    @Test
    void oneRangeThatLacksAVoterIsEnough() {
        StoreReplicas replicas = of(range("a", "\"a\", \"b\"") + "," + range("a", "\"a\""));

        assertThat(replicas.areComplete(2)).isFalse();
        assertThat(replicas.areComplete(1)).isFalse();
        assertThat(replicas.describe()).isEqualTo("2 ranges of 1 to 2 voters, led by 1 node");
    }

    @Test
    void aRangeWithoutLeaderIsNotComplete() {
        assertThat(of(range("", "\"a\"")).areComplete(1)).isFalse();
        assertThat(of(range("", "\"a\"")).describe()).endsWith("1 unled");
    }

    @Test
    void aStoreWithoutRangesIsNotComplete() {
        assertThat(of("").areComplete(0)).isFalse();
        assertThat(StoreReplicas.of(new JsonObject()).areComplete(0)).isFalse();
    }
}
