package io.godwit.api.audit;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How much each caller may write into the audit log, so that nobody pushes out the records of others: the log on the
 * disk keeps a limited number of bytes. A caller that has written much gets short records. A caller that goes on has to
 * wait. What a caller has written is forgotten evenly over an hour.
 *
 * <p>Thread-safe: the event loop asks, and the thread that writes the records charges them. Beyond a bound of callers
 * the one that has written least recently is forgotten; only callers with a valid token are counted.
 */
public final class RecordBudget {
    private static final int MAX_CALLERS = 10_000;
    private static final double HOUR_NANOS = Duration.ofHours(1).toNanos();

    private final Bounds bounds;
    private final LongSupplier nanoClock;
    private final Map<String, Written> byCaller = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Written> eldest) {
            return size() > MAX_CALLERS;
        }
    };

    /** How much the next record of a caller may contain. */
    public enum Room {
        /** Its usual length. */
        WHOLE,
        /** The beginning of the parameters and of the body, with their digests. */
        SHORT,
        /** There must be no record now. */
        NONE
    }

    /**
     * Bytes that a caller may write in an hour.
     *
     * @param whole before its records are short
     * @param all before there are none
     */
    public record Bounds(long whole, long all) {
        private static final Bounds DEFAULTS = new Bounds(8L << 20, 32L << 20);
        private static final int DEFAULT_RATE = 100;

        public Bounds {
            if (whole < 1 || all < whole) {
                throw new IllegalArgumentException("whole must be from 1 to all, was " + whole + ", all is " + all);
            }
        }

        /** @param perSecond how many requests a second a caller may send: more of them need more records */
        public static Bounds of(int perSecond) {
            long times = Math.max(1, perSecond / DEFAULT_RATE);
            return new Bounds(DEFAULTS.whole * times, DEFAULTS.all * times);
        }
    }

    private static final class Written {
        private double bytes;
        private long atNanos;

        Written(long atNanos) {
            this.atNanos = atNanos;
        }
    }

    /** @param nanoClock the monotonic clock */
    public RecordBudget(Bounds bounds, LongSupplier nanoClock) {
        this.bounds = bounds;
        this.nanoClock = nanoClock;
    }

    /** @param caller its share: a token, or all tokens of a tenant */
    public synchronized Room room(String caller) {
        Written written = byCaller.get(caller);
        double bytes = written == null ? 0 : left(written, nanoClock.getAsLong());
        return bytes < bounds.whole ? Room.WHOLE : bytes < bounds.all ? Room.SHORT : Room.NONE;
    }

    /** A record of this caller is written. */
    public synchronized void charge(String caller, long bytes) {
        long now = nanoClock.getAsLong();
        Written written = byCaller.computeIfAbsent(caller, unknown -> new Written(now));
        written.bytes = left(written, now) + bytes;
        written.atNanos = now;
    }

    /** What still counts of it. */
    private double left(Written written, long nowNanos) {
        double hours = (nowNanos - written.atNanos) / HOUR_NANOS;
        return Math.max(0, written.bytes - hours * bounds.all);
    }
}
