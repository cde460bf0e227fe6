package io.godwit.api.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.audit.RecordBudget.Room;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecordBudgetTest {
    private long nanos = -5; // the clock may be negative
    private final RecordBudget budget = new RecordBudget(new RecordBudget.Bounds(100, 400), () -> nanos);

    @Test
    void recordsGetShortAndThenMustWait() {
        assertThat(budget.room("a")).isEqualTo(Room.WHOLE);
        budget.charge("a", 99);
        assertThat(budget.room("a")).isEqualTo(Room.WHOLE);
        budget.charge("a", 1);
        assertThat(budget.room("a")).isEqualTo(Room.SHORT);
        budget.charge("a", 300);
        assertThat(budget.room("a")).isEqualTo(Room.NONE);
        assertThat(budget.room("b")).as("another caller").isEqualTo(Room.WHOLE);
    }

    @Test
    void whatWasWrittenIsForgottenOverAnHour() {
        budget.charge("a", 400);
        nanos += Duration.ofMinutes(6).toNanos();
        assertThat(budget.room("a")).isEqualTo(Room.SHORT);
        budget.charge("a", 40);
        assertThat(budget.room("a")).isEqualTo(Room.NONE);
        nanos += Duration.ofMinutes(46).toNanos();
        assertThat(budget.room("a")).isEqualTo(Room.WHOLE);
        nanos += Duration.ofDays(1).toNanos();
        budget.charge("a", 99);
        assertThat(budget.room("a")).as("no more is saved up").isEqualTo(Room.WHOLE);
        budget.charge("a", 1);
        assertThat(budget.room("a")).isEqualTo(Room.SHORT);
    }

    @Test
    void aHigherRateOfRequestsNeedsMore() {
        assertThat(RecordBudget.Bounds.of(1)).isEqualTo(RecordBudget.Bounds.of(100));
        assertThat(RecordBudget.Bounds.of(1_000).all())
                .isEqualTo(10 * RecordBudget.Bounds.of(100).all());
    }
}
