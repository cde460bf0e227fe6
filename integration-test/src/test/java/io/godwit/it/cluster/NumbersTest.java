package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** It finds what is planted, and nothing else. */
class NumbersTest {
    private final Numbers numbers = new Numbers();

    private void given(int... all) {
        for (int number : all) {
            numbers.add("t", number);
        }
    }

    @Test
    void nothingIsWrongWithWhatCameInOrder() {
        given(0, 1, 2, 4);
        assertThat(numbers.wrong("t", 2, Set.of(0, 1, 4))).isEmpty();
        assertThat(numbers.hasAll("t", Set.of(0, 4))).isTrue();
    }

    @Test
    void aLostOneIsFound() {
        given(0, 2);
        assertThat(numbers.wrong("t", 1, Set.of(0, 1, 2))).containsExactly("t: acknowledged and lost: [1]");
        assertThat(numbers.wrong("other", 1, Set.of(7))).containsExactly("other: acknowledged and lost: [7]");
        assertThat(numbers.hasAll("t", Set.of(1))).isFalse();
    }

    @Test
    void oneOfQos2ThatComesTwiceIsFound() {
        given(0, 1, 1);
        assertThat(numbers.wrong("t", 1, Set.of())).isEmpty();
        assertThat(numbers.wrong("t", 2, Set.of())).containsExactly("t: twice: 1");
    }

    @Test
    void oneThatIsOvertakenIsFoundButNotARepeatedOne() {
        given(0, 2, 0, 1);
        assertThat(numbers.wrong("t", 1, Set.of())).containsExactly("t: 1 behind 2");
    }
}
