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
 */
final class Standstill {
    /**
     * Others exclude a node after seven seconds of silence at the earliest: five until a client id or a confirmation is
     * missed, two until what the node had proved is over.
     */
    static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final LongSupplier nanoTime;
    /** Null on a node that is alone. */
    private @Nullable BooleanSupplier serves;

    private long lastNanos;
    private boolean isInDoubt;

    Standstill(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong();
    }

    /** @param proof whether the node has proved lately that it serves; any thread may ask */
    void dependOn(BooleanSupplier proof) {
        serves = proof;
    }

    /** Called once a second. */
    void onSweep() {
        look();
        lastNanos = nanoTime.getAsLong();
    }

    private void look() {
        if (nanoTime.getAsLong() - lastNanos > NOTICED_NANOS) {
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
            lastNanos = nanoTime.getAsLong();
        }
        return isInDoubt;
    }
}
