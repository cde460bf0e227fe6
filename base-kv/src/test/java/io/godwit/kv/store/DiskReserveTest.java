package io.godwit.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskReserveTest {
    @TempDir
    Path directory;

    private static DiskGuard.Disk disk(long usableBytes) {
        return new DiskGuard.Disk() {
            @Override
            public long usableBytes() {
                return usableBytes;
            }

            @Override
            public long totalBytes() {
                return 1L << 40;
            }
        };
    }

    private Path file() {
        return directory.resolve("reserve");
    }

    @Test
    void itTakesItsRoomUntilAStartFindsTheDiskFull() throws IOException {
        DiskReserve made = new DiskReserve(directory);
        made.make();
        assertThat(file()).hasSize(DiskReserve.BYTES);

        DiskReserve later = new DiskReserve(directory);
        later.giveUpIfFull(disk(DiskReserve.BYTES));
        assertThat(file()).exists();
        later.giveUpIfFull(disk(0));
        assertThat(file()).doesNotExist();
        later.giveUpIfFull(disk(0));
        later.make();
        assertThat(file()).hasSize(DiskReserve.BYTES);
    }

    @Test
    void whatACrashHasLeftIsMadeWhole() throws IOException {
        Files.write(file(), new byte[1000]);
        new DiskReserve(directory).make();
        assertThat(file()).hasSize(DiskReserve.BYTES);
    }

    @Test
    void whereThereIsNoRoomNothingIsLeftHalfMade() throws IOException {
        Files.createDirectory(file()); // makes the file impossible to write
        new DiskReserve(directory).make();
        assertThat(file()).doesNotExist();
    }
}
