package io.godwit.kv.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JoinRuleTest {
    private static final Path DATA = Path.of("data");
    private static final String SEEDS = "10.0.0.1:1,10.0.0.2:1,10.0.0.3:1";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final FoundingSeeds NO_SEEDS = new FoundingSeeds("here:1", List.of("here:1"), "");

    @Test
    void dataDecidesWhoeverIsThere() {
        JoinRule rule = rule("b", Optional.of("one"));
        assertThat(rule.decide(List.of(), NO_SEEDS, LONG, () -> "new")).isEqualTo(new JoinRule.Belong("one"));
        assertThat(rule.decide(List.of(member("a", "one"), blank("c")), NO_SEEDS, LONG, () -> "new"))
                .isEqualTo(new JoinRule.Belong("one"));
    }

    @Test
    void dataOfAnotherClusterIsRefusedNamingBothAndWhereItLies() {
        assertThat(why(rule("b", Optional.of("one")).decide(List.of(member("a", "two")), NO_SEEDS, LONG, () -> "new")))
                .contains("data in " + DATA, "cluster one", "cluster two", "a/1@");
    }

    // --- alone

    @Test
    void aNodeThatFoundsAloneFoundsIfNobodyHasData() {
        assertThat(alone("b").decide(List.of(blank("a")), NO_SEEDS, LONG, () -> "new"))
                .isEqualTo(new JoinRule.Belong("new"));
    }

    @Test
    void aNodeThatFoundsAloneIsRefusedIfItMeetsACluster() {
        assertThat(why(alone("b").decide(List.of(member("a", "one")), NO_SEEDS, LONG, () -> "new")))
                .contains("foundAlone is true", "has a cluster already, one", "set foundAlone to false");
    }

    @Test
    void ofTwoThatFoundAloneAndSeeEachOtherOneGoesOn() {
        Member rival = member("b", new MemberFacts("", Founding.ALONE, "", "", ""));
        assertThat(alone("a").decide(List.of(rival), NO_SEEDS, LONG, () -> "new"))
                .isEqualTo(new JoinRule.Belong("new"));
        assertThat(why(alone("c").decide(List.of(rival), NO_SEEDS, LONG, () -> "new")))
                .contains("foundAlone is true, and node b/1@");
    }

    @Test
    void aNodeThatFoundsAloneIsRefusedBesideAnotherFounder() {
        assertThat(why(alone("a").decide(List.of(founder("b", SEEDS)), NO_SEEDS, LONG, () -> "new")))
                .contains("may begin a cluster too");
    }

    // --- together

    @Test
    void ofSeedsThatFoundTogetherTheFirstDoesOnceItSeesMoreThanHalf() {
        assertThat(waitsFor(together("x", "10.0.0.1:1"))).contains("more than half", "10.0.0.2:1, 10.0.0.3:1");
        assertThat(decide(together("x", "10.0.0.1:1"), founder("10.0.0.3:1", SEEDS)))
                .isEqualTo(new JoinRule.Belong("new"));
        assertThat(decide(together("x", "10.0.0.1:1"), waiting("10.0.0.2:1"))).isEqualTo(new JoinRule.Belong("new"));
    }

    /** Independent of store ids: two nodes that cannot see each other must not both found. */
    @Test
    void noSeedButTheFirstFoundsWhoeverItSees() {
        assertThat(waitsFor(together("a", "10.0.0.2:1"), founder("10.0.0.3:1", SEEDS)))
                .contains("the node at 10.0.0.1:1", "is not seen");
        assertThat(waitsFor(together("a", "10.0.0.2:1"), founder("10.0.0.1:1", SEEDS)))
                .contains("10.0.0.1:1/1@", "to begin the cluster");
        assertThat(waitsFor(together("a", "10.0.0.3:1"), founder("10.0.0.1:1", SEEDS), founder("10.0.0.2:1", SEEDS)))
                .contains("to begin the cluster");
    }

    @Test
    void aFirstSeedThatMayNotFoundIsPassedOverWhileItIsSeen() {
        assertThat(decide(together("a", "10.0.0.2:1"), waiting("10.0.0.1:1"))).isEqualTo(new JoinRule.Belong("new"));
        assertThat(waitsFor(together("a", "10.0.0.2:1"), waiting("10.0.0.3:1"))).contains("the node at 10.0.0.1:1");
    }

    /** Others may have it as their only seed: after the loss of its disk it must find them before it founds. */
    @Test
    void aNodeThatListsNoOtherFoundsWhenNobodyHasFoundIt() {
        FoundingSeeds own = new FoundingSeeds("10.0.0.9:1", List.of("10.0.0.9:1"), "");
        assertThat(why(together("a").decide(List.of(), own, Duration.ZERO, () -> "new")))
                .contains("10 s", "name no other node");
        assertThat(why(together("a").decide(List.of(), own, Duration.ofMillis(9_999), () -> "new")))
                .contains("name no other node");
        assertThat(together("a").decide(List.of(member("b", "one")), own, Duration.ofSeconds(8), () -> "new"))
                .isEqualTo(new JoinRule.Belong("one"));
        assertThat(together("a").decide(List.of(), own, Duration.ofSeconds(10), () -> "new"))
                .isEqualTo(new JoinRule.Belong("new"));
    }

    /** Like a fourth node that is added, whose list has itself as well. */
    @Test
    void aNodeThatIsInNobodysSeedsHoldsUpNoneOfThem() {
        String longer = "10.0.0.0:1," + SEEDS;
        assertThat(decide(together("a", "10.0.0.1:1"), founder("10.0.0.0:1", longer), founder("10.0.0.3:1", SEEDS)))
                .isEqualTo(new JoinRule.Belong("new"));
        assertThat(decide(together("a", "10.0.0.2:1"), founder("10.0.0.0:1", longer), waiting("10.0.0.1:1")))
                .as("a node that is no seed is not counted")
                .isEqualTo(new JoinRule.Belong("new"));
        assertThat(waitsFor(together("a", "10.0.0.1:1"), founder("10.0.0.0:1", longer)))
                .contains("more than half");
        assertThat(waitsFor(together("a", "10.0.0.1:1"), founder("10.0.0.0:1", longer + ",10.0.0.9:1")))
                .as("the other node lists a seed that this node does not know")
                .contains("to name the same seeds");
    }

    @Test
    void aNodeThatIsInNobodysSeedsLetsThemBegin() {
        List<String> longer = List.of(("10.0.0.0:1," + SEEDS).split(",", -1));
        Together extra = new Together(together("x"), new FoundingSeeds("10.0.0.0:1", longer, ""));
        assertThat(waitsFor(extra, founder("10.0.0.2:1", SEEDS), founder("10.0.0.3:1", SEEDS)))
                .contains("the node at 10.0.0.1:1", "is not among these seeds");
        assertThat(waitsFor(extra, waiting("10.0.0.1:1"), waiting("10.0.0.2:1"), founder("10.0.0.3:1", SEEDS)))
                .contains("is not among these seeds");
        assertThat(decide(extra, founder("10.0.0.1:1", String.join(",", longer)), waiting("10.0.0.2:1")))
                .as("the node founds the cluster if all have the same list")
                .isEqualTo(new JoinRule.Belong("new"));
    }

    @Test
    void aPossibleFounderJoinsTheClusterThatItMeets() {
        assertThat(decide(together("a", "10.0.0.1:1"), member("b", "one"))).isEqualTo(new JoinRule.Belong("one"));
        assertThat(why(decide(together("a", "10.0.0.1:1"), member("b", "one"), member("c", "two"))))
                .contains("several clusters, [one, two]");
    }

    /** Each of the two may be the first in its own list. */
    @Test
    void foundersWithDifferentSeedsWaitForTheirOperator() {
        String others = "10.0.0.2:1,10.0.0.4:1";
        assertThat(waitsFor(together("a", "10.0.0.1:1"), founder("10.0.0.2:1", others)))
                .contains("to name the same seeds", "[" + others + "]", "[" + SEEDS + "]");
        assertThat(waitsFor(together("a", "10.0.0.1:1"), founder("10.0.0.2:1", "")))
                .contains("to know its seeds");
        // a node that lets this one go first is no problem
        assertThat(decide(together("a", "10.0.0.1:1"), founder("10.0.0.2:1", "10.0.0.1:1,10.0.0.2:1")))
                .isEqualTo(new JoinRule.Belong("new"));
    }

    @Test
    void seedsThatAreNotClearFoundNothing() {
        FoundingSeeds unclear = new FoundingSeeds("10.0.0.1:1", List.of("10.0.0.1:1"), "seed x:1 does not resolve");
        assertThat(why(together("a").decide(List.of(founder("10.0.0.2:1", SEEDS)), unclear, LONG, () -> "new")))
                .contains("seed x:1 does not resolve", "foundAlone");
    }

    @Test
    void oneThatFoundsAloneIsWaitedFor() {
        Member alone = member("10.0.0.3:1", new MemberFacts("", Founding.ALONE, "", "10.0.0.3:1", ""));
        assertThat(waitsFor(together("a", "10.0.0.1:1"), founder("10.0.0.2:1", SEEDS), alone))
                .contains("begin the cluster alone");
    }

    @Test
    void nodeWithoutDataWaitsUntilSomebodyKnows() {
        JoinRule rule = rule("b", Optional.empty());
        assertThat(rule.decide(List.of(), NO_SEEDS, LONG, () -> "new")).isInstanceOf(JoinRule.Wait.class);
        assertThat(rule.decide(List.of(blank("a")), NO_SEEDS, LONG, () -> "new"))
                .isInstanceOf(JoinRule.Wait.class);
        assertThat(rule.decide(List.of(blank("a"), member("c", "one")), NO_SEEDS, LONG, () -> "new"))
                .isEqualTo(new JoinRule.Belong("one"));
        assertThat(why(rule.decide(List.of(member("a", "two"), member("c", "one")), NO_SEEDS, LONG, () -> "new")))
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

    /** The rule of one of {@code SEEDS}. */
    private record Together(JoinRule rule, FoundingSeeds seeds) {}

    private static Together together(String storeId, String at) {
        return new Together(together(storeId), new FoundingSeeds(at, List.of(SEEDS.split(",", -1)), ""));
    }

    private static JoinRule together(String storeId) {
        return new JoinRule(DATA, "env", storeId, Optional.empty(), Founding.TOGETHER);
    }

    private static JoinRule alone(String storeId) {
        return new JoinRule(DATA, "env", storeId, Optional.empty(), Founding.ALONE);
    }

    private static JoinRule.Decision decide(Together of, Member... others) {
        return of.rule().decide(List.of(others), of.seeds(), LONG, () -> "new");
    }

    private static String waitsFor(Together of, Member... others) {
        JoinRule.Decision decision = decide(of, others);
        assertThat(decision).isInstanceOf(JoinRule.Wait.class);
        return why(decision);
    }

    private static JoinRule rule(String storeId, Optional<String> own) {
        return new JoinRule(DATA, "env", storeId, own, Founding.NEVER);
    }

    private static String why(JoinRule.Decision decision) {
        return decision instanceof JoinRule.Refuse refused
                ? refused.why()
                : decision instanceof JoinRule.Wait waiting ? waiting.what() : decision.toString();
    }

    private static Member member(String id, String cluster) {
        return member(id, new MemberFacts(cluster, "", ""));
    }

    private static Member blank(String id) {
        return member(id, new MemberFacts("", "", ""));
    }

    /** A seed without data that may not found. */
    private static Member waiting(String at) {
        return member(at, new MemberFacts("", "", at));
    }

    private static Member founder(String at, String seeds) {
        return member(at, new MemberFacts("", Founding.TOGETHER, "", at, seeds));
    }

    private static Member member(String id, MemberFacts facts) {
        return new Member(id, 1, new HostPort("localhost", 8900), "test", "env", facts.attributes());
    }
}
