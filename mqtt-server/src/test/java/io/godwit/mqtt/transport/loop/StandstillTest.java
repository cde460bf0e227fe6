package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StandstillTest {
    private long now = Long.MAX_VALUE - 5; // it overflows
    private long wallMillis = 1_700_000_000_000L;
    private boolean serves;

    private final Standstill standstill = new Standstill(() -> now, () -> wallMillis);

    StandstillTest() {
        standstill.dependOn(() -> serves);
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
        wallMillis += millis;
    }

    @Test
    void aLoopThatGoesOnIsNotInDoubtWithoutProof() {
        for (int i = 0; i < 20; i++) {
            pass(1_000);
            assertThat(standstill.isInDoubt()).isFalse();
            standstill.onSweep();
        }
    }

    @Test
    void aLoopThatStoodStillIsInDoubtUntilThereIsProof() {
        standstill.onSweep();
        pass(3_500);
        assertThat(standstill.isInDoubt()).isTrue();
        pass(100);
        assertThat(standstill.isInDoubt()).isTrue();
        serves = true;
        assertThat(standstill.isInDoubt()).isFalse();
        serves = false;
        pass(900);
        assertThat(standstill.isInDoubt()).isFalse();
    }

    @Test
    void theSweepMayBeTheFirstToRunAfterwards() {
        standstill.onSweep();
        pass(20_000);
        standstill.onSweep();
        pass(10);
        standstill.onSweep();
        assertThat(standstill.isInDoubt()).isTrue();
    }

    @Test
    void aMachineThatWasSuspendedIsInDoubtThoughItsMonotonicClockStoodStill() {
        standstill.onSweep();
        wallMillis += 60_000;
        assertThat(standstill.isInDoubt()).isTrue();
        serves = true;
        assertThat(standstill.isInDoubt()).isFalse();
        serves = false;
        assertThat(standstill.isInDoubt()).isFalse();
    }

    @Test
    void aWallClockThatGoesBackChangesNothing() {
        standstill.onSweep();
        wallMillis -= 3_600_000;
        assertThat(standstill.isInDoubt()).isFalse();
        standstill.onSweep();
        pass(3_500);
        assertThat(standstill.isInDoubt()).isTrue();
    }

    @Test
    void aLoopThatWasBusyIsNotInDoubtWithProof() {
        serves = true;
        pass(5_000);
        assertThat(standstill.isInDoubt()).isFalse();
    }

    @Test
    void aNodeThatIsAloneIsNeverInDoubt() {
        Standstill alone = new Standstill(() -> now, () -> wallMillis);
        pass(60_000);
        assertThat(alone.isInDoubt()).isFalse();
    }
}
