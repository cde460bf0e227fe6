package io.godwit.kv.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.store.ReplicaSlots.Phase;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicaSlotsTest {
    private final ReplicaSlots<String> slots = new ReplicaSlots<>();

    private static RangeDescriptor descriptor(long id) {
        return new RangeDescriptor("inbox", id, 1, new RangeBounds(new byte[0], null), List.of("a"));
    }

    /** Brings range 1 into {@code phase} by the way that a replica takes. */
    private void bring(Phase phase) {
        if (phase == Phase.DAMAGED) {
            slots.damaged(descriptor(1), List.of("a", "b"), "torn page");
            return;
        }
        slots.open(descriptor(1), "replica");
        if (phase == Phase.LEAVING) {
            slots.become(1, Phase.LEAVING);
        } else if (phase != Phase.OPEN) {
            for (Phase next : List.of(Phase.RETIRING, Phase.BURYING, Phase.UNDELETED)) {
                slots.become(1, next);
                if (next == phase) {
                    return;
                }
            }
        }
    }

    private static Set<Phase> after(Phase phase) {
        return switch (phase) {
            case OPEN -> EnumSet.of(Phase.OPEN, Phase.LEAVING, Phase.RETIRING);
            case DAMAGED -> EnumSet.of(Phase.LEAVING);
            case RETIRING -> EnumSet.of(Phase.BURYING);
            case BURYING -> EnumSet.of(Phase.UNDELETED);
            case LEAVING, UNDELETED -> EnumSet.noneOf(Phase.class);
        };
    }

    @ParameterizedTest
    @EnumSource
    void aPhaseFollowsOnlyFromThoseBefore(Phase phase) {
        for (Phase next : Phase.values()) {
            slots.clear();
            bring(phase);
            if (after(phase).contains(next)) {
                slots.become(1, next);
                assertThat(slot().phase()).isEqualTo(next);
            } else {
                assertThatThrownBy(() -> slots.become(1, next))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(next + " cannot follow " + phase + ": inbox-1");
                assertThat(slot().phase()).isEqualTo(phase);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatIsOpenOrRetiringIsRoutedTo(Phase phase) {
        bring(phase);

        boolean isRouted = phase == Phase.OPEN || phase == Phase.RETIRING;
        assertThat(slots.find(1)).isEqualTo(isRouted ? "replica" : null);
        assertThat(slots.replicas()).hasSize(isRouted ? 1 : 0);
        assertThat(slots.unordered()).hasSize(isRouted ? 1 : 0);
        assertThat(slots.here(1) != null).isEqualTo(isRouted || phase == Phase.DAMAGED);
        assertThat(slots.here()).hasSize(isRouted || phase == Phase.DAMAGED ? 1 : 0);
        assertThat(slot().hasEnded()).isEqualTo(phase.compareTo(Phase.RETIRING) >= 0);
    }

    @Test
    void replicasAreInTheOrderOfTheirComing() {
        slots.open(descriptor(9), "first");
        slots.open(descriptor(2), "second");
        slots.open(descriptor(5), "third");
        slots.replace(9, "first again");

        assertThat(slots.replicas()).containsExactly("first again", "second", "third");
    }

    @Test
    void aStartGoesOnWhileTheRangeRetires() {
        CompletableFuture<Void> start = new CompletableFuture<>();
        slots.open(descriptor(1), "replica");
        slots.startBegins(1, start);
        slots.become(1, Phase.RETIRING);

        assertThat(slots.starts()).containsExactly(start);
        assertThat(slot().isStarting()).isTrue();
        slots.startEnds(1);
        assertThat(slots.starts()).isEmpty();
        slots.remove(1);
        slots.startEnds(1);
        assertThat(slots.slot(1)).isNull();
    }

    @Test
    void aRangeHasOneReplica() {
        slots.open(descriptor(1), "replica");

        assertThatThrownBy(() -> slots.open(descriptor(1), "another")).hasMessage("two replicas of inbox-1");
        assertThatThrownBy(() -> slots.replace(2, "another")).hasMessage("no replica of range 2");
        assertThat(slots.find(1)).isEqualTo("replica");
    }

    @Test
    void whatIsDamagedTellsWhoHasIt() {
        bring(Phase.DAMAGED);

        assertThat(slot().fault()).isEqualTo("torn page");
        assertThat(slot().voters()).containsExactly("a", "b");
        assertThat(slots.has(Phase.DAMAGED)).isTrue();
        assertThat(slots.has(Phase.OPEN)).isFalse();
    }

    private ReplicaSlots.Slot<String> slot() {
        ReplicaSlots.Slot<String> slot = slots.slot(1);
        assertThat(slot).isNotNull();
        return slot;
    }
}
