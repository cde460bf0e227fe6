package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what will be. */
final class Await {
    /** Long, since machines are slow and busy; nothing takes so long that goes well. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private Await() {}

    /** Fails when it does not come to hold. */
    static void sure(String what, BooleanSupplier condition) {
        assertThat(until(condition, PATIENCE)).as(what).isTrue();
    }

    /** Returns whether it came to hold. */
    static boolean until(BooleanSupplier condition, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > giveUp) {
                return false;
            }
            LockSupport.parkNanos(5_000_000);
        }
        return true;
    }
}
