package io.godwit.mqtt.transport.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether an event loop has stood still for so long that the other cluster nodes may have gone on without this
 * one, as after SIGSTOP or when a virtual machine is suspended. Its clients may then be connected elsewhere, and their
 * packets here must not be answered before this node has proved again that it serves. A node without a recent proof
 * that did not stand still continues to answer. Confined to the loop.
 *
 * <p>The monotonic clock of a suspended machine may stand still with it, so the wall clock is checked too: one that
 * jumps ahead costs a wait for the next proof, one that goes back changes nothing.
 */
final class Standstill {
    /**
     * Other nodes exclude a node after seven seconds of silence at the earliest: five until they miss it for a client
     * id or a confirmation, two until its last proof expires.
     */
    static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long NOTICED_MILLIS = TimeUnit.NANOSECONDS.toMillis(NOTICED_NANOS);

    private final LongSupplier nanoTime;
    private final LongSupplier wallMillis;
    /** Null on a node without a cluster. */
    private @Nullable BooleanSupplier serves;

    private long lastNanos;
    private long lastMillis;
    private boolean isInDoubt;

    Standstill(LongSupplier nanoTime, LongSupplier wallMillis) {
        this.nanoTime = nanoTime;
        this.wallMillis = wallMillis;
        goOn();
    }

    /** @param proof whether the node has recently proved that it serves; callable on any thread */
    void dependOn(BooleanSupplier proof) {
        serves = proof;
    }

    /** Called once a second. */
    void onSweep() {
        look();
        goOn();
    }

    private void goOn() {
        lastNanos = nanoTime.getAsLong();
        lastMillis = wallMillis.getAsLong();
    }

    private void look() {
        if (nanoTime.getAsLong() - lastNanos > NOTICED_NANOS || wallMillis.getAsLong() - lastMillis > NOTICED_MILLIS) {
            isInDoubt = true;
        }
    }

    /** Whether packets of clients must not be handled yet. */
    boolean isInDoubt() {
        BooleanSupplier proof = serves;
        if (proof == null) {
            return false;
        }
        look();
        if (isInDoubt && proof.getAsBoolean()) {
            isInDoubt = false;
            goOn();
        }
        return isInDoubt;
    }
}
