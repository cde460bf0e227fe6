package io.godwit.mqtt.transport;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether an event loop has stood still for so long that the other nodes of a cluster may have gone on without this
 * one, as after SIGSTOP or when a virtual machine is suspended: then its clients may be connected elsewhere by now, and
 * what they have sent here must not be answered before this node has proved again that it serves. A node that has not
 * proved it, but did not stand still, goes on to answer. Confined to the loop.
 *
 * <p>The monotonic clock of a suspended machine may stand still with it. So the wall clock is asked too: one that jumps
 * ahead costs a wait for the next proof, one that goes back changes nothing.
 */
final class Standstill {
    /**
     * Others exclude a node after seven seconds of silence at the earliest: five until a client id or a confirmation is
     * missed, two until what the node had proved is over.
     */
    static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long NOTICED_MILLIS = TimeUnit.NANOSECONDS.toMillis(NOTICED_NANOS);

    private final LongSupplier nanoTime;
    private final LongSupplier wallMillis;
    /** Null on a node that is alone. */
    private @Nullable BooleanSupplier serves;

    private long lastNanos;
    private long lastMillis;
    private boolean isInDoubt;

    Standstill(LongSupplier nanoTime, LongSupplier wallMillis) {
        this.nanoTime = nanoTime;
        this.wallMillis = wallMillis;
        goOn();
    }

    /** @param proof whether the node has proved lately that it serves; any thread may ask */
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

    /** Whether nothing that clients have sent may be handled yet. */
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
