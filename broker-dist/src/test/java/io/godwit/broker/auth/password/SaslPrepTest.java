package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SaslPrepTest {
    /** Combining marks of two classes in alternation, which normalization sorts. */
    private static String marks(int chars) {
        return "a" + "\u0315\u0316".repeat((chars - 1) / 2);
    }

    @Test
    void theLongestTextIsPreparedAndALongerOneRefused() {
        assertThat(SaslPrep.prepare("x".repeat(SaslPrep.MAX_CHARS))).isPresent();
        assertThat(SaslPrep.prepare("x".repeat(SaslPrep.MAX_CHARS + 1))).isEmpty();
    }

    /** Without the bound normalization would block an event loop for seconds. */
    @Test
    void whatTakesLongToNormalizeIsRefusedAtOnce() {
        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(SaslPrep.prepare(marks(60_000))).isEmpty();
        }
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(5));
        assertThat(SaslPrep.prepare(marks(SaslPrep.MAX_CHARS))).isPresent();
    }
}
