package io.godwit.plugin.balance;

import java.time.Duration;

/**
 * The load of a range, measured by its leader. An operation is a read or write of one key in the database; a request
 * may need many.
 *
 * @param measuredFor how long this leader has been measuring. A new leader starts again at zero; until it has
 *     measured for a while, the other values are those of the previous leader
 * @param operationsPerSecond mean of the last seconds
 * @param peakOperationsPerSecond the highest such mean of the last minutes (as far as {@code measuredFor} goes)
 * @param operationNanos mean time of an operation in the last seconds; 0 without any
 */
public record RangeLoad(
        Duration measuredFor, double operationsPerSecond, double peakOperationsPerSecond, long operationNanos) {
    /** Nothing measured yet. */
    public static final RangeLoad UNKNOWN = new RangeLoad(Duration.ZERO, 0, 0, 0);

    public RangeLoad {
        if (measuredFor.isNegative()) {
            throw new IllegalArgumentException("measuredFor is " + measuredFor);
        }
        if (!(operationsPerSecond >= 0 && operationsPerSecond <= peakOperationsPerSecond)
                || Double.isInfinite(peakOperationsPerSecond)) {
            throw new IllegalArgumentException("operations per second: " + operationsPerSecond + ", at their peak "
                    + peakOperationsPerSecond + "; expected 0 or more, finite, and no more than the peak");
        }
        if (operationNanos < 0) {
            throw new IllegalArgumentException("operationNanos is " + operationNanos);
        }
    }

    /** Operations per millisecond, which {@code ..._max_io_density} limits. */
    public double ioDensity() {
        return operationsPerSecond / 1_000;
    }

    /** As {@link #ioDensity}, at the peak. */
    public double peakIoDensity() {
        return peakOperationsPerSecond / 1_000;
    }

    /** Share of a second that is spent on operations; more than 1 when several threads read. */
    public double busyShare() {
        return operationsPerSecond * operationNanos / 1e9;
    }
}
