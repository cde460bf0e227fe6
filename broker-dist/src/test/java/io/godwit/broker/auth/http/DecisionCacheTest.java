package io.godwit.broker.auth.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DecisionCacheTest {
    private static final int MAX_ENTRIES = 100;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    private DecisionCache<String> caching(Duration time) {
        return new DecisionCache<>(time, MAX_ENTRIES, nanos::get);
    }

    @Test
    void anAnswerIsForgottenInTime() {
        DecisionCache<String> cache = caching(Duration.ofMinutes(1));
        cache.put(cache.key("question"), "answer");
        assertThat(cache.get(cache.key("another"))).isNull();
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(cache.get(cache.key("question")))
                .as("reading does not prolong it")
                .isEqualTo("answer");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(cache.get(cache.key("question"))).isNull();
    }

    @Test
    void theNumberOfAnswersIsBounded() {
        DecisionCache<String> cache = caching(Duration.ofMinutes(1));
        int asked = 10 * MAX_ENTRIES;
        for (int i = 0; i < asked; i++) {
            cache.put(cache.key("question" + i), "answer");
        }
        assertThat(IntStream.range(0, asked).filter(i -> cache.get(cache.key("question" + i)) != null))
                .hasSize(MAX_ENTRIES);
    }

    @Test
    void withoutATimeItIsNotUsed() {
        assertThat(caching(Duration.ZERO).isUsed()).isFalse();
        assertThat(caching(Duration.ofSeconds(1)).isUsed()).isTrue();
    }
}
