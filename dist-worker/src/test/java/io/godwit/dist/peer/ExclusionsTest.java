package io.godwit.dist.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.NodeLife;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExclusionsTest {
    private static final NodeLife SELF = new NodeLife("self", 1);
    private static final NodeLife OTHER = new NodeLife("other", 1);

    private final TestView view = new TestView();
    private final TestView.TestMembers members = view.members(SELF);
    private final ManualTimers timers = new ManualTimers();
    private final Exclusions exclusions = new Exclusions(members, timers, timers::nanoTime);

    @BeforeEach
    void twoMembersWithoutAgreement() {
        view.join(SELF);
        view.join(OTHER);
        view.hasMajority = false;
    }

    @Test
    void whatCannotBeAgreedOnIsAskedAgain() {
        CompletableFuture<Void> agreed = exclusions.exclude(OTHER, "test", () -> true);
        timers.advance(Duration.ofSeconds(6));
        assertThat(agreed).isNotDone();
        view.hasMajority = true;
        timers.advance(Duration.ofSeconds(1));
        assertThat(agreed).isCompleted().isNotCompletedExceptionally();
        assertThat(members.excluded).containsExactly(OTHER);
    }

    @Test
    void whoConfirmsMeanwhileIsNotExcluded() {
        AtomicBoolean isNeeded = new AtomicBoolean(true);
        CompletableFuture<Void> agreed = exclusions.exclude(OTHER, "test", isNeeded::get);
        timers.advance(Duration.ofSeconds(2));
        isNeeded.set(false);
        timers.advance(Duration.ofSeconds(1));
        view.hasMajority = true;
        timers.advance(Duration.ofSeconds(20));
        assertThat(agreed).isCompletedExceptionally();
        assertThat(members.excluded).isEmpty();
    }

    @Test
    void eachWaitsForItsOwnPatienceAndNoLonger() {
        CompletableFuture<Void> first = exclusions.exclude(OTHER, "first", () -> true);
        timers.advance(Exclusions.PATIENCE.minusSeconds(2));
        CompletableFuture<Void> second = exclusions.exclude(OTHER, "second", () -> true);
        assertThat(first).isNotDone();
        timers.advance(Duration.ofSeconds(3));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isNotDone();
        timers.advance(Exclusions.PATIENCE);
        assertThat(second).isCompletedExceptionally();
        view.hasMajority = true;
        timers.advance(Duration.ofSeconds(20));
        assertThat(members.excluded).as("it is asked no more").isEmpty();
    }

    @Test
    void afterTheCloseNothingIsAskedAgain() {
        CompletableFuture<Void> agreed = exclusions.exclude(OTHER, "test", () -> true);
        exclusions.close();
        view.hasMajority = true;
        timers.advance(Duration.ofSeconds(2));
        assertThat(members.excluded).as("what was to be asked again by then").isEmpty();
        assertThat(agreed).isCompletedExceptionally();
    }
}
