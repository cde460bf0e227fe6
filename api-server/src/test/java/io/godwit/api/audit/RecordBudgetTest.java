package io.godwit.api.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.audit.RecordBudget.Room;
import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import java.time.Duration;
import java.util.Optional;
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

    @Test
    void theTokensOfATenantShareTheirBudget() {
        String one = share("one", Optional.of("birds"));
        String two = share("two", Optional.of("birds"));
        budget.charge(one, 60);
        budget.charge(two, 60);
        assertThat(budget.room(one)).isEqualTo(Room.SHORT);
        assertThat(budget.room(two)).isEqualTo(Room.SHORT);
        assertThat(budget.room(share("one", Optional.empty()))).isEqualTo(Room.WHOLE);
    }

    private static String share(String name, Optional<String> tenant) {
        return new Principal(name, Role.OPERATOR, tenant, Principal.Kind.TOKEN, "file").share();
    }

    /** The number of tokens is not bounded, and that of callers here is. */
    @Test
    void aCallerIsForgottenOnlyAfterManyOthersThatCameLater() {
        int most = 10_000;
        budget.charge("a", 400);
        chargeMany("b", most - 1);
        assertThat(budget.room("a")).isEqualTo(Room.NONE);
        chargeMany("c", most - 1);
        assertThat(budget.room("a")).as("it has just asked").isEqualTo(Room.NONE);
        chargeMany("d", most);
        assertThat(budget.room("a")).isEqualTo(Room.WHOLE);
    }

    private void chargeMany(String prefix, int callers) {
        for (int i = 0; i < callers; i++) {
            budget.charge(prefix + i, 1);
        }
    }
}
