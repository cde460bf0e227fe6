package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.HostPort;
import io.godwit.cluster.Member;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JoinRuleTest {
    private static final Path DATA = Path.of("data");

    @Test
    void dataDecidesWhoeverIsThere() {
        JoinRule rule = rule("b", Optional.of("one"), false);
        assertThat(rule.decide(List.of(), () -> "new")).isEqualTo(new JoinRule.Belong("one"));
        assertThat(rule.decide(List.of(member("a", "one"), blank("c")), () -> "new"))
                .isEqualTo(new JoinRule.Belong("one"));
    }

    @Test
    void dataOfAnotherClusterIsRefusedNamingBothAndWhereItLies() {
        assertThat(why(rule("b", Optional.of("one"), false).decide(List.of(member("a", "two")), () -> "new")))
                .contains("data in " + DATA, "cluster one", "cluster two", "a/1@");
    }

    @Test
    void founderFoundsWhereNobodyHasData() {
        assertThat(rule("b", Optional.empty(), true).decide(List.of(blank("a")), () -> "new"))
                .isEqualTo(new JoinRule.Belong("new"));
    }

    @Test
    void founderThatMeetsAClusterIsRefused() {
        assertThat(why(rule("b", Optional.empty(), true).decide(List.of(member("a", "one")), () -> "new")))
                .contains("bootstrap is true", "has a cluster already, one", "set bootstrap to false");
    }

    @Test
    void ofTwoFoundersThatSeeEachOtherOneGoesOn() {
        assertThat(rule("a", Optional.empty(), true).decide(List.of(founder("b")), () -> "new"))
                .isEqualTo(new JoinRule.Belong("new"));
        assertThat(why(rule("b", Optional.empty(), true).decide(List.of(founder("a")), () -> "new")))
                .contains("bootstrap is true on this node and on a/1@");
    }

    @Test
    void nodeWithoutDataWaitsUntilSomebodyKnows() {
        JoinRule rule = rule("b", Optional.empty(), false);
        assertThat(rule.decide(List.of(), () -> "new")).isInstanceOf(JoinRule.Wait.class);
        assertThat(rule.decide(List.of(blank("a")), () -> "new")).isInstanceOf(JoinRule.Wait.class);
        assertThat(rule.decide(List.of(blank("a"), member("c", "one")), () -> "new"))
                .isEqualTo(new JoinRule.Belong("one"));
        assertThat(why(rule.decide(List.of(member("a", "two"), member("c", "one")), () -> "new")))
                .contains("several clusters, [one, two]");
    }

    @Test
    void bothSidesOfAConflictGiveTheSameAdvice() {
        String one = JoinRule.conflict("one", member("b", "two")).orElseThrow();
        String two = JoinRule.conflict("two", member("a", "one")).orElseThrow();
        assertThat(one).contains("neither has any, keep one.");
        assertThat(two).contains("neither has any, keep one.");
        assertThat(JoinRule.conflict("one", member("b", "one"))).isEmpty();
        assertThat(JoinRule.conflict("one", blank("b"))).isEmpty();
    }

    private static JoinRule rule(String storeId, Optional<String> own, boolean isFounder) {
        return new JoinRule(DATA, "env", storeId, own, isFounder);
    }

    private static String why(JoinRule.Decision decision) {
        return decision instanceof JoinRule.Refuse refused ? refused.why() : decision.toString();
    }

    private static Member member(String id, String cluster) {
        return member(id, new MemberFacts(cluster, false, ""));
    }

    private static Member blank(String id) {
        return member(id, new MemberFacts("", false, ""));
    }

    private static Member founder(String id) {
        return member(id, new MemberFacts("", true, ""));
    }

    private static Member member(String id, MemberFacts facts) {
        return new Member(id, 1, new HostPort("localhost", 8900), "test", "env", facts.attributes());
    }
}
