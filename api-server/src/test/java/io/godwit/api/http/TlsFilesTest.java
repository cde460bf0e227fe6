package io.godwit.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsFilesTest {
    @TempDir
    private Path directory;

    private boolean hasChanged;

    private boolean takeChange() {
        boolean before = hasChanged;
        hasChanged = false;
        return before;
    }

    /** Nobody changes the files again when they become readable. */
    @Test
    void filesThatCouldNotBeReadAreReadAgain() throws Exception {
        Path certificate = Files.writeString(directory.resolve("crt"), "c");
        Path key = Files.writeString(directory.resolve("key"), "k");
        TlsFiles files = new TlsFiles(certificate, key, null, Limits.DEFAULTS, file -> this::takeChange);
        files.options();
        assertThat(files.haveChanged()).isFalse();

        Files.delete(key);
        hasChanged = true;
        assertThat(files.haveChanged()).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(files::options).isInstanceOf(IOException.class).hasMessageContaining("key");
            assertThat(files.haveChanged()).isTrue();
        }
        Files.writeString(key, "k");
        files.options();
        assertThat(files.haveChanged()).isFalse();
    }
}
