package io.godwit.kv.balance;

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
 * Cuts a range in the middle of its load. The load is kept as a sample of fixed size: of each stride of operations one,
 * chosen at random within the stride (an exact step would fall in with a publisher's rhythm), is remembered by its key.
 * When the sample is full every second one is dropped and the stride doubled. So each sample stands for as many
 * operations, and the key in the middle of the sorted sample has half of them below it.
 */
final class LoadSplitHinter implements SplitHinter {
    private static final int CAPACITY = 512;
    /** Fewer say too little about where the middle is. */
    private static final int ENOUGH = 64;

    private final double minShare;
    private final SplittableRandom random;
    private final byte[][] samples = new byte[CAPACITY][];
    private int count;
    private long stride;
    /** Operations seen since the last hint. */
    private long seen;
    /** Which of them is remembered next. */
    private long nextSample;

    /** @param minShare of the load that the lesser part must get, or there is no hint */
    LoadSplitHinter(double minShare, long seed) {
        this.minShare = minShare;
        this.random = new SplittableRandom(seed);
        clear();
    }

    /** Makes them for configuration: {@code load}. */
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

    /** Of each two neighbours one stays. */
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
            return Optional.empty(); // what there is counts for the next time
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
