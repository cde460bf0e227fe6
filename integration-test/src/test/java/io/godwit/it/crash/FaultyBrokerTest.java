package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.Broker;
import io.godwit.it.crash.CrashPlan.Kind;
import io.godwit.it.crash.Violation.Rule;
import io.godwit.it.fake.FakeBroker;
import io.godwit.it.fake.Fault;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The crash test finds what it is for: run against a broker that breaks one promise, it names that promise, and against
 * a good one nothing. The runs wait more than they work, and do so side by side.
 */
class FaultyBrokerTest {
    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aGoodBrokerIsNotAccused() throws Exception {
        List<Violation> violations = violationsOf(Fault.NONE);
        assertThat(violations)
                .withFailMessage(() -> Checker.summary(violations))
                .isEmpty();
    }

    @ParameterizedTest
    @Tag("full")
    @Tag("alone")
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aBrokenPromiseIsFound(Fault fault) throws Exception {
        List<Violation> violations = violationsOf(fault);
        Set<Rule> rules = violations.stream().map(Violation::rule).collect(Collectors.toCollection(TreeSet::new));
        assertThat(rules)
                .withFailMessage(() -> "expected " + expected(fault) + ":\n" + Checker.summary(violations))
                .contains(expected(fault));
    }

    private static Rule expected(Fault fault) {
        return switch (fault) {
            case NONE -> throw new IllegalArgumentException("nothing to be found");
            case ACKNOWLEDGES_BEFORE_COMMIT, FORGETS_WILLS, FORGETS_SUBSCRIPTIONS, KEEPS_GROUP_MESSAGES -> Rule.LOST;
            case FORGETS_QOS2_TOKENS, REPEATS_RETAINED -> Rule.QOS2_TWICE;
            case REUSES_SEQUENCES, RENUMBERS_PACKET_IDS -> Rule.PACKET_ID;
            case REORDERS -> Rule.ORDER;
            case FORGETS_UNSUBSCRIPTIONS -> Rule.UNSUBSCRIBED;
            case FORGETS_RETAINED, DROPS_RETAINED -> Rule.RETAINED;
            case ACKNOWLEDGES_OUT_OF_ORDER -> Rule.ACK_ORDER;
        };
    }

    private static List<Violation> violationsOf(Fault fault) throws Exception {
        CrashPlan plan =
                CrashPlan.of(3, 800, 200, 900, 1_100, Kind.ANY, Kind.TAKEOVER).withQuietMillis(300);
        try (Broker broker = new FakeBroker(fault)) {
            return Checker.check(new CrashRun(broker, plan).run());
        }
    }
}
