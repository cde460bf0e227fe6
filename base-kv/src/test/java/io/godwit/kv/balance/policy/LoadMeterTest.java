package io.godwit.kv.balance.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LoadMeterTest {
    private static final long SECOND = 1_000_000_000;

    private static byte[] key(int number) {
        return new byte[] {(byte) (number >> 8), (byte) number};
    }

    private static int number(SplitHint hint) {
        byte[] key = hint.key().bytes();
        return (key[0] & 0xff) << 8 | key[1] & 0xff;
    }

    private static Optional<SplitHint> hint(LoadSplitHinter hinter) {
        return hinter.hint(RangeLoad.UNKNOWN);
    }

    @Test
    void evenLoadIsCutInTheMiddle() {
        for (long seed = 0; seed < 20; seed++) {
            LoadSplitHinter hinter = new LoadSplitHinter(0.2, seed);
            Random random = new Random(seed);
            for (int i = 0; i < 50_000; i++) {
                hinter.onAccess(key(random.nextInt(1_000)), AccessKind.WRITE, 1, 1_000);
            }
            Optional<SplitHint> hint = hint(hinter);
            assertThat(hint).as("seed %s", seed).isPresent();
            assertThat(number(hint.get())).as("seed %s", seed).isBetween(400, 600);
            assertThat(hint.get().shareBelow()).isBetween(0.45, 0.55);
        }
    }

    /** One heavy access counts as much as many light ones. */
    @Test
    void accessesCountByTheirOperations() {
        LoadSplitHinter hinter = new LoadSplitHinter(0.2, 1);
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            int at = random.nextInt(1_000);
            hinter.onAccess(key(at), AccessKind.READ, at < 100 ? 90 : 10, 1_000);
        }
        assertThat(number(hint(hinter).orElseThrow())).isBetween(80, 120);
    }

    /** Publishers take turns: a fixed step through their accesses would see only one of them. */
    @Test
    void aRegularPatternIsNotMistakenForOneKey() {
        LoadSplitHinter hinter = new LoadSplitHinter(0.2, 3);
        for (int i = 0; i < 64_000; i++) {
            hinter.onAccess(key(i % 8), AccessKind.WRITE, 1, 1_000);
        }
        assertThat(number(hint(hinter).orElseThrow())).isBetween(3, 5);
    }

    @Test
    void loadOnOneKeyGivesNoHint() {
        LoadSplitHinter hinter = new LoadSplitHinter(0.2, 4);
        Random random = new Random(4);
        for (int i = 0; i < 10_000; i++) {
            hinter.onAccess(key(random.nextInt(10) < 9 ? 500 : random.nextInt(1_000)), AccessKind.WRITE, 1, 1_000);
        }
        assertThat(hint(hinter)).isEmpty();
        for (int i = 0; i < 10_000; i++) {
            hinter.onAccess(key(500), AccessKind.WRITE, 1, 1_000);
        }
        assertThat(hint(hinter)).isEmpty();
    }

    @Test
    void littleLoadGivesNoHintAndIsKeptForTheNext() {
        LoadSplitHinter hinter = new LoadSplitHinter(0.2, 5);
        for (int i = 0; i < 40; i++) {
            hinter.onAccess(key(i), AccessKind.WRITE, 1, 1_000);
        }
        assertThat(hint(hinter)).isEmpty();
        for (int i = 40; i < 80; i++) {
            hinter.onAccess(key(i), AccessKind.WRITE, 1, 1_000);
        }
        assertThat(hint(hinter)).map(LoadMeterTest::number).contains(40);
        assertThat(hint(hinter)).as("a hint resets the load that caused it").isEmpty();
    }

    @Test
    void loadIsTheMeanOfTheLastTicksAndRemembersItsPeak() {
        LoadMeter meter = new LoadMeter(new LoadSplitHinter(0.2, 6), UnaryOperator.identity(), 0);
        assertThat(meter.load()).isEqualTo(RangeLoad.UNKNOWN);
        for (int second = 1; second <= 10; second++) {
            meter.onAccess(key(1), AccessKind.WRITE, 2_000, 6_000_000);
            meter.tick(second * SECOND);
        }
        assertThat(meter.load()).isEqualTo(new RangeLoad(Duration.ofSeconds(10), 2_000, 2_000, 3_000));
        for (int second = 11; second <= 20; second++) {
            meter.tick(second * SECOND);
        }
        assertThat(meter.load()).isEqualTo(new RangeLoad(Duration.ofSeconds(20), 0, 2_000, 0));
        for (int second = 21; second <= 700; second++) {
            meter.tick(second * SECOND);
        }
        assertThat(meter.load().peakOperationsPerSecond())
                .as("the peak after some minutes")
                .isZero();
    }

    /** A late tick covers a longer time. */
    @Test
    void ticksCountByTheirLength() {
        LoadMeter meter = new LoadMeter(new LoadSplitHinter(0.2, 7), UnaryOperator.identity(), 0);
        meter.onAccess(key(1), AccessKind.WRITE, 3_000, 0);
        meter.tick(3 * SECOND);
        assertThat(meter.load().operationsPerSecond()).isEqualTo(1_000, offset(0.001));
    }

    @Test
    void theHinterSeesASampleOfWhereTheRangeCouldBeCut() {
        List<byte[]> seen = new ArrayList<>();
        SplitHint cut = new SplitHint(Key.of(key(7)), 0.5);
        SplitHinter hinter = new SplitHinter() {
            @Override
            public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) {
                seen.add(key);
            }

            @Override
            public Optional<SplitHint> hint(RangeLoad load) {
                return Optional.of(cut);
            }
        };
        LoadMeter meter = new LoadMeter(hinter, key -> new byte[] {key[0]}, 0);
        for (int second = 1; second <= 10; second++) {
            for (int i = 0; i < 1_000; i++) {
                meter.onAccess(key(300 + second), AccessKind.READ, 1, 100);
            }
            assertThat(meter.hint()).isEmpty();
            meter.tick(second * SECOND);
        }
        assertThat(meter.hint()).contains(cut);
        assertThat(seen)
                .hasSizeBetween(300, 2_000)
                .allSatisfy(key -> assertThat(key).containsExactly(1));
    }
}
