package io.godwit.mqtt.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class SpaceSavingTest {
    private static long count(SpaceSaving<String> sketch, String key) {
        return sketch.counters().stream()
                .filter(counter -> counter.key().equals(key))
                .mapToLong(SpaceSaving.Counter::count)
                .sum();
    }

    @Test
    void fewKeysAreCountedExactly() {
        SpaceSaving<String> sketch = new SpaceSaving<>(3, 1);
        sketch.add("a", 5).add(0, 50);
        sketch.add("b", 1);
        sketch.add("a", 2).add(0, 20);
        assertThat(sketch.counters()).hasSize(2).allMatch(counter -> counter.error() == 0);
        assertThat(count(sketch, "a")).isEqualTo(7);
        assertThat(sketch.counters())
                .filteredOn(counter -> counter.key().equals("a"))
                .singleElement()
                .matches(counter -> counter.sum(0) == 70);
    }

    @Test
    void aNewKeyTakesThePlaceOfTheLeast() {
        SpaceSaving<String> sketch = new SpaceSaving<>(2, 0);
        sketch.add("a", 5);
        sketch.add("b", 3);
        SpaceSaving.Counter<String> c = sketch.add("c", 1);
        assertThat(c.count()).isEqualTo(4);
        assertThat(c.error()).isEqualTo(3);
        assertThat(sketch.counters()).extracting(SpaceSaving.Counter::key).containsExactlyInAnyOrder("a", "c");
        sketch.clear();
        assertThat(sketch.counters()).isEmpty();
        assertThat(sketch.add("b", 1).error()).isZero();
    }

    /** The bounds of the paper, against an exact count, for any input. */
    @RepeatedTest(20)
    void theBoundsHold(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int size = 1 + random.nextInt(20);
        SpaceSaving<String> sketch = new SpaceSaving<>(size, 1);
        Map<String, Long> exact = new HashMap<>();
        long total = 0;
        for (int i = 0; i < 5_000; i++) {
            // a few frequent keys, and many that appear once, as an attacker would send
            String key = random.nextInt(3) == 0 ? "new" + i : "k" + (int) Math.abs(random.nextGaussian() * 8);
            long weight = random.nextInt(10);
            exact.merge(key, weight, Long::sum);
            total += weight;
            sketch.add(key, weight).add(0, weight);
        }
        List<SpaceSaving.Counter<String>> counters = sketch.counters();
        assertThat(counters).hasSizeLessThanOrEqualTo(size);
        long least =
                counters.stream().mapToLong(SpaceSaving.Counter::count).min().orElseThrow();
        assertThat(least).isLessThanOrEqualTo(total / size);
        for (SpaceSaving.Counter<String> counter : counters) {
            long is = exact.get(counter.key());
            assertThat(counter.count()).isBetween(is, is + counter.error());
            assertThat(counter.error()).isLessThanOrEqualTo(total / size);
            assertThat(counter.sum(0)).isLessThanOrEqualTo(is);
        }
        long bound = total / size;
        exact.forEach((key, is) -> {
            if (is > bound) {
                assertThat(counters).extracting(SpaceSaving.Counter::key).contains(key);
            }
        });
        assertThat(counters.stream().mapToLong(SpaceSaving.Counter::count).sum())
                .isEqualTo(total);
    }
}
