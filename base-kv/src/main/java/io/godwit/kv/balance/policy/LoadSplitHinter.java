package io.godwit.kv.balance.policy;

import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.balance.SplitHinterFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Proposes to split a range in the middle of its load. It keeps a sample of bounded size: from each stride of
 * operations it remembers the key of one, chosen at random within the stride, because a fixed step could coincide with
 * the rhythm of a publisher. When the sample is full, every second key is dropped and the stride is doubled. So each
 * key stands for the same number of operations, and half of the operations are below the middle key of the sorted
 * sample.
 */
final class LoadSplitHinter implements SplitHinter {
    private static final int CAPACITY = 512;
    /** A smaller sample says too little about where the middle is. */
    private static final int ENOUGH = 64;

    private final double minShare;
    private final SplittableRandom random;
    private final byte[][] samples = new byte[CAPACITY][];
    private int count;
    private long stride;
    /** Operations seen since the last hint. */
    private long seen;
    /** Number of the next operation to be remembered. */
    private long nextSample;

    /** @param minShare share of the load that the smaller part must get; otherwise there is no hint */
    LoadSplitHinter(double minShare, long seed) {
        this.minShare = minShare;
        this.random = new SplittableRandom(seed);
        clear();
    }

    /** Creates hinters by configuration, under the name {@code load}. */
    static final class Factory implements SplitHinterFactory {
        @Override
        public String name() {
            return "load";
        }

        @Override
        public Map<String, String> defaults() {
            return Map.of("minShare", "0.2");
        }

        @Override
        public SplitHinter create(Map<String, String> settings) {
            return new LoadSplitHinter(
                    new PolicySettings(settings).number("minShare", 0.01, 0.5), new SplittableRandom().nextLong());
        }
    }

    private void clear() {
        Arrays.fill(samples, null);
        count = 0;
        stride = 1;
        seen = 0;
        nextSample = 0;
    }

    @Override
    public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) {
        seen += kvOperations;
        while (nextSample < seen) {
            if (count == CAPACITY) {
                thin();
            }
            samples[count++] = key;
            nextSample = (nextSample / stride + 1) * stride + random.nextLong(stride);
        }
    }

    /** Keeps one of each two neighbours. */
    private void thin() {
        for (int i = 0; i < CAPACITY / 2; i++) {
            samples[i] = samples[2 * i + (random.nextBoolean() ? 1 : 0)];
        }
        count = CAPACITY / 2;
        stride *= 2;
    }

    @Override
    public Optional<SplitHint> hint(RangeLoad load) {
        if (count < ENOUGH) {
            return Optional.empty(); // the sample is kept for the next time
        }
        byte[][] sorted = Arrays.copyOf(samples, count);
        Arrays.sort(sorted, Arrays::compareUnsigned);
        int total = count;
        int cut = 0;
        for (int i = 1; i < total; i++) {
            boolean isBoundary = Arrays.compareUnsigned(sorted[i - 1], sorted[i]) != 0;
            if (isBoundary && Math.abs(2 * i - total) < Math.abs(2 * cut - total)) {
                cut = i;
            }
        }
        Optional<SplitHint> hint =
                cut == 0 ? Optional.empty() : Optional.of(new SplitHint(Key.of(sorted[cut]), (double) cut / total));
        clear();
        return hint.filter(found -> found.smallerShare() >= minShare);
    }
}
