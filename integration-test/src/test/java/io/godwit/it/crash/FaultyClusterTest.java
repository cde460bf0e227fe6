package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.it.crash.NodesPlan.Trouble;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.fake.FakeCluster;
import io.godwit.it.fake.NodeFault;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The run that {@link ClusterMqttCheckTest} uses finds what it is for. Against fake nodes that break one promise it
 * names that promise, and against good ones nothing. The runs wait more than they work, and do so side by side.
 */
class FaultyClusterTest {
    private static final int NODES = 3;
    /** With this seed the clients with wills soon leave in each way that a fault needs. */
    private static final long SEED = 154;

    private static final NodesPlan PLAN =
            new NodesPlan(SEED, 400, 120, 500, List.of(new Step(Trouble.KILL, 1, 2_500, 500)));

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aGoodClusterIsNotAccused() throws Exception {
        try (FakeCluster cluster = cluster(NodeFault.NONE)) {
            NodesRun run = new NodesRun(new FakeNodes(cluster), PLAN);
            List<Violation> violations = run.violations();
            assertThat(violations)
                    .withFailMessage(() -> Checker.summary(violations) + run.excerpt(violations))
                    .isEmpty();
            assertThat(run.acknowledgedQos1()).isGreaterThan(500);
            assertThat(run.acknowledgedQos2()).isGreaterThan(100);
        }
    }

    @ParameterizedTest
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPromiseThatNodesBreakIsFound(NodeFault fault) throws Exception {
        try (FakeCluster cluster = cluster(fault)) {
            List<Violation> violations = Checker.check(new NodesRun(new FakeNodes(cluster), PLAN).events());
            assertThat(violations)
                    .withFailMessage(() -> fault + " was not found:\n" + Checker.summary(violations))
                    .anyMatch(reportOf(fault));
        }
    }

    private static FakeCluster cluster(NodeFault fault) throws Exception {
        FakeCluster cluster = new FakeCluster(fault, NODES);
        cluster.start();
        return cluster;
    }

    private static Predicate<Violation> reportOf(NodeFault fault) {
        return switch (fault) {
            case NONE -> throw new IllegalArgumentException("nothing to be found");
            case KEEPS_OLD_CONNECTIONS -> of(Rule.TWO_CONNECTIONS);
            case ENDS_CONNECTIONS_OF_OTHER_NODES -> of(Rule.SURVIVOR);
            case PUBLISHES_WILLS_TWICE ->
                of(Rule.QOS1_COPY).or(of(Rule.QOS2_TWICE)).and(about("was given will/"));
            case DROPS_WILLS -> of(Rule.LOST).and(about("the will"));
            case PUBLISHES_WILLS_OF_DISCONNECTED_CLIENTS ->
                of(Rule.WILL_CANCELLED).and(about("will/will-d").negate());
            case PUBLISHES_WILLS_OF_RETURNED_CLIENTS -> of(Rule.WILL_CANCELLED).and(about("will/will-d"));
            case DROPS_MESSAGES, FORGETS_AT_KILLS, MISSES_SUBSCRIPTIONS ->
                of(Rule.LOST).and(about("the will").negate());
            case REPEATS_MESSAGES, FORGETS_QOS2_TOKENS ->
                of(Rule.QOS2_TWICE).and(about("was given will/").negate());
            case REORDERS -> of(Rule.ORDER);
            case KEEPS_STALE_RETAINED -> of(Rule.RETAINED);
            case LOSES_SESSIONS -> of(Rule.SESSION_LOST);
        };
    }

    private static Predicate<Violation> of(Rule rule) {
        return violation -> violation.rule() == rule;
    }

    private static Predicate<Violation> about(String words) {
        return violation -> violation.text().contains(words);
    }
}
