package io.godwit.kv.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.facts.ClusterFacts.Voters;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ClusterFactsTest {
    private static ClusterFacts random(Random random) {
        ClusterFacts facts = ClusterFacts.NONE;
        for (int step = random.nextInt(6); step > 0; step--) {
            facts = random.nextInt(3) == 0
                    ? facts.forgetting("node-" + random.nextInt(4))
                    : facts.wanting(random.nextBoolean() ? "inbox" : "dist", 1 + random.nextInt(7));
        }
        return facts;
    }

    /** So that all nodes come to the same, in whatever order and however often they hear of each other. */
    @Test
    void whateverTheOrderAllEndWithTheSame() {
        for (long seed = 1; seed <= 2_000; seed++) {
            Random random = new Random(seed);
            ClusterFacts a = random(random);
            ClusterFacts b = random(random);
            ClusterFacts c = random(random);
            assertThat(a.merged(b)).as("seed %d", seed).isEqualTo(b.merged(a));
            assertThat(a.merged(b).merged(c)).as("seed %d", seed).isEqualTo(a.merged(b.merged(c)));
            assertThat(a.merged(a)).as("seed %d", seed).isEqualTo(a);
            assertThat(a.merged(b).merged(b)).as("seed %d", seed).isEqualTo(a.merged(b));
        }
    }

    @Test
    void theLaterWordCountsAndOfTwoAlikeTheOneWithMoreVoters() {
        ClusterFacts founded = ClusterFacts.NONE.wanting("inbox", 3);
        ClusterFacts lowered = founded.wanting("inbox", 1);
        assertThat(founded.merged(lowered).wantedOf("inbox")).contains(new Voters(2, 1, 3));
        ClusterFacts raised = founded.wanting("inbox", 5);
        assertThat(lowered.merged(raised).wantedOf("inbox")).contains(new Voters(2, 5, 5));
        assertThat(founded.wantedOf("dist")).isEmpty();
    }

    @Test
    void whoIsForgottenStaysForgotten() {
        ClusterFacts facts = ClusterFacts.NONE.forgetting("a");
        assertThat(facts.merged(ClusterFacts.NONE).isForgotten("a")).isTrue();
        assertThat(ClusterFacts.NONE.merged(facts).isForgotten("a")).isTrue();
        assertThat(facts.isForgotten("b")).isFalse();
    }

    @Test
    void whatIsWrittenIsReadAndNoPartOfIt() throws Exception {
        ClusterFacts facts = ClusterFacts.NONE
                .wanting("inbox", 3)
                .wanting("dist", 5)
                .wanting("dist", 3)
                .forgetting("a");
        byte[] encoded = facts.encode();
        assertThat(ClusterFacts.decode(encoded)).isEqualTo(facts);
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThatThrownBy(() -> ClusterFacts.decode(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(IOException.class);
        }
        byte[] wrong = encoded.clone();
        wrong[0] = 9;
        assertThatThrownBy(() -> ClusterFacts.decode(wrong)).hasMessageContaining("version 9");
    }
}
