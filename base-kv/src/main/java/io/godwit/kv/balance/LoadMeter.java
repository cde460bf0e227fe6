package io.godwit.kv.balance;

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
 * Measures the load of one range while this node leads it; made anew with each leadership and each change of bounds.
 * The threads that apply and that read report to it; the range executor ticks it once a second and reads what came of
 * it.
 */
public final class LoadMeter {
    private static final int SAMPLE_EVERY = 16;
    private static final int MAX_SAMPLES = 256;
    /** Ticks that the mean is taken over. */
    private static final int MEAN_TICKS = 10;

    private static final int TICKS_PER_PEAK = 60;
    /** Minutes that the peak is remembered. */
    private static final int PEAKS = 10;

    @SuppressWarnings("ArrayRecordComponent") // handed over, compared nowhere
    private record Sample(byte[] key, AccessKind kind, int kvOperations, long nanos) {}

    private final SplitHinter hinter;
    private final UnaryOperator<byte[]> splitPoint;
    private final long startNanos;

    /** Added to by the applying thread and by several reading ones; taken by the executor. */
    private final LongAdder operations = new LongAdder();

    private final LongAdder nanos = new LongAdder();
    /** From those threads to the executor; what does not fit is lost, as are the accesses that are not sampled. */
    private final Queue<Sample> samples = new MpscArrayQueue<>(MAX_SAMPLES);

    // the executor's
    private final long[] tickOperations = new long[MEAN_TICKS];
    private final long[] tickNanos = new long[MEAN_TICKS];
    private final long[] tickLengths = new long[MEAN_TICKS];
    private final double[] peaks = new double[PEAKS];
    private int ticks;
    private long lastTickNanos;
    private RangeLoad load = RangeLoad.UNKNOWN;
    private Optional<SplitHint> hint = Optional.empty();

    /**
     * @param splitPoint the first key of what must stay together with a key: where the range could be cut
     * @param nowNanos of the clock that {@link #tick} is given
     */
    public LoadMeter(SplitHinter hinter, UnaryOperator<byte[]> splitPoint, long nowNanos) {
        this.hinter = hinter;
        this.splitPoint = splitPoint;
        this.startNanos = nowNanos;
        this.lastTickNanos = nowNanos;
    }

    /**
     * Any thread; costs some nanoseconds.
     *
     * @param key read only, kept for a while
     * @param kvOperations database reads or writes, at least 1
     * @param spentNanos on all of them together
     */
    public void onAccess(byte[] key, AccessKind kind, int kvOperations, long spentNanos) {
        operations.add(kvOperations);
        nanos.add(spentNanos);
        if (ThreadLocalRandom.current().nextInt(SAMPLE_EVERY) == 0) {
            samples.offer(new Sample(key, kind, kvOperations, spentNanos));
        }
    }

    /** Ends a second or so. On the range executor. */
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

    /** As of the last tick. On the range executor. */
    public RangeLoad load() {
        return load;
    }

    /** Renewed every ten ticks. On the range executor. */
    public Optional<SplitHint> hint() {
        return hint;
    }
}
