package io.godwit.mqtt.transport;

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
}
