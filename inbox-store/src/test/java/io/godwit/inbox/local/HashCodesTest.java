package io.godwit.inbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashCodesTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void itHasWhatWasAddedAndNothingElse(long seed) {
        Random random = new Random(seed);
        int spread = 1 << 4 + random.nextInt(14); // from nearly all equal to few duplicates
        HashCodes codes = new HashCodes();
        Set<Integer> expected = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            int hash = random.nextInt(spread) - spread / 2;
            codes.add(hash);
            expected.add(hash == 0 ? 1 : hash); // 0 marks a free slot
        }
        assertThat(codes.size()).isEqualTo(expected.size());
        for (int hash = -spread; hash < spread; hash++) {
            if (hash != 0) {
                assertThat(codes.contains(hash)).as("%d", hash).isEqualTo(expected.contains(hash));
            }
        }
        assertThat(codes.contains(0)).isEqualTo(expected.contains(1));
    }

    @Test
    void zeroIsFound() {
        HashCodes codes = new HashCodes();
        assertThat(codes.contains(0)).isFalse();
        codes.add(0);
        assertThat(codes.contains(0)).isTrue();
    }

    @Test
    void aCopyIsItsOwn() {
        HashCodes codes = new HashCodes();
        codes.add(7);
        HashCodes copy = codes.copy();
        copy.add(8);
        codes.add(9);
        assertThat(copy.contains(7)).isTrue();
        assertThat(copy.contains(9)).isFalse();
        assertThat(codes.contains(8)).isFalse();
    }

    /** Even while the table grows during a look-up. */
    @Test
    void whatWasAddedBeforeIsFoundByOtherThreads() throws Exception {
        HashCodes codes = new HashCodes();
        AtomicInteger added = new AtomicInteger();
        AtomicInteger missed = new AtomicInteger();
        int total = 300_000;
        Thread reader = new Thread(() -> {
            Random random = new Random(1);
            for (int upTo = added.get(); upTo < total; upTo = added.get()) {
                for (int i = 0; i < 100 && upTo > 0; i++) {
                    int one = random.nextInt(upTo);
                    missed.addAndGet(codes.contains(spread(one)) ? 0 : 1);
                }
            }
        });
        reader.start();
        for (int i = 0; i < total; i++) {
            codes.add(spread(i));
            added.set(i + 1);
        }
        reader.join();
        assertThat(missed).hasValue(0);
    }

    private static int spread(int i) {
        return i * 0x9E3779B1;
    }
}
