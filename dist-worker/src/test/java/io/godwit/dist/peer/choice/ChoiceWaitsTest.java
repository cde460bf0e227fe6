package io.godwit.dist.peer.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.peer.link.ManualTimers;
import io.godwit.kv.client.RangeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ChoiceWaitsTest {
    private final ManualTimers timers = new ManualTimers();
    private final ChoiceWaits waits = new ChoiceWaits(timers, timers::nanoTime);

    private CompletableFuture<Void> begin() {
        CompletableFuture<Void> wait = new CompletableFuture<>();
        waits.begin(wait);
        return wait;
    }

    private static RangeException.Cause reason(CompletableFuture<Void> failed) {
        Throwable failure = failed.handle((done, thrown) -> thrown).join();
        assertThat(failure).isInstanceOf(RangeException.class);
        return ((RangeException) failure).reason();
    }

    @Test
    void eachEndsAtItsOwnTime() {
        CompletableFuture<Void> first = begin();
        timers.advance(Duration.ofSeconds(7));
        CompletableFuture<Void> answered = begin();
        CompletableFuture<Void> second = begin();
        answered.complete(null);
        assertThat(waits.size()).isEqualTo(2);
        timers.advance(ChoiceWaits.MOST_TIME.minusSeconds(7));
        assertThat(reason(first)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(second).isNotDone();
        timers.advance(Duration.ofSeconds(7));
        assertThat(reason(second)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(waits.size()).isZero();
        CompletableFuture<Void> third = begin();
        timers.advance(ChoiceWaits.MOST_TIME);
        assertThat(reason(third)).isEqualTo(RangeException.Cause.TIMEOUT);
    }

    @Test
    void soManyWaitAndNoMore() {
        CompletableFuture<Void> first = begin();
        for (int i = 1; i < ChoiceWaits.MOST; i++) {
            begin();
        }
        assertThat(reason(begin())).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(waits.size()).isEqualTo(ChoiceWaits.MOST);
        first.complete(null);
        assertThat(begin()).isNotDone();
    }
}
