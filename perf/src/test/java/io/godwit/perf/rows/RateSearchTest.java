package io.godwit.perf.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {
    private final List<Double> tried = new ArrayList<>();

    private double search(double first, double limit) throws Exception {
        return RateSearch.highest(first, rate -> {
            tried.add(rate);
            return rate <= limit;
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {330, 1_000, 9_990, 20_000, 20_001, 47_000, 153_000, 1_200_000})
    void theLimitIsFoundFromBelowWithinAFewPercent(double limit) throws Exception {
        double found = search(20_000, limit);

        assertThat(found).isLessThanOrEqualTo(limit).isCloseTo(limit, within(limit * 0.05));
        assertThat(tried).hasSizeLessThanOrEqualTo(11);
    }

    @Test
    void whatIsNeverReachedIsNone() throws Exception {
        assertThat(search(20_000, 0)).isZero();
        assertThat(tried).hasSize(7).last().isEqualTo(20_000 / 64.0);
    }

    /** The number of attempts is bounded. */
    @Test
    void whatIsAlwaysReachedIsTheLastThatWasTried() throws Exception {
        assertThat(search(20_000, Double.MAX_VALUE)).isEqualTo(20_000 * 64.0);
        assertThat(tried).hasSize(7);
    }
}
