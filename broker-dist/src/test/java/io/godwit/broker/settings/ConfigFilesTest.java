package io.godwit.broker.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What is checked in is what the records say. CONTRIBUTING.md tells how both files are written anew. */
class ConfigFilesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent();

    @Test
    void theFileThatShipsIsWrittenFromTheRecords() throws IOException {
        assertWritten("conf/standalone.yml", ConfigFiles.file());
    }

    @Test
    void theReferencePageIsWrittenFromTheRecords() throws IOException {
        assertWritten("docs/configuration.md", ConfigFiles.page());
    }

    private static void assertWritten(String name, String text) throws IOException {
        Path file = ROOT.resolve(name);
        if (System.getProperty("godwit.config.write") != null) {
            Files.writeString(file, text);
        }
        assertThat(text.lines()).allMatch(line -> line.length() <= 120);
        assertThat(file).hasContent(text);
    }
}
