package io.godwit.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.scenario.ScenarioName;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final String PAIRS = "1k_1k_qos1_p256_1mps_1n";

    private static int exitCode(Runs run) {
        return Verdict.of(run.result()).exitCode();
    }

    @Test
    void aRunWithoutFaultIsZero() {
        assertThat(exitCode(Runs.of(PAIRS))).isEqualTo(Verdict.OK);
    }

    @Test
    void oneLostMessageIsAFault() {
        Verdict verdict = Verdict.of(Runs.of(PAIRS)
                .delivery(new DeliveryCounts(10, 0, 0, 0, 10, 0, 10, 9, 1, 0, 0, 0, true))
                .result());

        assertThat(verdict.exitCode()).isEqualTo(Verdict.FAULTS);
        assertThat(verdict.faults()).containsExactly("1 of 10 deliveries were lost");
    }

    /** At QoS 0 without a subscriber there is no other sign that nothing was sent. */
    @Test
    void aMessageThatCouldNotBeWrittenIsAFault() {
        Verdict verdict = Verdict.of(Runs.of("qos0-p256-1K-0")
                .delivery(new DeliveryCounts(10, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false))
                .result());

        assertThat(verdict.exitCode()).isEqualTo(Verdict.FAULTS);
        assertThat(verdict.faults()).containsExactly("4 of 10 messages could not be written");
    }

    @Test
    void whatTheBrokerMayNotHaveReadMissesTheRate() {
        DeliveryCounts unread = new DeliveryCounts(10, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);

        assertThat(exitCode(Runs.of("qos0-p256-1K-0").delivery(unread))).isEqualTo(Verdict.RATE_MISSED);
    }

    @Test
    void aRepeatIsAFaultAtQos2Only() {
        DeliveryCounts repeated = new DeliveryCounts(10, 0, 0, 0, 10, 0, 10, 11, 0, 1, 0, 0, true);

        assertThat(exitCode(Runs.of("1k_1k_qos2_p256_1mps_1n").delivery(repeated)))
                .isEqualTo(Verdict.FAULTS);
        assertThat(exitCode(Runs.of(PAIRS).delivery(repeated))).isEqualTo(Verdict.OK);
    }

    @Test
    void aRateThatWasNotReachedIsMissed() {
        assertThat(exitCode(Runs.of(PAIRS).in(9_700))).isEqualTo(Verdict.RATE_MISSED);
        assertThat(exitCode(Runs.of(PAIRS).out(9_700))).isEqualTo(Verdict.RATE_MISSED);
        assertThat(exitCode(Runs.of(PAIRS).in(9_850).out(9_850))).isEqualTo(Verdict.OK);
    }

    @Test
    void lostOutranksMissed() {
        assertThat(exitCode(
                        Runs.of(PAIRS).in(0).delivery(new DeliveryCounts(10, 0, 0, 0, 10, 0, 10, 9, 1, 0, 0, 0, true))))
                .isEqualTo(Verdict.FAULTS);
    }

    @Test
    void whatWasNeverAcknowledgedMissesTheRate() {
        assertThat(exitCode(Runs.of(PAIRS).delivery(new DeliveryCounts(10, 0, 0, 0, 9, 1, 10, 10, 0, 0, 0, 0, true))))
                .isEqualTo(Verdict.RATE_MISSED);
    }

    @Test
    void aClosedLoopStatesNoRate() {
        assertThat(exitCode(Runs.of("rmqtt-1k-4").in(3).out(3))).isEqualTo(Verdict.OK);
    }

    @Test
    void connectionsThatFailAreAFaultAndSlowOnesMissTheRate() {
        String connections = "conn-tcp-1K-500";

        assertThat(exitCode(Runs.of(connections))).isEqualTo(Verdict.OK);
        assertThat(exitCode(Runs.of(connections).failed(1))).isEqualTo(Verdict.FAULTS);
        assertThat(exitCode(Runs.of(connections).connectSeconds(3))).isEqualTo(Verdict.RATE_MISSED);
    }

    @Test
    void connectionsThatTheBrokerClosesAreAFault() {
        assertThat(exitCode(Runs.of(PAIRS).errors(Map.of("the broker closed a connection", 2L))))
                .isEqualTo(Verdict.FAULTS);
    }

    /** Without warm-up all messages count, so those under way at the borders of the measured time are no shortfall. */
    @Test
    void aColdStartMissesItsRateByWhatWasNotSent() {
        Runs cold = Runs.of(ScenarioName.parse(PAIRS).orElseThrow().with(s -> s.cold(true)));

        assertThat(exitCode(cold.out(9_000))).isEqualTo(Verdict.OK);
        assertThat(exitCode(cold.delivery(new DeliveryCounts(900, 0, 0, 100, 900, 0, 900, 900, 0, 0, 0, 0, true))))
                .isEqualTo(Verdict.RATE_MISSED);
    }

    @Test
    void ofSeveralRunsLostMessagesAreTheWorst() {
        assertThat(Verdict.worst(List.of(0, 5, 1, 4, 3, 0))).isEqualTo(Verdict.FAULTS);
        assertThat(Verdict.worst(List.of(0, 5, 1, 4))).isEqualTo(Verdict.RATE_MISSED);
        assertThat(Verdict.worst(List.of(0, 5, 1))).isEqualTo(Verdict.FAILED);
        assertThat(Verdict.worst(List.of(0, 5))).isEqualTo(Verdict.NOT_RUN);
        assertThat(Verdict.worst(List.of())).isEqualTo(Verdict.OK);
    }
}
