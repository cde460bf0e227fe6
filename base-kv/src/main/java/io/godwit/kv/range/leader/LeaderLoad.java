package io.godwit.kv.range.leader;

import io.godwit.kv.balance.policy.LoadMeter;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHinter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the load of a range's leader, from zero for each leadership. Begun and ended on the range executor. The
 * threads that apply and read report accesses to it; any thread may read the figures of the last second.
 */
public final class LeaderLoad {
    private static final long TICK_MILLIS = 1_000;

    private final Supplier<SplitHinter> hinters;
    private final RangeCoprocessor coprocessor;
    private final BiConsumer<Long, Runnable> later;
    private final LongSupplier nanoClock;
    /** The meter of this leadership; null if there is none. Set on the range executor. */
    private volatile @Nullable LoadMeter meter;

    private volatile MeasuredLoad last = MeasuredLoad.NONE;

    /**
     * Measures the leaderships of one range.
     *
     * @param hinters makes a hinter for each leadership, which proposes split keys
     * @param later runs a task on the range executor after a number of milliseconds
     */
    public LeaderLoad(
            Supplier<SplitHinter> hinters,
            RangeCoprocessor coprocessor,
            BiConsumer<Long, Runnable> later,
            LongSupplier nanoClock) {
        this.hinters = hinters;
        this.coprocessor = coprocessor;
        this.later = later;
        this.nanoClock = nanoClock;
    }

    /** A leadership has begun. */
    public void begin() {
        LoadMeter begun = new LoadMeter(hinters.get(), coprocessor::splitPoint, nanoClock.getAsLong());
        meter = begun;
        last = MeasuredLoad.NONE;
        tickLater(begun);
    }

    /** The leadership has ended. */
    public void end() {
        meter = null;
    }

    private void tick(LoadMeter ticking) {
        if (meter == ticking) {
            ticking.tick(nanoClock.getAsLong());
            last = new MeasuredLoad(ticking.load(), ticking.hint());
            tickLater(ticking);
        }
    }

    /**
     * Schedules the next tick at a full second of the monotonic clock, together with all other ranges: separate ticks
     * would wake two threads each.
     */
    private void tickLater(LoadMeter ticking) {
        later.accept(millisToTick(TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong())), () -> tick(ticking));
    }

    /** {@code keys} keys were written or read; {@code sample} is one of them. Any thread. */
    public void onAccess(byte[] sample, AccessKind kind, int keys, long nanos) {
        LoadMeter current = meter;
        if (current != null) {
            current.onAccess(sample, kind, keys, nanos);
        }
    }

    /** @return half a second to one and a half, because a rate over a few milliseconds would mean nothing */
    static long millisToTick(long nowMillis) {
        long left = TICK_MILLIS - Math.floorMod(nowMillis, TICK_MILLIS);
        return left < TICK_MILLIS / 2 ? left + TICK_MILLIS : left;
    }

    /** The load in the last second. Any thread. */
    public MeasuredLoad last() {
        return last;
    }

    /** The present load; on the range executor. */
    public MeasuredLoad now() {
        LoadMeter current = meter;
        return current == null
                ? new MeasuredLoad(RangeLoad.UNKNOWN, Optional.empty())
                : new MeasuredLoad(current.load(), current.hint());
    }
}
