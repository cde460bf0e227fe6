package io.godwit.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StreamWriterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static boolean isTooSlow(long bytes, int waitedSeconds) {
        return StreamWriter.isTooSlow(bytes, Duration.ofSeconds(waitedSeconds).toNanos(), PATIENCE);
    }

    @Test
    void aReceiverReadsAtALeastPaceOnceItsPatienceIsOver() {
        assertThat(isTooSlow(0, 60)).isFalse();
        assertThat(isTooSlow(0, 61)).isTrue();
        assertThat(isTooSlow(65_536, 61)).isTrue();
        assertThat(isTooSlow(61 * 16_384, 61)).isFalse();
        assertThat(isTooSlow(3_600 * 16_384L - 3_600, 3_600)).isTrue();
        assertThat(isTooSlow(1L << 40, 3_600)).isFalse();
    }
}
