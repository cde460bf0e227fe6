package io.godwit.inbox.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeIndexTest {
    private final TimeIndex<String> index = new TimeIndex<>(1000);
    private final List<String> due = new ArrayList<>();

    @Test
    void entriesComeOutWhenTheirTimeHasComeInOrder() {
        index.add(30, "c");
        index.add(10, "a");
        index.add(20, "b");
        index.drainDue(9, due::add);
        assertThat(due).isEmpty();
        assertThat(index.firstMillis()).isEqualTo(10);
        index.drainDue(20, due::add);
        assertThat(due).containsExactly("a", "b");
    }

    @Test
    void onlyTheEarliestTimeOfAThingIsKept() {
        for (int i = 0; i < 1000; i++) {
            index.add(500 - i % 400, "a");
        }
        assertThat(index.size()).isOne();
        index.drainDue(101, due::add);
        assertThat(due).containsExactly("a");
        index.drainDue(999, due::add);
        assertThat(due).containsExactly("a");
        assertThat(index.firstMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatLiesBeyondTheHorizonIsNotHeld() {
        index.add(1000, "late");
        assertThat(index.size()).isZero();
        index.extendTo(2000);
        index.add(1000, "late");
        index.drainDue(1000, due::add);
        assertThat(due).containsExactly("late");
    }
}
