package io.godwit.dist.peer.choice;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.peer.link.ManualTimers;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ChoiceWaitsTest {
    private static final Duration TIME = Duration.ofSeconds(9);

    private final ManualTimers timers = new ManualTimers();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final ChoiceWaits waits = new ChoiceWaits(
            timers, timers::nanoTime, TIME, new WaitReports(this::onEvent, meters, NodeWait.SHARED_CHOICE));

    private void onEvent(BrokerEvent event) {
        assertThat(Thread.holdsLock(waits)).isFalse();
        events.add(event);
    }

    private CompletableFuture<Void> begin() {
        return begin("n2");
    }

    private CompletableFuture<Void> begin(String missing) {
        CompletableFuture<Void> wait = new CompletableFuture<>();
        waits.begin(wait, () -> missing);
        return wait;
    }

    private double overCount() {
        return meters.get("godwit.waits.over")
                .tag("wait", "shared_choice")
                .counter()
                .count();
    }

    private static BrokerEvent ranOut(String missing) {
        return new BrokerEvent.WaitRanOut(NodeWait.SHARED_CHOICE, TIME, missing);
    }

    private static RangeException.Cause reason(CompletableFuture<Void> failed) {
        assertThat(failed).isCompletedExceptionally();
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
        timers.advance(TIME.minusSeconds(7));
        assertThat(reason(first)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(second).isNotDone();
        timers.advance(Duration.ofSeconds(7));
        assertThat(reason(second)).isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(waits.size()).isZero();
        CompletableFuture<Void> third = begin();
        timers.advance(TIME);
        assertThat(reason(third)).isEqualTo(RangeException.Cause.TIMEOUT);
    }

    @Test
    void eachThatRunsOutIsReportedOnceAndNoOther() {
        CompletableFuture<Void> first = begin("n2");
        CompletableFuture<Void> answered = begin("n3");
        CompletableFuture<Void> refused = begin("n4");
        CompletableFuture<Void> second = begin("n5");
        answered.complete(null);
        refused.completeExceptionally(new RangeException(RangeException.Cause.OVERLOADED, "too much"));
        timers.advance(TIME.minusNanos(1));
        assertThat(first).isNotDone();
        assertThat(events).isEmpty();
        assertThat(overCount()).as("counted from the beginning").isZero();
        timers.advance(Duration.ofNanos(1));
        assertThat(List.of(first, second)).allMatch(CompletableFuture::isCompletedExceptionally);
        timers.advance(TIME.multipliedBy(3));
        assertThat(events).containsExactly(ranOut("n2"), ranOut("n5"));
        assertThat(overCount()).isEqualTo(2);
    }

    /** The end of one message may answer others. */
    @Test
    void oneThatIsAnsweredWhileAnotherRunsOutIsNotReported() {
        CompletableFuture<Void> first = begin("n2");
        CompletableFuture<Void> second = begin("n3");
        first.whenComplete((done, failure) -> second.complete(null));
        timers.advance(TIME);
        assertThat(second).isCompleted();
        assertThat(events).containsExactly(ranOut("n2"));
        assertThat(overCount()).isOne();
    }

    @Test
    void soManyWaitAndNoMore() {
        CompletableFuture<Void> first = begin();
        for (int i = 1; i < ChoiceWaits.MOST; i++) {
            begin();
        }
        assertThat(reason(begin())).isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(waits.size()).isEqualTo(ChoiceWaits.MOST);
        assertThat(events).as("it has not waited").isEmpty();
        first.complete(null);
        assertThat(begin()).isNotDone();
    }
}
