package io.godwit.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.replica.DiskRoom;
import java.io.IOException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DiskGuardTest {
    private long free = 10_000;
    private boolean broken;
    private int changes;

    @Test
    void refusesBelowTheMarkAndAcceptsOnlyWellAboveIt() throws Exception {
        DiskGuard guard = guard(OptionalLong.of(8_000));
        assertThat(at(guard, 8_000)).isEqualTo(DiskRoom.AMPLE);
        assertThat(at(guard, 7_999)).isEqualTo(DiskRoom.LOW);
        assertThat(guard.describe()).contains("8000");
        assertThat(at(guard, 8_500)).isEqualTo(DiskRoom.LOW);
        assertThat(at(guard, 9_000)).isEqualTo(DiskRoom.AMPLE);
        assertThat(guard.describe()).isEmpty();
        assertThat(at(guard, 8_000)).isEqualTo(DiskRoom.AMPLE);
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void refusesEverythingBelowHalfOfTheMark() throws Exception {
        DiskGuard guard = guard(OptionalLong.of(8_000));
        assertThat(at(guard, 4_000)).isEqualTo(DiskRoom.LOW);
        assertThat(at(guard, 3_999)).isEqualTo(DiskRoom.NONE);
        assertThat(guard.describe()).contains("4000");
        assertThat(at(guard, 4_499)).isEqualTo(DiskRoom.NONE);
        assertThat(at(guard, 4_500)).isEqualTo(DiskRoom.LOW);
        assertThat(at(guard, 3_000)).isEqualTo(DiskRoom.NONE);
        assertThat(at(guard, 10_000)).isEqualTo(DiskRoom.AMPLE);
        assertThat(changes).isEqualTo(5);
    }

    @Test
    void keepsItsAnswerWhileTheDiskCannotBeRead() throws Exception {
        DiskGuard guard = guard(OptionalLong.of(8_000));
        assertThat(at(guard, 5_000)).isEqualTo(DiskRoom.LOW);
        broken = true;
        assertThat(at(guard, 10_000)).isEqualTo(DiskRoom.LOW);
        broken = false;
        assertThat(at(guard, 10_000)).isEqualTo(DiskRoom.AMPLE);
    }

    @Test
    void theDefaultMarkIsATwentiethWithinBounds() {
        long mib = 1 << 20;
        assertThat(DiskGuard.defaultMark(1_000 * mib)).isEqualTo(256 * mib);
        assertThat(DiskGuard.defaultMark(10_000 * mib)).isEqualTo(500 * mib);
        assertThat(DiskGuard.defaultMark(1_000_000 * mib)).isEqualTo(1_024 * mib);
    }

    private DiskRoom at(DiskGuard guard, long freeBytes) {
        free = freeBytes;
        guard.check();
        return guard.room();
    }

    private DiskGuard guard(OptionalLong mark) throws IOException {
        return new DiskGuard(
                new DiskGuard.Disk() {
                    @Override
                    public long usableBytes() throws IOException {
                        if (broken) {
                            throw new IOException("planted");
                        }
                        return free;
                    }

                    @Override
                    public long totalBytes() {
                        return 100_000;
                    }
                },
                mark,
                () -> changes++);
    }
}
