package io.godwit.broker.auth.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFilesTest {
    @TempDir
    Path directory;

    /** A directory with the same size and time simulates a disk that fails once. */
    @Test
    void aFileThatCouldNotBeReadIsTriedAgainAndToldOnce() throws Exception {
        Path secret = Files.createDirectory(directory.resolve("secret"));
        FileTime time = Files.getLastModifiedTime(secret);
        int size = (int) Files.size(secret);
        KeyFiles files = new KeyFiles(secret, null, null, 1);
        assertThatThrownBy(files::changed).isInstanceOf(IOException.class);
        assertThat(files.changed()).as("the failure is reported only once").isEmpty();

        Files.delete(secret);
        Files.write(secret, new byte[size]);
        Files.setLastModifiedTime(secret, time);
        assertThat(files.changed())
                .hasValueSatisfying(keys -> assertThat(keys.keys()).hasSize(1));
        assertThat(files.changed()).as("the files have not changed").isEmpty();
    }
}
