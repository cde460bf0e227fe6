package io.godwit.perf.load.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.load.check.StreamCheck.Arrival;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Plants faults, of which exactly these must be found. */
class StreamCheckTest {
    private final StreamCheck check = new StreamCheck();

    @Test
    void aWholeStreamIsWithoutFault() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(check.accept(i)).isEqualTo(Arrival.NEXT);
        }
        assertThat(check.missing(1_000)).isZero();
    }

    @Test
    void lostMessagesAreCountedInTheMiddleAndAtTheEnd() {
        for (int i = 0; i < 100; i++) {
            if (i != 17 && (i < 40 || i >= 45)) {
                check.accept(i);
            }
        }
        assertThat(check.missing(100)).isEqualTo(6);
        assertThat(check.missing(103)).isEqualTo(9);
        assertThat(check.hasArrived(17)).isFalse();
        assertThat(check.hasArrived(44)).isFalse();
        assertThat(check.hasArrived(45)).isTrue();
        assertThat(check.hasArrived(100)).isFalse();
    }

    @Test
    void aRepeatIsSeenAtOnceAndLater() {
        check.accept(0);
        check.accept(1);

        assertThat(check.accept(1)).isEqualTo(Arrival.REPEATED);
        assertThat(check.accept(0)).isEqualTo(Arrival.REPEATED);
        assertThat(check.missing(2)).isZero();
    }

    @Test
    void anOvertakenMessageIsLateAndNotLost() {
        check.accept(0);
        check.accept(3);

        assertThat(check.accept(2)).isEqualTo(Arrival.OVERTAKEN);
        assertThat(check.accept(2)).isEqualTo(Arrival.REPEATED);
        assertThat(check.missing(4)).isOne();
        assertThat(check.accept(1)).isEqualTo(Arrival.OVERTAKEN);
        assertThat(check.missing(4)).isZero();
    }

    @Test
    void aStreamHeardFromTheMiddleMissesNothingBefore() {
        StreamCheck late = StreamCheck.from(500);
        late.accept(500);
        late.accept(502);

        assertThat(late.missing(0)).isOne();
    }

    /** Compares its answers with those of a set of all arrivals. */
    @Property
    void countsLikeASet(@ForAll @Size(max = 200) List<@IntRange(max = 60) Integer> arrivals) {
        StreamCheck stream = new StreamCheck();
        Set<Integer> arrived = new HashSet<>();
        int highest = -1;
        for (int sequence : arrivals) {
            Arrival expected =
                    !arrived.add(sequence) ? Arrival.REPEATED : sequence > highest ? Arrival.NEXT : Arrival.OVERTAKEN;
            highest = Math.max(highest, sequence);
            assertThat(stream.accept(sequence)).isEqualTo(expected);
        }
        assertThat(stream.missing(61)).isEqualTo(61 - arrived.size());
        for (int sequence = 0; sequence <= 60; sequence++) {
            assertThat(stream.hasArrived(sequence)).isEqualTo(arrived.contains(sequence));
        }
    }

    @Test
    void aGroupCountsOverAllItsMembers() {
        GroupCheck group = new GroupCheck(2);
        List<Boolean> firsts = new ArrayList<>();
        for (int sequence : new int[] {0, 2, 1, 2}) {
            firsts.add(group.accept(1, sequence));
        }

        assertThat(firsts).containsExactly(true, true, true, false);
        assertThat(group.missing(1, 4)).isOne();
        assertThat(group.missing(0, 4)).isEqualTo(4);
    }
}
