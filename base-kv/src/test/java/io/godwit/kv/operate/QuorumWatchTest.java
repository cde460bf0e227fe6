package io.godwit.kv.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.remote.RangeRoutes;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.remote.ReplicaReport.Leading;
import io.godwit.plugin.balance.RangeLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QuorumWatchTest {
    private static final byte[] FIRST = {};
    private static final byte[] MIDDLE = {'m'};
    private static final List<String> VOTERS = List.of("a", "b", "c");

    private long nanos;
    private Set<String> there = Set.of("a", "b", "c");
    private List<String> inLog = List.of();
    private final QuorumWatch watch =
            new QuorumWatch("dist", "a", id -> inLog, id -> there.contains(id), id -> "node " + id, () -> nanos);
    private final Map<String, List<ReplicaReport>> told = new HashMap<>();

    @Test
    void rangesWithALeaderAreNotReported() {
        tell("b", replica(1, FIRST, null, true, ""));
        there = Set.of("a", "b");
        assertThat(look()).isEmpty();
        there = Set.of("a");
        assertThat(look()).as("a range with a leader is not reported").isEmpty();
    }

    /** It steps down only after it has reached nobody for some seconds. */
    @Test
    void aLeaderThatHasLostItsMajorityIsToldOfBeforeItStepsDown() {
        tell("a", replica(1, FIRST, null, true, ""));
        assertThat(look()).isEmpty();
        there = Set.of("a");
        assertThat(look()).isEqualTo("dist-1: 1 of 3 voters, missing node b, node c");
    }

    /** After a kill it has not applied yet which other nodes are voters. */
    @Test
    void theLogKnowsVotersThatAreNotApplied() {
        inLog = List.of("a", "d", "e");
        tell("a", replica(1, FIRST, null, false, ""));
        assertThat(look()).isEqualTo("dist-1: 1 of 3 voters, missing node d, node e");
    }

    @Test
    void aRangeThatHasLostItsMajorityIsToldOfAtOnceWithWhoIsMissing() {
        tell("a", replica(1, FIRST, null, false, ""));
        there = Set.of("a");
        assertThat(look()).isEqualTo("dist-1: 1 of 3 voters, missing node b, node c");
    }

    @Test
    void aReplicaThatHasStoppedElectsNobody() {
        tell("a", replica(1, FIRST, null, false, ""));
        tell("b", replica(1, FIRST, null, false, "damaged"));
        there = Set.of("a", "b");
        assertThat(look()).isEqualTo("dist-1: 1 of 3 voters, missing node b, node c");
    }

    @Test
    void anElectionIsGivenItsTime() {
        tell("a", replica(1, FIRST, null, false, ""));
        there = Set.of("a", "b");
        assertThat(look()).isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(4);
        assertThat(look()).isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(1);
        assertThat(look()).isEqualTo("dist-1: no leader");

        told.clear();
        tell("a", replica(1, FIRST, null, true, ""));
        assertThat(look()).isEmpty();
        told.clear();
        tell("a", replica(1, FIRST, null, false, ""));
        assertThat(look()).as("a new election is not reported at once").isEmpty();
    }

    @Test
    void rangesWithTheSameLackAreToldOfTogether() {
        List<ReplicaReport> many = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            byte @Nullable [] end = i == 8 ? null : new byte[] {(byte) i};
            many.add(replica(i, i == 1 ? FIRST : new byte[] {(byte) (i - 1)}, end, false, ""));
        }
        told.put("a", many);
        there = Set.of("a");
        assertThat(look())
                .isEqualTo("dist-1, dist-2, dist-3, dist-4, dist-5 and 3 more: "
                        + "1 of 3 voters, missing node b, node c");
    }

    @Test
    void keysWithoutARangeAreToldOf() {
        assertThat(look()).contains("no running node knows a range");
        tell("a", replica(1, FIRST, MIDDLE, true, ""));
        assertThat(look())
                .as("a gap as between the reports of a split is not reported at once")
                .isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(5);
        assertThat(look()).isEqualTo("some keys have no range yet");
        told.clear();
        tell("a", replica(1, FIRST, null, true, ""));
        assertThat(look()).isEmpty();
        told.clear();
        tell("a", replica(1, FIRST, MIDDLE, true, ""));
        assertThat(look()).as("a new gap is not reported at once").isEmpty();
    }

    @Test
    void rangesHaveTheNamesThatOperatorsHaveOfThem() {
        tell("a", replica(123_456_789_012L, FIRST, null, false, ""));
        there = Set.of("a");
        assertThat(look()).startsWith("dist-123456: 1 of 3 voters");
    }

    private String look() {
        return watch.look(RangeRoutes.of(told), told);
    }

    private void tell(String node, ReplicaReport replica) {
        told.put(node, List.of(replica));
    }

    private static ReplicaReport replica(long id, byte[] start, byte @Nullable [] end, boolean leads, String fault) {
        Leading leading = new Leading(1, 0, 0, RangeLoad.UNKNOWN, Optional.empty(), "", 0);
        return new ReplicaReport(
                id,
                1,
                new RangeBounds(start, end),
                VOTERS,
                List.of(),
                "",
                1,
                1,
                fault,
                false,
                leads ? Optional.of(leading) : Optional.empty());
    }
}
