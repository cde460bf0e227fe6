package io.godwit.broker.admin.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.admin.FakeNode;
import io.godwit.kv.balance.BalanceControl;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pauses that end automatically, together with those of operators. */
class LimitedPausesTest {
    private static final String NAME = "split";

    @TempDir
    private Path directory;

    private final LimitedPauses pauses = new LimitedPauses(System::nanoTime, LimitedPauses.REST);
    private BalanceControl balancers;

    @BeforeEach
    void begin() {
        balancers = new FakeNode(FakeNode.A, directory).inbox.balance();
    }

    @AfterEach
    void close() {
        pauses.close();
    }

    private boolean isPaused() {
        return balancers.list().join().stream()
                .filter(each -> each.name().equals(NAME))
                .anyMatch(BalancerStatus::isPaused);
    }

    private CompletableFuture<Void> pause(int seconds) {
        return pauses.pause(balancers, "inbox", NAME, seconds);
    }

    private void awaitEnd() {
        Await.until("the end of the pause", () -> pauses.of("inbox", NAME) == null);
    }

    @Test
    void aRestThatBeginsMeanwhileGoesOnBehindThePause() {
        pause(1).join();
        pauses.rest(balancers, "inbox", NAME).join();
        awaitEnd();
        assertThat(isPaused()).isTrue();
        pauses.unrest(balancers, "inbox", NAME).join();
        assertThat(isPaused()).isFalse();
    }

    @Test
    void aRestOfBeforeGoesOnBehindThePause() {
        pauses.rest(balancers, "inbox", NAME).join();
        pause(1).join();
        pause(1).join(); // a second pause, which does not change this
        awaitEnd();
        assertThat(isPaused()).isTrue();
    }

    @Test
    void thePauseGoesOnBehindARest() {
        pauses.rest(balancers, "inbox", NAME).join();
        pause(3_600).join();
        pauses.unrest(balancers, "inbox", NAME).join();
        assertThat(isPaused()).isTrue();
        assertThat(pauses.of("inbox", NAME)).isNotNull().matches(pause -> pause.secondsLeft() > 3_000);
        pauses.resume(balancers, "inbox", NAME).join();
        assertThat(isPaused()).isFalse();
        assertThat(pauses.of("inbox", NAME)).isNull();
    }

    @Test
    void aRestEndsWhenNobodyAsksForItAgain() {
        try (LimitedPauses shortRests = new LimitedPauses(System::nanoTime, Duration.ofMillis(300))) {
            for (int i = 0; i < 20; i++) {
                shortRests.rest(balancers, "inbox", NAME).join();
                assertThat(isPaused()).isTrue();
            }
            Await.until("the end of the rest", () -> !isPaused());

            shortRests.rest(balancers, "inbox", NAME).join();
            assertThat(isPaused()).isTrue();
        }
    }

    @Test
    void aRestThatNobodyAsksForAgainLeavesAPause() {
        try (LimitedPauses shortRests = new LimitedPauses(System::nanoTime, Duration.ofMillis(100))) {
            shortRests.pause(balancers, "inbox", NAME, 3_600).join();
            shortRests.rest(balancers, "inbox", NAME).join();
            Await.until("the end of the rest", () -> {
                LimitedPauses.Pause pause = shortRests.of("inbox", NAME);
                return pause != null && !pause.alsoRests();
            });
            assertThat(isPaused()).isTrue();
        }
    }

    @Test
    void whatIsNotThereOrTooLongIsRefusedAndLeavesNothing() {
        assertThatThrownBy(() -> pause(86_401).join()).hasMessageContaining("86400");
        assertThatThrownBy(() -> pause(0).join()).hasMessageContaining("1 to");
        assertThatThrownBy(() -> pauses.pause(balancers, "inbox", "nobody", 5).join())
                .hasMessageContaining("nobody");
        assertThat(pauses.of("inbox", "nobody")).isNull();
        assertThat(isPaused()).isFalse();
    }
}
