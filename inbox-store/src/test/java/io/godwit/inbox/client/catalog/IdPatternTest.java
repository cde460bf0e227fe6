package io.godwit.inbox.client.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IdPatternTest {
    private static String random(Random random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(2))); // few letters, so that matches are long before they fail
        }
        return text.toString();
    }

    @Test
    void findsWhatThePlainSearchFinds() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int found = 0;
        for (int i = 0; i < 2_000; i++) {
            String id = random(random, 1_000 + random.nextInt(1_000));
            int from = random.nextInt(900);
            String part = id.substring(from, from + 20 + random.nextInt(80));
            String text = random.nextBoolean() ? part : random(random, 2) + part + random(random, 1);
            boolean isFound = new IdPattern(text, false).matches(id);
            assertThat(isFound).as("seed %d, %s in %s", seed, text, id).isEqualTo(id.contains(text));
            found += isFound ? 1 : 0;
        }
        assertThat(found).isBetween(500, 1_900);
    }

    @Test
    void isSomewhereOrAtTheBeginning() {
        assertThat(new IdPattern("", false).matches("x")).isTrue();
        assertThat(new IdPattern("b", false).matches("abc")).isTrue();
        assertThat(new IdPattern("b", true).matches("abc")).isFalse();
        assertThat(new IdPattern("abcd", false).matches("abc")).isFalse();
        assertThat(new IdPattern("B", false).matches("abc")).isFalse();
        assertThat(new IdPattern("x".repeat(300), false).matches("y".repeat(400) + "x".repeat(300)))
                .isTrue();
    }

    /** The plain search would compare hundreds of characters at each position of the client id. */
    @Test
    void noTextAndNoClientIdMakeALookLong() {
        String id = "a".repeat(65_535);
        IdPattern pattern = new IdPattern("a".repeat(1_023) + "b", false);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 500; i++) {
            assertThat(pattern.matches(id)).isFalse();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(threads.getCurrentThreadCpuTime() - begun);
        assertThat(millis).isLessThan(2_000);
    }
}
