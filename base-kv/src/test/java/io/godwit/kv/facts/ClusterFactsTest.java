package io.godwit.kv.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.facts.ClusterFacts.Voters;
import io.godwit.kv.wire.FactsMessage;
import io.godwit.kv.wire.VotersMessage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterFactsTest {
    private static ClusterFacts random(Random random) {
        ClusterFacts facts = ClusterFacts.NONE;
        for (int step = random.nextInt(6); step > 0; step--) {
            facts = random.nextInt(3) == 0
                    ? facts.forgetting(id(random.nextInt(4)))
                    : facts.wanting(random.nextBoolean() ? "inbox" : "dist", 1 + random.nextInt(7));
        }
        return facts;
    }

    /** All nodes must get the same result, in whatever order and however often they exchange facts. */
    @Test
    void theOrderOfChangesDoesNotMatter() {
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
    void aForgottenNodeStaysForgotten() {
        ClusterFacts facts = ClusterFacts.NONE.forgetting("a");
        assertThat(facts.merged(ClusterFacts.NONE).isForgotten("a")).isTrue();
        assertThat(ClusterFacts.NONE.merged(facts).isForgotten("a")).isTrue();
        assertThat(facts.isForgotten("b")).isFalse();
    }

    @Test
    void writtenFactsAreReadAndTruncatedOnesAreRefused() throws Exception {
        ClusterFacts facts = ClusterFacts.NONE
                .wanting("inbox", 3)
                .wanting("dist", 5)
                .wanting("dist", 3)
                .forgetting(id(1));
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

    private static String id(int number) {
        return new UUID(7, number).toString();
    }

    /** A faulty member, or one of a later release, must not stop the others. */
    @Test
    void invalidFactsAreRefused() {
        refused(facts(Map.of("inbox", new Voters(Long.MAX_VALUE, 3, 3)), Set.of()), "revision=" + Long.MAX_VALUE);
        refused(facts(Map.of("inbox", new Voters(1, 8, 8)), Set.of()), "count=8");
        refused(facts(Map.of(), Set.of("somebody")), "store id \"somebody\"");
        refused(facts(Map.of(), Set.of(new UUID(0xabc, 1).toString().toUpperCase(Locale.ROOT))), "store id");
        refused(facts(Map.of("x".repeat(300), new Voters(1, 3, 3)), Set.of()), "name of 300");
        Set<String> many = new TreeSet<>();
        for (int i = 0; i <= ClusterFacts.MAX_FORGOTTEN; i++) {
            many.add(id(i));
        }
        refused(facts(Map.of(), many), "count of " + (ClusterFacts.MAX_FORGOTTEN + 1));
    }

    private static ClusterFacts facts(Map<String, Voters> voters, Set<String> forgotten) {
        return new ClusterFacts(voters, forgotten);
    }

    /** In stored facts, and in those of other nodes. */
    private static void refused(ClusterFacts facts, String why) {
        assertThatThrownBy(() -> ClusterFacts.decode(facts.encode()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> FactsCodec.facts(FactsCodec.message(facts)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    @Test
    void factsOfOtherNodesAreThoseThatTheySent() throws Exception {
        for (long seed = 1; seed <= 100; seed++) {
            ClusterFacts facts = random(new Random(seed));
            assertThat(FactsCodec.facts(FactsCodec.message(facts)))
                    .as("seed %d", seed)
                    .isEqualTo(facts);
        }
        VotersMessage none = VotersMessage.newBuilder().setStore("inbox").build();
        FactsMessage invalid = FactsMessage.newBuilder().addVoters(none).build();
        assertThatThrownBy(() -> FactsCodec.facts(invalid))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("voters wanted: revision=0 count=0 highest=0");
    }

    /** What is written must be readable again, here after a restart and by others. */
    @Test
    void whatGoesOnFromTheLimitsIsStillWithinThem() throws Exception {
        ClusterFacts last = new ClusterFacts(Map.of("inbox", new Voters(ClusterFacts.MAX_REVISION, 3, 3)), Set.of());
        assertThat(ClusterFacts.decode(last.wanting("inbox", 5).encode()).wantedOf("inbox"))
                .contains(new Voters(ClusterFacts.MAX_REVISION, 5, 5));

        Set<String> most = new TreeSet<>();
        for (int i = 0; i < ClusterFacts.MAX_FORGOTTEN; i++) {
            most.add(id(i));
        }
        ClusterFacts full = new ClusterFacts(Map.of(), most);
        ClusterFacts more = full.merged(ClusterFacts.NONE.forgetting(id(-1)));
        assertThat(more).isEqualTo(full);
        assertThat(full.mayForget(id(0))).isTrue();
        assertThat(full.mayForget(id(-1))).isFalse();
        assertThat(ClusterFacts.NONE.mayForget("somebody")).isFalse();
        assertThat(ClusterFacts.decode(more.encode())).isEqualTo(full);
    }
}
