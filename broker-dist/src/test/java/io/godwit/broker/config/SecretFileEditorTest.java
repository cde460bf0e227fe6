package io.godwit.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SecretFileEditorTest {
    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("secrets");
    }

    private static void add(Path file, String line) {
        try (SecretFileEditor editor = SecretFileEditor.openOrCreate(file)) {
            editor.write(editor.content() + line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether this process holds a lock against writing on the file, according to the kernel. */
    private static boolean isLocked(Path file) throws IOException {
        String end = ":" + Files.getAttribute(file, "unix:ino") + " ";
        return Files.readAllLines(Path.of("/proc/locks")).stream()
                .anyMatch(line -> line.contains("POSIX") && line.contains("WRITE") && line.contains(end));
    }

    /** Linux releases the lock when the process closes any descriptor of the file. */
    @Test
    void aFileIsLockedAsLongAsItIsEdited() throws Exception {
        add(file(), "a");
        try (SecretFileEditor editor = SecretFileEditor.open(file())) {
            assertThat(editor.content()).isEqualTo("a\n");
            assertThat(isLocked(file())).isTrue();
        }
        assertThat(isLocked(file())).isFalse();
    }

    @Test
    void anEditorThatMadeTheFileAndWritesNothingRemovesIt() throws Exception {
        SecretFileEditor.openOrCreate(file()).close();
        assertThat(file()).doesNotExist();
        add(file(), "a");
        SecretFileEditor.openOrCreate(file()).close();
        assertThat(file()).hasContent("a\n");
    }

    @Test
    void whatAnotherEditorWroteToANewFileFirstIsNotRemoved() throws Exception {
        SecretFileEditor slow = SecretFileEditor.openOrCreate(file(), () -> add(file(), "of another"));
        assertThat(slow.content()).isEqualTo("of another\n");
        slow.close();
        assertThat(file()).hasContent("of another\n");
    }

    @Test
    void whoWaitsForAFileThatIsRemovedMakesItAnew() throws Exception {
        SecretFileEditor first = SecretFileEditor.openOrCreate(file());
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> add(file(), "b"));
        assertThat(second).as("the second editor waits").isNotDone();
        first.close();
        second.get(30, TimeUnit.SECONDS);
        assertThat(file()).hasContent("b\n");
    }

    @Test
    void aNewFileIsItsOwnersAndOthersLoseWhatTheyMayDoWithAnOldOne() throws Exception {
        add(file(), "a");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--rw-"));
        add(file(), "b");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-r-----");
    }

    @Test
    void aLinkStaysOne() throws Exception {
        Path real = directory.resolve("real");
        add(real, "a");
        Files.createSymbolicLink(file(), real);
        add(file(), "b");
        assertThat(file()).isSymbolicLink();
        assertThat(real).hasContent("a\nb\n");
    }

    @Test
    void aLinkToNothingIsRefused() throws Exception {
        Files.createSymbolicLink(file(), directory.resolve("nothing"));
        assertThatThrownBy(() -> SecretFileEditor.openOrCreate(file()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a link to a file that does not exist");
        assertThatThrownBy(() -> SecretFileEditor.open(file()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no file");
        assertThat(directory.resolve("nothing")).doesNotExist();
    }

    @Test
    void whatIsNoPlainFileOrTooLargeIsRefused() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", file().toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> SecretFileEditor.open(file())).hasMessageContaining("no plain file");
        assertThatThrownBy(() -> SecretFileEditor.open(directory)).hasMessageContaining("no plain file");
        Path large = directory.resolve("large");
        try (RandomAccessFile made = new RandomAccessFile(large.toFile(), "rw")) {
            made.setLength(65L << 20);
        }
        assertThatThrownBy(() -> SecretFileEditor.open(large)).hasMessageContaining("more than");
    }
}
