package io.godwit.mqtt.transport;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the connections that all listeners of a node have open at once, so that the stores can always open files. The
 * bound comes from what the
 * process may open (RLIMIT_NOFILE) and has open when the listeners start, which is after the stores.
 *
 * <p>Atomic: the loops of several listeners take from it, and every loop gives back.
 */
public final class DescriptorBudget {
    /** Sixty-four ranges with 64 files each; where fewer files are left, the connections get half of them. */
    private static final long RESERVE = 4096;

    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    DescriptorBudget(int max) {
        this.max = max;
    }

    /**
     * For this process as it is now. Without a bound where the platform does not tell its limit, and where connections
     * take no descriptors.
     */
    public static DescriptorBudget ofProcess(TransportConfig.Io io) {
        return io != TransportConfig.Io.IN_MEMORY
                        && ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? new DescriptorBudget(
                        maxConnections(system.getMaxFileDescriptorCount(), system.getOpenFileDescriptorCount()))
                : new DescriptorBudget(Integer.MAX_VALUE);
    }

    /**
     * How many of the descriptors are for connections.
     *
     * @param limit of the process; not positive when it is unknown
     * @param inUse now
     */
    static int maxConnections(long limit, long inUse) {
        if (limit <= 0) {
            return Integer.MAX_VALUE;
        }
        long left = Math.max(0, limit - inUse);
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, left - Math.min(left / 2, RESERVE)));
    }

    /** {@link Integer#MAX_VALUE} for no bound. */
    int max() {
        return max;
    }

    @Override
    public String toString() {
        return max == Integer.MAX_VALUE ? "unlimited" : Integer.toString(max);
    }

    /** Takes one, which {@link #leave} is to be called for; false when none is left. */
    boolean tryEnter() {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            return false;
        }
        return true;
    }

    void leave() {
        open.decrementAndGet();
    }
}
