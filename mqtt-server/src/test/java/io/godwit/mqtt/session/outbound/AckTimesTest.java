package io.godwit.mqtt.session.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.client.AckPace;
import org.junit.jupiter.api.Test;

class AckTimesTest {
    private final AckTimes times = new AckTimes();

    private void takes(int packetId, long fromMillis, long tookMillis) {
        times.sent(packetId, fromMillis);
        assertThat(times.isTimed(packetId)).isTrue();
        times.answered(fromMillis + tookMillis);
    }

    @Test
    void nothingIsToldBeforeTheFirst() {
        assertThat(times.pace(1_000)).isNull();
    }

    @Test
    void whoeverNeverAnswersIsSlow() {
        times.sent(7, 1_000);
        times.sent(8, 2_000); // one at a time
        assertThat(times.isTimed(8)).isFalse();
        assertThat(times.pace(61_000)).isEqualTo(new AckPace(0, 60_000, 60_000));
    }

    @Test
    void theAverageFollowsWhatIsNow() {
        takes(1, 0, 1_000);
        assertThat(times.pace(1_000)).isEqualTo(new AckPace(1_000, 1_000, 0));
        for (int i = 0; i < 100; i++) {
            takes(2, 2_000 + i, 10);
        }
        assertThat(times.pace(3_000)).satisfies(pace -> {
            assertThat(pace.averageMillis()).isBetween(10L, 11L);
            assertThat(pace.worstMillis()).isEqualTo(1_000);
        });
    }

    @Test
    void theWorstIsForgottenAfterTwoWindows() {
        takes(1, 0, 5_000);
        assertThat(times.pace(6_000).worstMillis()).isEqualTo(5_000);
        takes(2, AckTimes.WINDOW_MILLIS + 10_000, 20);
        assertThat(times.pace(AckTimes.WINDOW_MILLIS + 11_000).worstMillis()).isEqualTo(5_000);
        assertThat(times.pace(4 * AckTimes.WINDOW_MILLIS).worstMillis()).isZero();
    }

    @Test
    void aClockThatGoesBackHarmsNobody() {
        takes(1, 1_000_000, -5_000);
        assertThat(times.pace(900_000)).isEqualTo(new AckPace(0, 0, 0));
    }
}
