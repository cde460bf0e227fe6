package io.godwit.kv.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    Path work;

    @Test
    void idsAreGivenOnceAndStay() throws IOException {
        Path path = work.resolve("a").resolve("data");
        assertThat(DataDirectory.isEmpty(path)).isTrue();
        UUID cluster;
        UUID store;
        try (DataDirectory first = DataDirectory.open(path)) {
            assertThat(first.isFresh()).isTrue();
            cluster = first.clusterId();
            store = first.storeId();
        }
        assertThat(DataDirectory.isEmpty(path)).isFalse();
        try (DataDirectory second = DataDirectory.open(path)) {
            assertThat(second.isFresh()).isFalse();
            assertThat(second.clusterId()).isEqualTo(cluster);
            assertThat(second.storeId()).isEqualTo(store).isNotEqualTo(cluster);
        }
    }

    /** If it were killed in between, it would be a cluster whose stores nobody may create. */
    @Test
    void aNodeIsAFounderUntilTheFoundingIsRecorded() throws IOException {
        UUID cluster = UUID.randomUUID();
        try (DataDirectory founder = DataDirectory.claim(work).open(cluster, true)) {
            assertThat(founder.isFounding()).isTrue();
        }
        try (DataDirectory again = DataDirectory.claim(work).open(cluster)) {
            assertThat(again.isFounding()).isTrue();
            again.founded();
        }
        try (DataDirectory noted = DataDirectory.claim(work).open(cluster)) {
            assertThat(noted.isFounding()).isFalse();
        }
    }

    @Test
    void aNodeThatJoinsAfterAnUnfinishedFoundingIsNoFounder() throws IOException {
        Path path = Files.createDirectory(work.resolve("data"));
        Files.createFile(path.resolve("FOUNDING"));
        assertThat(DataDirectory.isEmpty(path)).isTrue();
        try (DataDirectory joined = DataDirectory.claim(path).open(UUID.randomUUID(), false)) {
            assertThat(joined.isFounding()).isFalse();
        }
    }

    /** They contain messages, and the umask of the process usually lets everybody read. */
    @Test
    void onlyTheOwnerMayEnterWhatIsMade() throws IOException {
        Path path = work.resolve("a").resolve("data");
        DataDirectory.open(path).close();
        for (Path made : List.of(path, path.getParent())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                    .as("%s", made)
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void aFileInTheWayOfADirectoryIsNamed() throws IOException {
        Path file = Files.createFile(work.resolve("a"));
        assertThatThrownBy(() -> DurableFiles.createDirectories(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void claimedDirectoryIsRefused() throws IOException {
        try (DataDirectory claimed = DataDirectory.open(work)) {
            assertThatThrownBy(() -> DataDirectory.open(work))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by this process")
                    .hasMessageContaining(claimed.path().resolve("LOCK").toString());
        }
        DataDirectory.open(work).close();
    }

    @Test
    void directoryClaimedByAnotherProcessIsRefusedWithItsId() throws Exception {
        DataDirectory.open(work).close();
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Holder.class.getName(),
                        work.toString())
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('h');
            assertThatThrownBy(() -> DataDirectory.open(work))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by process " + other.pid());
        } finally {
            other.destroyForcibly().waitFor();
        }
        DataDirectory.open(work).close(); // a killed process holds no lock
    }

    /** Holds a data directory until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws Exception {
            DataDirectory.open(Path.of(args[0]));
            System.out.print('h');
            System.out.flush();
            Thread.currentThread().join();
        }
    }

    @Test
    void lostFormatIsRefused() throws IOException {
        DataDirectory.open(work).close();
        Files.createDirectories(work.resolve("inbox").resolve("range-3"));
        Files.delete(work.resolve("FORMAT"));

        assertThatThrownBy(() -> DataDirectory.open(work))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(work.resolve("FORMAT") + ": missing");
    }

    @Test
    void filesOfOtherProgramsAreNoData() throws IOException {
        Files.createDirectory(work.resolve("lost+found"));
        Files.createDirectory(work.resolve("log"));
        Files.writeString(work.resolve("log").resolve("godwit.log"), "starting");

        assertThat(DataDirectory.isEmpty(work)).isTrue();
        try (DataDirectory directory = DataDirectory.open(work)) {
            assertThat(directory.isFresh()).isTrue();
        }
    }

    @Test
    void everyCrashBeforeTheLastStepCountsAsEmpty() throws IOException {
        Files.writeString(work.resolve("LOCK"), "12345");
        Files.writeString(work.resolve("FORMAT.new"), "godwit da");
        Files.writeString(work.resolve("godwit.pid"), "12345");

        assertThat(DataDirectory.isEmpty(work)).isTrue();
        try (DataDirectory directory = DataDirectory.open(work)) {
            assertThat(directory.isFresh()).isTrue();
        }
        assertThat(work.resolve("FORMAT.new")).doesNotExist();
    }

    @Test
    void newerFormatIsRefused() throws IOException {
        Files.writeString(work.resolve("FORMAT"), "godwit data\nformat=2\nwhatever\n");

        assertThatThrownBy(() -> DataDirectory.open(work))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(work.resolve("FORMAT") + ": format 2 is of a newer release")
                .hasMessageContaining("this one reads up to 1. ")
                .hasMessageContaining("Start the release that wrote it, or restore a backup of before");
        assertThat(work.resolve("FORMAT")).hasContent("godwit data\nformat=2\nwhatever");
    }

    @Test
    void anyFlippedBitOfTheFormatIsRefused() throws IOException {
        DataDirectory.open(work).close();
        Path file = work.resolve("FORMAT");
        byte[] content = Files.readAllBytes(file);
        for (int i = 0; i < content.length * 8; i++) {
            byte[] damaged = content.clone();
            damaged[i / 8] ^= (byte) (1 << i % 8);
            Files.write(file, damaged);
            assertThatThrownBy(() -> DataDirectory.open(work))
                    .as(new String(damaged, StandardCharsets.ISO_8859_1))
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(file.toString());
        }
        for (int length = 0; length < content.length; length++) {
            Files.write(file, Arrays.copyOf(content, length));
            assertThatThrownBy(() -> DataDirectory.open(work)).isInstanceOf(DamagedDataException.class);
        }
    }
}
