package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
    private final Timeouts timeouts = new Timeouts();

    @Test
    void aClientMayBeSilentForOneAndAHalfKeepAlives() {
        timeouts.opened(100);
        timeouts.keepAlive(10);

        assertThat(timeouts.nextWhileAccepted()).isEqualTo(116);
        assertThat(timeouts.isTooQuiet(timeouts.quietTicks(115))).isFalse();
        assertThat(timeouts.isTooQuiet(timeouts.quietTicks(116))).isTrue();

        timeouts.read(110);

        assertThat(timeouts.nextWhileAccepted()).isEqualTo(126);
        assertThat(timeouts.isTooQuiet(timeouts.quietTicks(116))).isFalse();
    }

    @Test
    void withoutKeepAliveAClientMayBeSilentForEver() {
        timeouts.opened(100);

        assertThat(timeouts.nextWhileAccepted()).isEqualTo(Integer.MAX_VALUE);
        assertThat(timeouts.isTooQuiet(1_000_000)).isFalse();
    }

    @Test
    void onlyAnEarlierEndNeedsAnEarlierLook() {
        assertThat(timeouts.endAfter(100, Duration.ofSeconds(60))).isTrue();
        assertThat(timeouts.nextWhileAccepted()).isEqualTo(161);
        assertThat(timeouts.isOver(160)).isFalse();
        assertThat(timeouts.isOver(161)).isTrue();

        assertThat(timeouts.endAfter(100, Duration.ofSeconds(90))).isFalse();
        assertThat(timeouts.endAfter(100, Duration.ofSeconds(30))).isTrue();
        assertThat(timeouts.endAfter(100, null)).isFalse();
        assertThat(timeouts.isOver(Integer.MAX_VALUE - 1)).isFalse();
    }

    @Test
    void theLookComesWhenThePeerOfAClosedConnectionIsGone() {
        timeouts.opened(100);

        int next = timeouts.nextWhileClosing();

        assertThat(Timeouts.isGone(timeouts.quietTicks(next - 1))).isFalse();
        assertThat(Timeouts.isGone(timeouts.quietTicks(next))).isTrue();
    }

    @Test
    void theLookComesWhenConnectIsOverdue() {
        timeouts.opened(100);

        int next = timeouts.nextWhileOpening(Duration.ofSeconds(10));

        assertThat(timeouts.ticksSinceOpened(next - 1)).isEqualTo(10);
        assertThat(timeouts.ticksSinceOpened(next)).isGreaterThan(10);
    }
}
