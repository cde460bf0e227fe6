package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void aSecondsWorthGoesAtOnceThenThePaceHolds() {
        TokenBucket bucket = new TokenBucket(1000, 0);
        assertThat(bucket.take(1000, 0)).isZero();
        assertThat(bucket.take(500, 0)).isEqualTo(SECOND / 2);
        assertThat(bucket.take(500, SECOND)).isZero();
        assertThat(bucket.take(1, SECOND)).isEqualTo(SECOND / 1000);
    }

    @Test
    void silenceSavesNoMoreThanASecondsWorth() {
        TokenBucket bucket = new TokenBucket(1000, 0);
        assertThat(bucket.take(2000, 100 * SECOND)).isEqualTo(SECOND);
    }

    /** As with the publishes of one read: far less than one token flows in between two of them. */
    @Test
    void whatIsTakenInSmallStepsIsOwedInFull() {
        TokenBucket bucket = new TokenBucket(50, 0);
        long pauseNanos = 0;
        for (int i = 1; i <= 2000; i++) {
            pauseNanos = bucket.take(1, 300L * i);
        }
        assertThat(pauseNanos).isBetween(38 * SECOND, 39 * SECOND);
    }

    @Test
    void fractionsThatFlowInAreKept() {
        TokenBucket bucket = new TokenBucket(10, 0);
        bucket.take(10, 0);
        for (int i = 1; i <= 100; i++) {
            bucket.take(0, SECOND / 100 * i);
        }
        assertThat(bucket.take(9, SECOND)).isZero();
    }
}
