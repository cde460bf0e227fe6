package io.godwit.kv.range.leader;

import io.godwit.kv.balance.LoadMeter;
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
 * What a range's leader has to do, measured anew with each leadership. Begun and ended on the range executor; the
 * threads that apply and read report to it, and any thread may ask for the last second's figures.
 */
public final class LeaderLoad {
    private static final long TICK_MILLIS = 1_000;

    private final Supplier<SplitHinter> hinters;
    private final RangeCoprocessor coprocessor;
    private final BiConsumer<Long, Runnable> later;
    private final LongSupplier nanoClock;
    /** Of this leadership; null while there is none. Set on the range executor. */
    private volatile @Nullable LoadMeter meter;

    private volatile MeasuredLoad last = MeasuredLoad.NONE;

    /**
     * @param hinters one for each leadership, to propose where the range could be cut
     * @param later runs a task on the range executor after so many milliseconds
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

    /** It has ended. */
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
     * At the next even second of the monotonic clock, with all other ranges: one by one each would wake two threads.
     */
    private void tickLater(LoadMeter ticking) {
        later.accept(millisToTick(TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong())), () -> tick(ticking));
    }

    /** So many keys of this kind were written or read, {@code sample} among them. Any thread. */
    public void onAccess(byte[] sample, AccessKind kind, int keys, long nanos) {
        LoadMeter current = meter;
        if (current != null) {
            current.onAccess(sample, kind, keys, nanos);
        }
    }

    /** @return half a second to one and a half: the rate of a few milliseconds would say nothing */
    static long millisToTick(long nowMillis) {
        long left = TICK_MILLIS - Math.floorMod(nowMillis, TICK_MILLIS);
        return left < TICK_MILLIS / 2 ? left + TICK_MILLIS : left;
    }

    /** As of the last second. Any thread. */
    public MeasuredLoad last() {
        return last;
    }

    /** As of now; on the range executor. */
    public MeasuredLoad now() {
        LoadMeter current = meter;
        return current == null
                ? new MeasuredLoad(RangeLoad.UNKNOWN, Optional.empty())
                : new MeasuredLoad(current.load(), current.hint());
    }
}
