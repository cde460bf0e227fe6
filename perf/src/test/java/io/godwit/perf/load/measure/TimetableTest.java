package io.godwit.perf.load.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The test sets the clock. */
class TimetableTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void nothingIsDueBeforeTheStart() {
        Timetable table = new Timetable(5 * SECOND, 10, 100, 0);

        assertThat(table.due(4 * SECOND)).isZero();
        assertThat(table.due(5 * SECOND)).isOne();
    }

    @Test
    void sendsAreEvenlySpread() {
        Timetable table = new Timetable(0, 4, 100, 0.5);

        assertThat(table.intendedNanos(0)).isEqualTo(125_000_000);
        assertThat(table.intendedNanos(1)).isEqualTo(375_000_000);
        assertThat(table.due(SECOND)).isEqualTo(4);
        assertThat(table.due(10 * SECOND)).isEqualTo(40);
    }

    /** A stall of the sender does not shift intended times: all sends in it are due at once, with their own times. */
    @Test
    void aStallOmitsNothing() {
        Timetable table = new Timetable(0, 1_000, 100_000, 0);
        long beforeStall = table.due(SECOND);

        long afterStall = table.due(4 * SECOND);

        assertThat(afterStall - beforeStall).isEqualTo(3_000);
        assertThat(table.intendedNanos(beforeStall)).isEqualTo(SECOND + 1_000_000);
    }

    @Test
    void itEndsWithItsCount() {
        Timetable table = new Timetable(0, 1_000, 10, 0);

        assertThat(table.due(Long.MAX_VALUE / 4)).isEqualTo(10);
    }

    /** A send is due exactly from its intended time on, to the nanosecond, at any rate. */
    @Property
    void dueAgreesWithTheIntendedTime(
            @ForAll @DoubleRange(min = 0.01, max = 1_000_000) double rate,
            @ForAll @LongRange(min = 0, max = 1_000_000) long slot,
            @ForAll @DoubleRange(min = 0, max = 1) double phase) {
        Timetable table = new Timetable(7 * SECOND, rate, 2_000_000, phase);
        long intended = table.intendedNanos(slot);

        assertThat(table.due(intended)).isGreaterThanOrEqualTo(slot + 1);
        assertThat(table.due(intended - 1)).isLessThanOrEqualTo(slot);
    }

    @Test
    void aRateOfNothingIsRefused() {
        assertThatThrownBy(() -> new Timetable(0, 0, 1, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
