package io.godwit.kv.range.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.RangeBounds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ReplicaStateTest {
    private static final KnownLeadership KNOWN =
            new KnownLeadership(new RouteToken(1, 7, 3), new RangeBounds(new byte[0], null));
    private final RangeException cause = new RangeException(Cause.CLOSED, "closed");

    private static final ReplicaState<String> FOLLOWING = new ReplicaState.Following<>();
    private static final ReplicaState<String> ELECTED = new ReplicaState.Elected<>(7);
    private static final ReplicaState<String> SERVING = new ReplicaState.Serving<>(7, "leadership", KNOWN);
    private static final ReplicaState<String> FROZEN = new ReplicaState.Frozen<>(7, "leadership");
    private final ReplicaState<String> ended = new ReplicaState.Ended<>(cause);

    private final Map<String, UnaryOperator<ReplicaState<String>>> transitions = transitions();

    private Map<String, UnaryOperator<ReplicaState<String>>> transitions() {
        Map<String, UnaryOperator<ReplicaState<String>>> all = new LinkedHashMap<>();
        all.put("elected", state -> state.elected(7));
        all.put("serving", state -> state.serving("leadership", KNOWN));
        all.put("frozen", ReplicaState::frozen);
        all.put("silenced", ReplicaState::silenced);
        all.put("deposed", ReplicaState::deposed);
        all.put("ended", state -> state.ended(cause));
        return all;
    }

    /** Applies each transition to {@code state}; the name of the next state, or "-" where there is none. */
    private List<String> nextOf(ReplicaState<String> state) {
        List<String> next = new ArrayList<>();
        transitions.values().forEach(transition -> {
            try {
                next.add(transition.apply(state).getClass().getSimpleName());
            } catch (IllegalStateException e) {
                next.add("-");
            }
        });
        return next;
    }

    @Test
    void eachStateHasItsTransitions() {
        assertThat(transitions.keySet())
                .containsExactly("elected", "serving", "frozen", "silenced", "deposed", "ended");
        assertThat(nextOf(FOLLOWING)).containsExactly("Elected", "-", "-", "-", "Following", "Ended");
        assertThat(nextOf(ELECTED)).containsExactly("-", "Serving", "-", "Elected", "Following", "Ended");
        assertThat(nextOf(SERVING)).containsExactly("-", "-", "Frozen", "Elected", "Following", "Ended");
        assertThat(nextOf(FROZEN)).containsExactly("-", "-", "-", "Elected", "Following", "Ended");
        assertThat(nextOf(ended)).containsExactly("Ended", "-", "-", "-", "Ended", "Ended");
    }

    @Test
    void theTermLastsUntilTheReplicaIsDeposed() {
        assertThat(List.of(FOLLOWING.leaderTerm(), ELECTED.leaderTerm(), SERVING.leaderTerm(), FROZEN.leaderTerm()))
                .containsExactly(0L, 7L, 7L, 7L);
        assertThat(ended.leaderTerm()).isZero();
        assertThat(FROZEN.silenced().leaderTerm()).isEqualTo(7);
        assertThat(FROZEN.deposed().elected(8).leaderTerm()).isEqualTo(8);
    }

    @Test
    void aFrozenLeadershipIsStillCurrent() {
        assertThat(SERVING.current()).isEqualTo("leadership");
        assertThat(SERVING.frozen().current()).isEqualTo("leadership");
        assertThat(FROZEN.silenced().current()).isNull();
        assertThat(FOLLOWING.current()).isNull();
        assertThat(ended.current()).isNull();
    }

    @Test
    void theFirstEndIsTheCause() {
        ReplicaState<String> next = SERVING.ended(cause).ended(new RangeException(Cause.TIMEOUT, "later"));

        assertThat(next).isEqualTo(new ReplicaState.Ended<String>(cause));
    }

    @Test
    void anIllegalTransitionNamesStateAndTransition() {
        assertThatThrownBy(() -> SERVING.elected(8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Serving has no transition \"elected\"");
    }
}
