package io.godwit.dist.peer.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.peer.TwoNodes;
import io.godwit.dist.peer.choice.OpenQuestions.Round;
import io.godwit.dist.wire.Choice;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Limits on kept answers; {@link ChoiceQuestionsTest} tests the rest. */
class OpenQuestionsTest extends TwoNodes {
    private static final int PART_BYTES = 1_000_000;

    private final OpenQuestions open = new OpenQuestions();
    private final Peer peer = peer();
    private final List<Round> rounds = new ArrayList<>();
    private final List<Integer> tooMuch = new ArrayList<>();
    private final List<Integer> answered = new ArrayList<>();

    private Peer peer() {
        cluster.settle();
        return Objects.requireNonNull(b.links.peer("a"));
    }

    private void ask(int count) {
        for (int i = 0; i < count; i++) {
            int number = rounds.size();
            Round round = new Round(TenantId.DEFAULT, () -> tooMuch.add(number));
            rounds.add(round);
            open.ask(round, peer, ChoiceQuestion.newBuilder().setOrigin("o"), () -> answered.add(number));
        }
    }

    private void answer(int number, boolean more) {
        ChoiceAnswer answer = ChoiceAnswer.newBuilder()
                .setNumber(number)
                .addChoices(Choice.newBuilder().setFilter("x".repeat(PART_BYTES)))
                .setMore(more)
                .build();
        open.answered(peer, answer, (tenant, of) -> List.of());
    }

    /** A round keeps the answer of one member until all have answered. */
    @Test
    void theRoundThatFindsNoRoomEndsAndTheOthersGoOn() {
        int most = OpenQuestions.MOST_KEPT_BYTES / (PART_BYTES + OpenQuestions.CHOICE_BYTES);
        ask(most + 2);
        for (int i = 0; i < most; i++) {
            answer(i, false);
        }
        assertThat(tooMuch).isEmpty();
        assertThat(answered).hasSize(most);
        answer(most, true);
        assertThat(tooMuch).containsExactly(most);
        open.end(rounds.get(most));
        open.end(rounds.get(0));
        answer(most, false);
        answer(most + 1, false);
        assertThat(tooMuch)
                .as("no further round ends, because there is room again")
                .containsExactly(most);
        assertThat(answered).hasSize(most + 1).doesNotContain(most);
        assertThat(open.size()).isZero();
    }

    @Test
    void aPartIsCountedOnce() {
        ask(21);
        for (int i = 0; i < 21; i++) {
            answer(i, true);
            answer(i, true);
            answer(i, false);
        }
        assertThat(tooMuch).isEmpty();
        assertThat(answered).hasSize(21);
    }

    @Test
    void aRoundThatIsOverAsksNobody() {
        ask(1);
        open.end(rounds.get(0));
        open.ask(rounds.get(0), peer, ChoiceQuestion.newBuilder(), () -> answered.add(0));
        assertThat(open.size()).isZero();
        open.over(peer);
        answer(0, false);
        assertThat(answered).isEmpty();
    }
}
