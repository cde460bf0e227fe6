package io.godwit.api.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CallerPartsTest {
    private final CallerParts parts = new CallerParts(2);

    @Test
    void aCallerHasItsPartAndLeavesTheOthersTheirs() {
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isFalse();
        assertThat(parts.tryTake("b")).isTrue();
        parts.give("a");
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isFalse();
    }

    @Test
    void nothingIsKeptOfACallerWithNothingUnderWay() {
        for (int i = 0; i < 3; i++) {
            parts.tryTake("a");
        }
        parts.give("a");
        assertThat(parts.callers()).isEqualTo(1);
        parts.give("a");
        assertThat(parts.callers()).isZero();
    }
}
