package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import org.junit.jupiter.api.Test;

class BottleneckTest {
    private static final Scenario TIMETABLE = scenario("1k_1k_qos1_p256_1mps_1n");
    private static final Scenario CLOSED_LOOP = scenario("50_50_qos1_p32_0mps_1n");
    private static final Scenario CONNECTIONS = scenario("conn-tcp-1M-5K_1n_true");

    private static Scenario scenario(String name) {
        return ScenarioName.parse(name).orElseThrow();
    }

    /** A distribution with all quantiles at {@code millis}. */
    private static Spread late(double millis) {
        return new Spread(1, millis, millis, 0, millis, millis, millis, millis, millis);
    }

    @Test
    void atTheThresholdsTheToolIsNotToBlame() {
        assertThat(CONNECTIONS.connectRate()).isPositive();
        assertThat(Bottleneck.reasons(TIMETABLE, 0.85, 0.05, late(5), late(50))).isEmpty();
        assertThat(Bottleneck.reasons(CONNECTIONS, 0.85, 0.05, late(5), late(50)))
                .isEmpty();
    }

    @Test
    void aFullEventLoopIsToBlame() {
        assertThat(Bottleneck.reasons(TIMETABLE, 0.86, 0, late(0), late(0)))
                .singleElement()
                .asString()
                .contains("event loop", "86 %", "--loops");
    }

    @Test
    void muchCollectionOfGarbageIsToBlame() {
        assertThat(Bottleneck.reasons(TIMETABLE, 0, 0.06, late(0), late(0)))
                .singleElement()
                .asString()
                .contains("garbage", "6.0 %", "JVM_HEAP_OPTS");
    }

    @Test
    void lateSendingIsToBlameWhereThereIsATimetable() {
        assertThat(Bottleneck.reasons(TIMETABLE, 0, 0, late(5.1), late(0)))
                .singleElement()
                .asString()
                .contains("sent late by 5.1 ms");
        assertThat(Bottleneck.reasons(CLOSED_LOOP, 0, 0, late(5.1), late(0))).isEmpty();
    }

    @Test
    void lateConnectingIsToBlameWhereConnectionsHaveARate() {
        assertThat(Bottleneck.reasons(CONNECTIONS, 0, 0, late(0), late(51)))
                .singleElement()
                .asString()
                .contains("opened connections late by 51 ms");
    }

    @Test
    void severalReasonsAreAllTold() {
        assertThat(Bottleneck.reasons(TIMETABLE, 0.9, 0.1, late(6), late(60))).hasSize(3);
    }
}
