package io.godwit.broker.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.disk.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignDataTest {
    @TempDir
    private Path data;

    @Test
    void filesOfOthersAreNamed() throws Exception {
        Files.createDirectories(data.resolve("inbox/letter"));
        Files.writeString(data.resolve("notes.txt"), "");
        Files.writeString(data.resolve("godwit.options"), "");
        assertThatThrownBy(() -> ForeignData.refuse(data, null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(data + " holds no data of a broker, but inbox, notes.txt: ");
        for (int i = 0; i < 5; i++) {
            Files.writeString(data.resolve("a" + i), "");
        }
        assertThatThrownBy(() -> ForeignData.refuse(data, null))
                .hasMessageContaining("a0, a1, a2, a3, a4 and 2 more: ");
    }

    /** A file system of its own, files of the start script, a log inside, and remains of an interrupted first start. */
    @Test
    void whatMayLieThereIsNoHindrance() throws Exception {
        for (String name : List.of("lost+found", ".snapshot", "logs/broker")) {
            Files.createDirectories(data.resolve(name));
        }
        for (String name : List.of("godwit.starting", "godwit.options", "LOCK", "FORMAT.new")) {
            Files.writeString(data.resolve(name), "");
        }
        assertThatCode(() -> ForeignData.refuse(data, data.resolve("logs/broker")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> ForeignData.refuse(data, null)).hasMessageContaining("but logs: ");
        assertThatCode(() -> ForeignData.refuse(data.resolve("none"), null)).doesNotThrowAnyException();
    }

    @Test
    void dataOfABrokerIsLetPassWhateverLiesBesideIt() throws Exception {
        DataDirectory.open(data).close();
        Files.writeString(data.resolve("notes.txt"), "");
        assertThatCode(() -> ForeignData.refuse(data, null)).doesNotThrowAnyException();
    }
}
