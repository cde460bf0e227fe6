package io.godwit.mqtt.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PublisherWaitsTest {
    private long nowNanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3); // it overflows on the way
    private final PublisherWaits waits = new PublisherWaits(() -> nowNanos);

    private void pass(long seconds) {
        nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Subscribers that take turns at being slow do not hold publishers for ever. */
    @Test
    void sessionsThatTakeTurnsShareFiveSecondsOfAMinute() {
        int held = 0;
        for (int second = 0; second < 60; second++) {
            boolean mayHold = waits.begin();
            pass(1);
            if (mayHold) {
                held++;
                waits.end();
            }
        }
        assertThat(held).isEqualTo(5);
        assertThat(waits.begin())
                .as("the budget is full again in the next minute")
                .isTrue();
    }

    /** Publishers that wait for ten sessions wait once. */
    @Test
    void sessionsThatHoldAtTheSameTimeCountOnce() {
        for (int i = 0; i < 10; i++) {
            assertThat(waits.begin()).isTrue();
        }
        pass(4);
        for (int i = 0; i < 10; i++) {
            waits.end();
        }
        assertThat(waits.begin()).isTrue();
        pass(1);
        waits.end();
        assertThat(waits.begin()).isFalse();
    }
}
