package io.godwit.kv.raft.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.disk.DamagedDataException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncedMarkTest {
    @TempDir
    Path directory;

    @Test
    void isFoundAsItWasRaised() throws Exception {
        Path file = directory.resolve("log.synced");
        assertThat(SyncedMark.open(file)).isNull();
        try (SyncedMark mark = SyncedMark.create(file)) {
            mark.raise(7);
            mark.raise(5);
        }
        try (SyncedMark mark = SyncedMark.open(file)) {
            assertThat(mark.sequence()).isEqualTo(7);
        }
    }

    @Test
    void anyFlippedBitIsRefused() throws Exception {
        Path file = directory.resolve("log.synced");
        try (SyncedMark mark = SyncedMark.create(file)) {
            mark.raise(0x12_3456_789aL);
        }
        byte[] intact = Files.readAllBytes(file);
        for (int bit = 0; bit < 8 * intact.length; bit++) {
            byte[] flipped = intact.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, flipped);
            assertThatThrownBy(() -> SyncedMark.open(file))
                    .as("bit %d", bit)
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(file.toString());
        }
    }
}
