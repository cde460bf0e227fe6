package io.godwit.kv.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

class OpenFilesTest {
    @Test
    void aShortageIsToldByTheSystemsText() {
        RocksDBException refusal =
                new RocksDBException("While open a file for appending: 000012.sst: Too many open files");
        assertThat(OpenFiles.wereShort(refusal)).isTrue();
        assertThat(OpenFiles.wereShort(new IllegalStateException("apply", new IOException("x", refusal))))
                .isTrue();
        assertThat(OpenFiles.wereShort(new IOException("Too many open files in system")))
                .isTrue();
        assertThat(OpenFiles.wereShort(new IOException("No space left on device")))
                .isFalse();
        assertThat(OpenFiles.wereShort(new IOException((String) null))).isFalse();
    }

    @Test
    void causesInACircleEnd() {
        IOException first = new IOException("first");
        first.initCause(new IOException("second", first));
        assertThat(OpenFiles.wereShort(first)).isFalse();
    }

    @Test
    void thereAreDescriptorsHere(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(OpenFiles.areShort(file, 8)).isFalse();
        assertThat(OpenFiles.areShort(directory.resolve("none"), 8)).isFalse();
    }
}
