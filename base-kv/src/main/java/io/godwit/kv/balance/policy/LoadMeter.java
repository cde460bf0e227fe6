package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jctools.queues.MpscArrayQueue;

/**
 * Measures the load of one range while this node leads it; there is a new meter for each leadership and each change of
 * bounds. The threads that apply and read report accesses; the range executor ticks it once a second and reads the
 * result.
 */
public final class LoadMeter {
    private static final int SAMPLE_EVERY = 16;
    private static final int MAX_SAMPLES = 256;
    /** Number of ticks in the mean. */
    private static final int MEAN_TICKS = 10;

    private static final int TICKS_PER_PEAK = 60;
    /** Number of minutes in the peak. */
    private static final int PEAKS = 10;

    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    private record Sample(byte[] key, AccessKind kind, int kvOperations, long nanos) {}

    private final SplitHinter hinter;
    private final UnaryOperator<byte[]> splitPoint;
    private final long startNanos;

    /** Added to by the applying thread and several reading threads; reset by the executor. */
    private final LongAdder operations = new LongAdder();

    private final LongAdder nanos = new LongAdder();
    /** From those threads to the executor. Samples that do not fit are dropped. */
    private final Queue<Sample> samples = new MpscArrayQueue<>(MAX_SAMPLES);

    // used by the executor
    private final long[] tickOperations = new long[MEAN_TICKS];
    private final long[] tickNanos = new long[MEAN_TICKS];
    private final long[] tickLengths = new long[MEAN_TICKS];
    private final double[] peaks = new double[PEAKS];
    private int ticks;
    private long lastTickNanos;
    private RangeLoad load = RangeLoad.UNKNOWN;
    private Optional<SplitHint> hint = Optional.empty();

    /**
     * @param splitPoint maps a key to the first key of the group of keys that must stay together; a range can be split
     *     there
     * @param nowNanos by the clock of {@link #tick}
     */
    public LoadMeter(SplitHinter hinter, UnaryOperator<byte[]> splitPoint, long nowNanos) {
        this.hinter = hinter;
        this.splitPoint = splitPoint;
        this.startNanos = nowNanos;
        this.lastTickNanos = nowNanos;
    }

    /**
     * Reports an access. Any thread; costs some nanoseconds.
     *
     * @param key only read; kept for a while
     * @param kvOperations database reads or writes, at least 1
     * @param spentNanos total time of these operations
     */
    public void onAccess(byte[] key, AccessKind kind, int kvOperations, long spentNanos) {
        operations.add(kvOperations);
        nanos.add(spentNanos);
        if (ThreadLocalRandom.current().nextInt(SAMPLE_EVERY) == 0) {
            samples.offer(new Sample(key, kind, kvOperations, spentNanos));
        }
    }

    /** Ends an interval of about a second. On the range executor. */
    public void tick(long nowNanos) {
        for (Sample sample = samples.poll(); sample != null; sample = samples.poll()) {
            hinter.onAccess(splitPoint.apply(sample.key()), sample.kind(), sample.kvOperations(), sample.nanos());
        }
        int slot = ticks % MEAN_TICKS;
        tickOperations[slot] = operations.sumThenReset();
        tickNanos[slot] = nanos.sumThenReset();
        tickLengths[slot] = Math.max(1, nowNanos - lastTickNanos);
        lastTickNanos = nowNanos;
        measure(nowNanos);
        ticks++;
        if (ticks % MEAN_TICKS == 0) {
            hint = hinter.hint(load);
        }
    }

    private void measure(long nowNanos) {
        long allOperations = 0;
        long allNanos = 0;
        long length = 0;
        for (int i = 0; i < MEAN_TICKS; i++) {
            allOperations += tickOperations[i];
            allNanos += tickNanos[i];
            length += tickLengths[i];
        }
        double perSecond = (double) allOperations * TimeUnit.SECONDS.toNanos(1) / length;
        int slot = ticks / TICKS_PER_PEAK % PEAKS;
        peaks[slot] = ticks % TICKS_PER_PEAK == 0 ? perSecond : Math.max(peaks[slot], perSecond);
        double peak = 0;
        for (double one : peaks) {
            peak = Math.max(peak, one);
        }
        load = new RangeLoad(
                Duration.ofNanos(nowNanos - startNanos),
                perSecond,
                peak,
                allOperations == 0 ? 0 : allNanos / allOperations);
    }

    /** The load at the last tick. On the range executor. */
    public RangeLoad load() {
        return load;
    }

    /** The hint of the last multiple of ten ticks. On the range executor. */
    public Optional<SplitHint> hint() {
        return hint;
    }
}
