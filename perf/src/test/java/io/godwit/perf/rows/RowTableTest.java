package io.godwit.perf.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RowTableTest {
    private static final Setup THREE = new Setup(3, 3, true);
    private static final List<Setup> SIZES = Stream.of(1, 3, 5, 7)
            .map(nodes -> new Setup(nodes, ClusterSetup.usualVoters(nodes), true))
            .toList();

    private final Measurements told = new Measurements();

    private void tell(Setup setup, Load load, Value value, double figure) {
        told.add(setup, load, new Figures(Map.of(value, figure), 0, List.of()));
    }

    private List<String> only(String id) {
        List<List<String>> cells =
                RowTable.of(Rows.of(THREE, SIZES, Set.of(id)), told, List.of()).rows();
        assertThat(cells).hasSize(1);
        return cells.get(0);
    }

    @ParameterizedTest
    @CsvSource({"26, 1.30 x, stretch", "27, 1.35 x, yes", "32, 1.60 x, yes", "33, 1.65 x, no"})
    void aRatioOfCpuIsBetterTheLowerItIs(double cpu, String figure, String reached) {
        tell(Setup.ONE, Load.QOS0, Value.CPU, 20);
        tell(THREE, Load.QOS0, Value.CPU, cpu);

        assertThat(only("cpu-qos0"))
                .containsExactly(
                        "cpu-qos0",
                        "QoS 0 from node 1 to node 2",
                        "20.0 (1 node)",
                        String.format(java.util.Locale.ROOT, "%.1f (3 nodes)", cpu),
                        "us of CPU per message",
                        figure,
                        "1.60 x",
                        "1.30 x",
                        reached,
                        "0");
    }

    @ParameterizedTest
    @CsvSource({"39000, no", "40000, yes", "60000, stretch"})
    void aRatioOfRatesIsBetterTheHigherItIs(double rate, String reached) {
        tell(Setup.ONE, Load.QOS0_MAX, Value.RATE, 100_000);
        tell(THREE, Load.QOS0_MAX, Value.RATE, rate);

        assertThat(only("max-qos0")).contains(reached).contains("100,000 (1 node)");
    }

    @Test
    void persistentSessionsAreComparedWithoutEarlyPush() {
        tell(Setup.ONE, Load.PERSISTENT_MAX, Value.RATE, 400_000);
        tell(Setup.ONE_WITHOUT_EARLY_PUSH, Load.PERSISTENT_MAX, Value.RATE, 100_000);
        tell(THREE, Load.PERSISTENT_MAX, Value.RATE, 30_000);

        assertThat(only("max-persistent")).contains("100,000 (1 node, early push off)", "0.30 x", "yes");
    }

    @Test
    void latencyStandsAlone() {
        tell(THREE, Load.SUBSCRIBE_LIVE, Value.SUBACK_P99, 3.456);

        assertThat(only("suback-live")).contains("-", "3.46 (3 nodes)", "3.46", "5.00", "2.00", "yes");
    }

    @Test
    void whatANodeTakesWhileNobodyUsesItIsADifference() {
        tell(Setup.ONE, Load.IDLE, Value.CORES, 0.005);
        tell(THREE, Load.IDLE, Value.CORES, 0.0125);

        assertThat(only("idle")).contains("0.0075", "0.0100", "yes");
    }

    @Test
    void sizesAreComparedWithThreeNodes() {
        tell(SIZES.get(0), Load.PAIRS, Value.CPU, 10);
        tell(SIZES.get(1), Load.PAIRS, Value.CPU, 20);
        tell(SIZES.get(2), Load.PAIRS, Value.CPU, 21);
        tell(SIZES.get(3), Load.PAIRS, Value.CPU, 30);

        List<List<String>> cells = RowTable.of(Rows.of(THREE, SIZES, Set.of("nodes")), told, List.of())
                .rows();
        assertThat(cells).extracting(row -> row.get(5)).containsExactly("0.50 x", "1.05 x", "1.50 x");
        assertThat(cells).extracting(row -> row.get(8)).containsExactly("-", "yes", "no");
    }

    @Test
    void theMedianOfSeveralPassesCounts() {
        List.of(9.0, 1.0, 2.0).forEach(cpu -> tell(THREE, Load.QOS0, Value.CPU, cpu));
        List.of(4.0, 1.0).forEach(cpu -> tell(Setup.ONE, Load.QOS0, Value.CPU, cpu));

        assertThat(told.median(THREE, Load.QOS0, Value.CPU)).hasValue(2);
        assertThat(told.median(Setup.ONE, Load.QOS0, Value.CPU)).hasValue(2.5);
        assertThat(only("cpu-qos0")).contains("0.80 x");
    }

    @Test
    void whatWasNotMeasuredIsSaid() {
        tell(THREE, Load.QOS0, Value.CPU, 20);
        told.addFault("1 node: broker 1 of 1 has ended");

        assertThat(only("cpu-qos0")).contains("- (1 node)", "not measured");
        assertThat(RowTable.of(List.of(), told, List.of("scaled")).notes())
                .containsExactly("scaled", "1 node: broker 1 of 1 has ended");
    }

    @Test
    void lossesOnEitherSideAreCounted() {
        told.add(Setup.ONE, Load.QOS0, new Figures(Map.of(Value.CPU, 1.0), 2, List.of("it was late")));
        told.add(THREE, Load.QOS0, new Figures(Map.of(Value.CPU, 1.0), 3, List.of()));

        assertThat(only("cpu-qos0")).last().isEqualTo("5");
        assertThat(told.lost()).isEqualTo(5);
    }

    @Test
    void whatMakesFiguresDoubtfulIsSaidOnceWithItsLoads() {
        for (Load load : List.of(Load.QOS0, Load.QOS1, Load.PAIRS, Load.CONNECT)) {
            told.add(THREE, load, new Figures(Map.of(), 0, List.of("the machine was full")));
        }
        told.add(Setup.ONE, Load.QOS0, new Figures(Map.of(), 0, List.of("it was late")));
        told.add(THREE, Load.QOS0, new Figures(Map.of(), 0, List.of("it was late", "the machine was full")));

        assertThat(told.cautions())
                .containsExactly(
                        "it was late: QoS 0 at 20,000/s on 1 node; QoS 0 at 20,000/s on 3 nodes",
                        "the machine was full in 4 loads");
    }

    @Test
    void onlyWhatIsAskedForIsRun() {
        assertThat(RowRuns.loads(Rows.of(THREE, SIZES, Set.of("p99-qos1", "cpu-qos1"))))
                .containsOnly(Map.entry(Setup.ONE, Set.of(Load.QOS1)), Map.entry(THREE, Set.of(Load.QOS1)));
        assertThat(RowRuns.loads(Rows.of(THREE, SIZES, Set.of("nodes")))).containsOnlyKeys(SIZES);
        Map<Setup, Set<Load>> all = RowRuns.loads(Rows.of(THREE, SIZES, Set.of()));
        assertThat(RowRuns.together(all.get(THREE)).get(0))
                .as("idle measurements follow all loads, and those that end a node come last")
                .endsWith(Load.SMALL_BESIDE_LARGE, Load.IDLE, Load.RECONNECT);
    }

    @Test
    void whatTakesLongIsOnlyRunWhenItIsAskedFor() {
        assertThat(Rows.of(THREE, SIZES, Set.of())).extracting(Row::id).doesNotContain("resync");
        assertThat(RowRuns.loads(Rows.of(THREE, SIZES, Set.of("resync"))))
                .containsOnly(Map.entry(THREE, Set.of(Load.RESYNC)));
    }

    @Test
    void whatNeedsAClusterOfItsOwnRunsByItself() {
        assertThat(RowRuns.together(Set.of(Load.RESYNC, Load.RECONNECT, Load.QOS0, Load.SMALL_BESIDE_LARGE)))
                .containsExactly(Set.of(Load.QOS0, Load.SMALL_BESIDE_LARGE, Load.RECONNECT), Set.of(Load.RESYNC));
        assertThat(RowRuns.together(Set.of(Load.RESYNC))).containsExactly(Set.of(Load.RESYNC));
    }

    @ParameterizedTest
    @CsvSource({"3.0, stretch", "5.0, yes", "5.01, no"})
    void clientsThatReconnectAreServedWithinSeconds(double seconds, String reached) {
        tell(THREE, Load.RECONNECT, Value.ALL_SERVED, seconds);

        assertThat(only("reconnect")).contains("-", "s until all are served", "5.00", "3.00", reached);
    }

    @ParameterizedTest
    @CsvSource({"20, yes", "20.1, no"})
    void smallMessagesAreNotHeldUpByLargeOnes(double millis, String reached) {
        tell(THREE, Load.SMALL_BESIDE_LARGE, Value.P99, millis);

        assertThat(only("large-beside-small")).contains("20.00", reached);
    }

    @Test
    void aResyncIsJudgedByItsTimeAndByTheLatencyOfOthers() {
        told.add(THREE, Load.RESYNC, new Figures(Map.of(Value.SERVING, 4.5, Value.P99, 51.0), 0, List.of()));

        assertThat(RowTable.of(Rows.of(THREE, SIZES, Set.of("resync")), told, List.of())
                        .rows())
                .extracting(row -> row.get(8))
                .containsExactly("yes", "no");
    }

    /** Otherwise a filter that a node does not know would not be noticed. */
    @Test
    void aTopicOfTheResyncMatchesItsFilterAndNoOther() {
        List<String> filters =
                IntStream.range(0, 20_000).mapToObj(RestartedNode::filter).toList();
        for (int i = 0; i < 120; i++) {
            String topic = RestartedNode.topic(i);
            assertThat(filters).filteredOn(filter -> matches(filter, topic)).containsExactly(RestartedNode.filter(i));
        }
        assertThat(filters).doesNotHaveDuplicates();
    }

    private static boolean matches(String filter, String topic) {
        return topic.matches(filter.replace("+", "[^/]*").replace("/#", "(/.*)?"));
    }

    @Test
    void aRowThatIsNotThereIsNamedWithThoseThatAre() {
        assertThatThrownBy(() -> Rows.of(THREE, SIZES, Set.of("speed")))
                .hasMessageContaining("no row is 'speed'; there are cpu-qos0, max-qos0")
                .hasMessageContaining("nodes, suback-live");
    }

    @Test
    void rowsOutOfBoundsAreRefused() {
        assertThatThrownBy(() -> runs(0, Duration.ofSeconds(1))).hasMessageContaining("--scale must be above 0");
        assertThatThrownBy(() -> runs(1.5, Duration.ofSeconds(1))).hasMessageContaining("was 1.5");
        assertThatThrownBy(() -> runs(1, Duration.ofMillis(1))).hasMessageContaining("--seconds must be 0.5 s");
    }

    @Test
    void theWarmUpFollowsTheMeasuredTimeUnlessItIsGiven() {
        LoadTimes usual = LoadTimes.of(null, Duration.ofSeconds(10));
        LoadTimes brief = LoadTimes.of(null, Duration.ofSeconds(1));
        LoadTimes long30 = LoadTimes.of(Duration.ofSeconds(30), Duration.ofSeconds(10));

        assertThat(usual.warmUp()).isEqualTo(Duration.ofSeconds(5));
        assertThat(usual.warmUpBesideLarge()).isEqualTo(Duration.ofSeconds(20));
        assertThat(brief.warmUp()).isEqualTo(Duration.ofSeconds(1));
        assertThat(brief.warmUpBesideLarge()).isEqualTo(Duration.ofSeconds(4));
        assertThat(long30.warmUp()).isEqualTo(Duration.ofSeconds(30));
        assertThat(long30.warmUpBesideLarge()).isEqualTo(Duration.ofSeconds(30));
        assertThatThrownBy(() -> LoadTimes.of(Duration.ofMinutes(11), Duration.ofSeconds(10)))
                .hasMessageContaining("--warm-up must be 0 s to 10 minutes");
    }

    @Test
    void theToolHasALoopForEveryTwoCoresAndForEachWhileClientsReconnect() {
        assertThat(ToolLoops.of(null, 1)).isEqualTo(new ToolLoops(1, 1));
        assertThat(ToolLoops.of(null, 2)).isEqualTo(new ToolLoops(1, 2));
        assertThat(ToolLoops.of(null, 9)).isEqualTo(new ToolLoops(4, 9));
        assertThat(ToolLoops.of(3, 2)).isEqualTo(new ToolLoops(3, 3));
        assertThatThrownBy(() -> ToolLoops.of(0, 2)).hasMessageContaining("--loops must be 1 to 256, was 0");
    }

    private static RowRuns runs(double scale, Duration duration) {
        return new RowRuns(
                THREE,
                SIZES,
                Set.of(),
                setup -> {
                    throw new AssertionError("no cluster is asked for");
                },
                scale,
                LoadTimes.of(null, duration),
                ToolLoops.of(null, 2),
                System.out);
    }

    /** At every scale each load has clients, and a rate that is valid for a scenario. */
    @ParameterizedTest
    @EnumSource(value = Load.class, mode = EnumSource.Mode.EXCLUDE, names = "IDLE")
    void loadsShrinkWithTheirScale(Load load) {
        Scenario whole = load.scenario(1, 10);
        Scenario small = load.scenario(0.001, 1);

        assertThat(whole.connections()).isPositive().isLessThanOrEqualTo(15_000);
        assertThat(small.connections()).isPositive().isLessThanOrEqualTo(whole.connections());
        assertThat(whole.statedRateIn()).isEqualTo(load.rate(1));
        assertThat(small.statedRateIn()).isEqualTo(load.rate(0.001));
    }

    @Test
    void loadsAreWhatTheirTitlesSay() {
        assertThat(Load.QOS0.placement()).isEqualTo(Placement.APART);
        assertThat(Load.QOS1.scenario(1, 10).qos()).isEqualTo(1);
        assertThat(Load.PERSISTENT.scenario(1, 10).isCleanSession()).isFalse();
        assertThat(Load.PERSISTENT.scenario(1, 10).statedRateOut()).isEqualTo(5_000);
        assertThat(Load.PERSISTENT_MAX.scenario(1, 10).isClosedLoop()).isTrue();
        assertThat(Load.SUBSCRIBE_PERSISTENT.scenario(1, 10).isCleanSession()).isFalse();
        assertThat(Load.SUBSCRIBE_LIVE.scenario(1, 10).subscribers()).isEqualTo(200);
        assertThat(Load.CONNECT.scenario(1, 10).connectRate()).isZero();
        assertThat(Load.RECONNECT.scenario(1, 10).subscribers()).isEqualTo(15_000);
        assertThat(Load.SMALL_BESIDE_LARGE.scenario(1, 10).qos()).isEqualTo(1);
        assertThat(Load.large().payloadBytes()).isEqualTo(20 * 1024 * 1024);
        assertThat(Load.large().qos()).isEqualTo(1);
        assertThat(Load.filters(1)).isEqualTo(1_000_000);
        assertThat(Load.filters(0.01)).isEqualTo(10_000);
        assertThatThrownBy(() -> Load.IDLE.scenario(1, 10)).isInstanceOf(IllegalArgumentException.class);
    }
}
