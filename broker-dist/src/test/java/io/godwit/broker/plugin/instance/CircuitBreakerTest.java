package io.godwit.broker.plugin.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.plugin.instance.CircuitBreaker.Permit;
import io.godwit.broker.plugin.instance.CircuitBreaker.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private long nanos = -5;
    private long calls;
    private final List<String> states = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker(() -> nanos, 3, () -> calls, () -> states.add("changed"));

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    private boolean fails() {
        calls++;
        Permit permit = breaker.ask();
        return breaker.failed(permit);
    }

    private void open() {
        fails();
        fails();
        assertThat(fails()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void fewFailuresOrFewOfManyLeaveItClosed() {
        assertThat(fails()).isFalse();
        assertThat(fails()).isFalse();
        calls += 100;
        assertThat(fails()).isFalse();
        assertThat(breaker.ask()).isEqualTo(Permit.YES);
        pass(31);
        assertThat(fails()).as("older failures are no longer counted").isFalse();
    }

    /** Otherwise one client that makes the service slow would shut out all others. */
    @Test
    void aBurstOfFailuresAmongManyGoodCallsLeavesItClosed() {
        for (int i = 0; i < 100; i++) {
            calls += 10;
            pass(1);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(fails()).isFalse();
        }
        int more = 0;
        while (!fails()) {
            more++;
        }
        assertThat(more).as("further failures until the circuit opens").isBetween(70, 90);
    }

    @Test
    void oneCallAtATimeIsOnTrialAndPausesGrow() {
        open();
        assertThat(breaker.ask()).isEqualTo(Permit.NO);
        pass(5);
        assertThat(breaker.ask()).isEqualTo(Permit.TRIAL);
        assertThat(breaker.ask()).isEqualTo(Permit.NO);
        assertThat(breaker.failed(Permit.TRIAL)).isFalse();
        pass(9);
        assertThat(breaker.ask()).isEqualTo(Permit.NO);
        pass(1);
        assertThat(breaker.ask()).isEqualTo(Permit.TRIAL);
        breaker.succeeded(Permit.TRIAL);
        assertThat(breaker.ask()).isEqualTo(Permit.YES);
        open();
        pass(5);
        assertThat(breaker.ask()).as("the pauses start again from the shortest").isEqualTo(Permit.TRIAL);
    }

    @Test
    void callsBegunBeforeTheOpeningChangeNothing() {
        open();
        breaker.succeeded(Permit.YES);
        assertThat(breaker.failed(Permit.YES)).isFalse();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(states).hasSize(1);
    }

    @Test
    void pausesAreNeverLongerThanAMinute() {
        open();
        for (int i = 0; i < 80; i++) {
            pass(60);
            assertThat(breaker.ask()).isEqualTo(Permit.TRIAL);
            breaker.failed(Permit.TRIAL);
        }
    }
}
