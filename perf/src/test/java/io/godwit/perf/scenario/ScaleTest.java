package io.godwit.perf.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.godwit.perf.published.PublishedReports;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleTest {
    @Provide
    Arbitrary<Scenario> published() {
        List<Scenario> all = PublishedReports.load().tables().stream()
                .flatMap(table -> table.rows().stream().map(table::scenario))
                .toList();
        return Arbitraries.of(all);
    }

    /** The shape of a scenario stays; total rates shrink by the scale, as nearly as whole numbers of clients permit. */
    @Property(tries = 300)
    void theShapeStays(
            @ForAll("published") Scenario scenario, @ForAll @DoubleRange(min = 0.001, max = 1) @Scale(4) double scale) {
        Scenario scaled = scenario.scaled(scale);

        assertThat(scaled.topology()).isEqualTo(scenario.topology());
        assertThat(scaled.qos()).isEqualTo(scenario.qos());
        assertThat(scaled.payloadBytes()).isEqualTo(scenario.payloadBytes());
        assertThat(scaled.ratePerPublisher()).isEqualTo(scenario.ratePerPublisher());
        assertThat(scaled.isCleanSession()).isEqualTo(scenario.isCleanSession());
        assertThat(scaled.security()).isEqualTo(scenario.security());
        assertThat(scaled.messagesEach()).isEqualTo(scenario.messagesEach());
        assertThat(scaled.publishers() > 0).isEqualTo(scenario.publishers() > 0);
        assertThat(scaled.subscribers() > 0).isEqualTo(scenario.subscribers() > 0);
        if (scenario.topology() == Topology.ONE_TO_ONE) {
            assertThat(scaled.publishers()).isEqualTo(scaled.subscribers());
        }
        if (scenario.statedRateOut() > 0) {
            double oneClient = scenario.ratePerPublisher()
                    * Math.max(1, scenario.publishers() / (double) Math.max(1, scenario.subscribers()));
            assertThat(scaled.statedRateOut())
                    .isCloseTo(
                            scenario.statedRateOut() * scale,
                            within(Math.max(oneClient, scaled.publishers() * scenario.ratePerPublisher())));
        }
        assertThat(scaled.connectRate()).isLessThanOrEqualTo(scenario.connectRate());
    }

    @Test
    void aHundredthOfThePairsSendsAHundredthOfTheMessages() {
        Scenario scaled =
                ScenarioName.parse("30k_30k_qos1_p256_1mps_3n_3v").orElseThrow().scaled(0.01);

        assertThat(scaled.publishers()).isEqualTo(300);
        assertThat(scaled.subscribers()).isEqualTo(300);
        assertThat(scaled.statedRateIn()).isEqualTo(300);
    }

    @Test
    void aFanOutKeepsItsPublishersAndAGroupItsMembers() {
        assertThat(ScenarioName.parse("1_100000_qos0_p256_1mps_1n")
                        .orElseThrow()
                        .scaled(0.01)
                        .publishers())
                .isOne();
        assertThat(ScenarioName.parse("qos0-p256-4-40K")
                        .orElseThrow()
                        .scaled(0.01)
                        .publishers())
                .isEqualTo(4);
        assertThat(ScenarioName.parse("qos1-p64-15K-15K")
                        .orElseThrow()
                        .scaled(0.01)
                        .subscribers())
                .isEqualTo(2);
    }

    @Test
    void connectionsAndTheirRateShrinkTogether() {
        Scenario scaled =
                ScenarioName.parse("conn-tcp-1M-5K_1n_true").orElseThrow().scaled(0.01);

        assertThat(scaled.connections()).isEqualTo(10_000);
        assertThat(scaled.connectRate()).isEqualTo(50);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.01, Double.NaN})
    void aScaleIsAboveNothingAndAtMostOne(double scale) {
        Scenario scenario = ScenarioName.parse("C10k").orElseThrow();

        assertThatThrownBy(() -> scenario.scaled(scale)).isInstanceOf(IllegalArgumentException.class);
    }
}
