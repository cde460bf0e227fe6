package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(at(guard, 8_000)).isTrue();
        assertThat(at(guard, 7_999)).isFalse();
        assertThat(at(guard, 8_500)).isFalse();
        assertThat(at(guard, 9_000)).isTrue();
        assertThat(at(guard, 8_000)).isTrue();
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void keepsItsAnswerWhileTheDiskCannotBeRead() throws Exception {
        DiskGuard guard = guard(OptionalLong.of(8_000));
        assertThat(at(guard, 1)).isFalse();
        broken = true;
        assertThat(at(guard, 10_000)).isFalse();
        broken = false;
        assertThat(at(guard, 10_000)).isTrue();
    }

    @Test
    void theDefaultMarkIsATwentiethWithinBounds() {
        long mib = 1 << 20;
        assertThat(DiskGuard.defaultMark(1_000 * mib)).isEqualTo(256 * mib);
        assertThat(DiskGuard.defaultMark(10_000 * mib)).isEqualTo(500 * mib);
        assertThat(DiskGuard.defaultMark(1_000_000 * mib)).isEqualTo(1_024 * mib);
    }

    private boolean at(DiskGuard guard, long freeBytes) {
        free = freeBytes;
        guard.check();
        return guard.mayWrite();
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
