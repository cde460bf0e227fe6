package io.godwit.broker.admin.backup;

import static io.godwit.broker.admin.FakeNode.A;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.admin.AdminFixture;
import io.godwit.broker.admin.FakeNode;
import io.godwit.broker.admin.command.BackupCommand;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.kv.disk.ChecksummedText;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of ranges led by two nodes, taken through one of them, into a directory and into a tar file. */
class BackupTest {
    @TempDir
    private Path directory;

    private AdminFixture fixture;

    @BeforeEach
    void serve() throws Exception {
        fixture = new AdminFixture(Files.createDirectory(directory.resolve("data")));
    }

    @AfterEach
    void stop() throws Exception {
        fixture.close();
    }

    private Path backup(String name) {
        Path to = directory.resolve(name);
        assertThat(fixture.run("backup", "inbox", to.toString()))
                .as(fixture.err)
                .isZero();
        return to;
    }

    /** A backup contains the messages of all clients. */
    @Test
    void onlyTheOwnerMayReadABackup() throws Exception {
        Files.setPosixFilePermissions(
                Files.createFile(directory.resolve("b.tar.unfinished")), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(permissions(backup("b"))).isEqualTo("rwx------");
        assertThat(permissions(backup("b.tar"))).isEqualTo("rw-------");
    }

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aStoreIsCopiedFromWhoLeadsItsRanges() throws Exception {
        Path backup = backup("b");
        assertThat(fixture.out).contains("2 ranges of inbox, 1.3 MiB, are in " + backup);
        BackupManifest manifest = BackupManifest.read(backup);
        assertThat(manifest.store()).isEqualTo("inbox");
        assertThat(manifest.cluster()).isEqualTo("cluster");
        assertThat(manifest.ranges())
                .extracting(range -> range.id() + " " + range.epoch() + " " + range.start() + "-" + range.end())
                .containsExactly("1 4 -80", "2 9 80-null");
        for (BackupManifest.Range range : manifest.ranges()) {
            assertThat(backup.resolve(range.directory()).resolve("000007.sst"))
                    .hasBinaryContent(FakeNode.content(range.id()));
            assertThat(backup.resolve(range.directory()).resolve("empty.log")).isEmptyFile();
        }
        BackupFiles.verify(backup);
        try (Stream<Path> left = Files.list(fixture.data.resolve("copies-a"))) {
            assertThat(left).as("temporary copies are deleted").isEmpty();
        }
    }

    @Test
    void aTargetThatCannotBeWrittenSaysWhy() throws Exception {
        Path nowhere = directory.resolve("missing").resolve("b.tar");
        assertThat(fixture.run("backup", "inbox", nowhere.toString())).isEqualTo(1);
        assertThat(fixture.err)
                .contains("the backup was not finished: " + nowhere)
                .contains(": no such file or directory");
        Path below = Files.writeString(directory.resolve("file"), "").resolve("b.tar");
        assertThat(fixture.run("backup", "inbox", below.toString())).isEqualTo(1);
        assertThat(fixture.err).contains(below.toString(), ": Not a directory");
        assertThat(BackupCommand.reasonOf(new AccessDeniedException("/b"))).isEqualTo("/b: permission denied");
    }

    @Test
    void aTarFileHoldsTheSameAndOthersCanReadIt() throws Exception {
        Path tar = backup("b.tar");
        assertThat(directory.resolve("b.tar.unfinished")).doesNotExist();
        Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
        BackupFiles.unpack(tar, unpacked);
        BackupManifest manifest = BackupFiles.verify(unpacked);
        assertThat(manifest.ranges()).hasSize(2);
        Path system = Files.createDirectory(directory.resolve("system"));
        Process unpacking = new ProcessBuilder("tar", "-xf", tar.toString(), "-C", system.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(unpacking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(unpacking.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
        assertThat(BackupFiles.verify(system)).isEqualTo(manifest);
    }

    @Test
    void allStoresAreCopiedAtOneMoment() throws Exception {
        fixture.node.inbox.ranges.replaceAll(range ->
                range.with(range.id(), range.epoch(), range.start(), range.end(), range.voters(), range.learners(), A));
        Path all = directory.resolve("all");
        assertThat(fixture.run("backup", "all", all.toString())).as(fixture.err).isZero();
        assertThat(fixture.node.moments).isEqualTo(1);
        List<String> stores = fixture.node.stores();
        for (String store : stores) {
            BackupManifest manifest = BackupFiles.verify(all.resolve(store));
            assertThat(manifest.store()).isEqualTo(store);
            assertThat(manifest.ranges()).hasSize(2);
            assertThat(manifest.taken())
                    .isEqualTo(BackupManifest.read(all.resolve(stores.get(0))).taken());
        }
        try (Stream<Path> left = Files.list(fixture.data.resolve("copies-a"))) {
            assertThat(left).as("temporary copies are deleted").isEmpty();
        }
        Path restored = directory.resolve("restored");
        assertThat(fixture.run("restore", all.toString(), "--into", restored.toString()))
                .as(fixture.err)
                .isZero();
        assertThat(fixture.out).doesNotContain("different moments");
        assertThat(fixture.run("backup", "all", all.toString())).isEqualTo(4);
        assertThat(fixture.err).contains(all + " is not empty");
        assertThat(fixture.run("backup", "all", directory.resolve("all.tar").toString()))
                .isEqualTo(4);
    }

    /** There is no common point in time for ranges of several nodes. */
    @Test
    void allStoresAreNotCopiedWhenAnotherNodeLeadsSome() throws Exception {
        Path all = directory.resolve("all");
        assertThat(fixture.run("backup", "all", all.toString())).isEqualTo(4);
        assertThat(fixture.err).contains("not copied at one moment", "is led by");
        assertThat(all.resolve("inbox")).doesNotExist();
    }

    @Test
    void aRestoreOfDifferentMomentsSaysSo() throws Exception {
        Path inbox = backup("b");
        Path dist = backup("d");
        BackupManifest manifest = BackupManifest.read(dist);
        BackupManifest earlier = new BackupManifest(
                manifest.cluster(), "dist", manifest.release(), "2026-11-22T08:15:05Z", manifest.ranges());
        Files.write(dist.resolve(BackupManifest.FILE), earlier.encode());
        Path restored = directory.resolve("restored");
        assertThat(fixture.run("restore", inbox.toString(), dist.toString(), "--into", restored.toString()))
                .as(fixture.err)
                .isZero();
        assertThat(fixture.out + fixture.err).contains("different moments");
    }

    @Test
    void aPlaceThatIsInUseIsLeftAlone() throws Exception {
        Path taken = Files.createDirectory(directory.resolve("taken"));
        Path file = Files.writeString(taken.resolve("mine"), "1");
        assertThat(fixture.run("backup", "inbox", taken.toString())).isEqualTo(4);
        assertThat(fixture.err).contains(taken + " is not empty");
        Path tar = Files.writeString(directory.resolve("t.tar"), "1");
        assertThat(fixture.run("backup", "inbox", tar.toString())).isEqualTo(4);
        assertThat(tar).hasContent("1");
        assertThat(file).hasContent("1");
        assertThat(fixture.run("backup", "inbx", directory.resolve("new").toString()))
                .isEqualTo(6);
        assertThat(directory.resolve("new")).doesNotExist();
    }

    /**
     * The range is split while the other one is being copied: the resulting ranges are copied too, and the original one
     * no longer.
     */
    @Test
    void aRangeThatIsCutMeanwhileIsCopiedAsItIsAfterwards() throws Exception {
        fixture.node.inbox.ranges.replaceAll(range ->
                range.with(range.id(), range.epoch(), range.start(), range.end(), range.voters(), range.learners(), A));
        fixture.node.whenCopied = rangeId -> {
            if (rangeId == 1 && fixture.node.inbox.ranges.size() == 2) {
                assertThat(fixture.run("split", "inbox", "1", "--at", "33")).isZero();
            }
        };
        Path backup = directory.resolve("b");
        FakeNode.FakeRange before = fixture.node.inbox.find(1);
        assertThat(before.end()).isEqualTo("80");
        assertThat(fixture.run("backup", "inbox", backup.toString())).isZero();
        assertThat(BackupFiles.verify(backup).ranges())
                .extracting(range -> range.id() + " " + range.start() + "-" + range.end())
                .containsExactly("1 -33", "70 33-80", "2 80-null");
    }

    @Test
    void aBackupThatWasNotFinishedIsNone() throws Exception {
        fixture.other.whenCopied = rangeId -> {
            throw new IllegalStateException("disk on fire");
        };
        Path backup = directory.resolve("b");
        assertThat(fixture.run("backup", "inbox", backup.toString())).isEqualTo(1);
        assertThat(fixture.err).contains("range 1 of inbox was not copied", "disk on fire");
        assertThatThrownBy(() -> BackupFiles.verify(backup))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(backup.resolve("BACKUP") + ": is missing");
        Path tar = directory.resolve("b.tar");
        assertThat(fixture.run("backup", "inbox", tar.toString())).isEqualTo(1);
        assertThat(tar).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "short", "flipped", "manifest", "newer"})
    void whatIsDamagedIsNamed(String damage) throws Exception {
        Path backup = backup("b");
        Path file = backup.resolve(BackupManifest.read(backup).ranges().get(1).directory())
                .resolve("000007.sst");
        Path manifest = backup.resolve("BACKUP");
        Path named = file;
        byte[] bytes = Files.readAllBytes(file);
        switch (damage) {
            case "missing" -> Files.delete(file);
            case "short" -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
            case "flipped" -> {
                bytes[bytes.length / 2] ^= 1;
                Files.write(file, bytes);
            }
            case "manifest" -> {
                named = manifest;
                Files.writeString(manifest, Files.readString(manifest).replace("epoch=4", "epoch=5"));
            }
            default -> {
                named = manifest;
                String lines = Files.readString(manifest).replaceAll("crc32c=.*\n", "");
                Files.write(manifest, ChecksummedText.seal(lines.replace("format=1", "format=2")));
            }
        }
        assertThatThrownBy(() -> BackupFiles.verify(backup))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(named.toString());
    }

    @Test
    void aTarFileThatWasCutOffIsNamed() throws Exception {
        Path tar = backup("b.tar");
        byte[] bytes = Files.readAllBytes(tar);
        for (int length : List.of(0, 100, 512, 800, bytes.length / 2, bytes.length - 1_024)) {
            Files.write(tar, Arrays.copyOf(bytes, length));
            Path unpacked = Files.createDirectory(directory.resolve("u" + length));
            assertThatThrownBy(() -> BackupFiles.unpack(tar, unpacked))
                    .as("cut to %d", length)
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(tar.toString());
        }
    }

    @Test
    void aTarFileDoesNotLeadOutOfItsDirectory() throws Exception {
        for (String name : List.of("../x", "/tmp/x", "a/b/c", "a/../../x")) {
            Path tar = directory.resolve("evil.tar");
            try (OutputStream out = Files.newOutputStream(tar)) {
                new Tar.Entry(out, name, 0).close();
                Tar.end(out);
            }
            assertThatThrownBy(() -> BackupFiles.unpack(tar, directory.resolve("u")))
                    .as(name)
                    .isInstanceOf(DamagedDataException.class);
        }
        assertThat(directory.resolve("x")).doesNotExist();
    }

    /** If a node restarts, or cannot read on, a copy ends within a file; then the range is copied again. */
    @Test
    void halfAFileIsNotLeftInTheTarFile() throws Exception {
        Path tar = directory.resolve("b.tar");
        byte[] content = FakeNode.content(1);
        try (BackupTarget target = BackupTarget.at(tar)) {
            write(target, "range-1-1", content, content.length);
            for (int written : List.of(0, 1, 700, content.length - 1)) {
                assertThatThrownBy(() -> write(target, "range-2-2", content, written))
                        .isInstanceOf(AdminException.class);
                write(target, "range-2-after-" + written, content, content.length);
            }
            assertThatThrownBy(() -> write(target, "range-3-3", content, 5)).isInstanceOf(AdminException.class);
            target.finish(new byte[] {1, 2, 3});
        }
        Path unpacked = directory.resolve("unpacked");
        BackupFiles.unpack(tar, unpacked);
        assertThat(unpacked.resolve(BackupManifest.FILE)).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(unpacked.resolve("range-1-1/f")).hasBinaryContent(content);
        for (int written : List.of(0, 1, 700, content.length - 1)) {
            assertThat(unpacked.resolve("range-2-after-" + written + "/f")).hasBinaryContent(content);
        }
    }

    /** Writes as {@link Backup} does, and stops after {@code comes} bytes. */
    private static void write(BackupTarget target, String to, byte[] content, int comes)
            throws AdminException, IOException {
        try (OutputStream out = target.file(to, "f", content.length)) {
            out.write(content, 0, comes);
            if (comes < content.length) {
                throw new AdminException(AdminException.Kind.UNREACHABLE, "the node is not reachable");
            }
        }
    }

    /**
     * Files beside the directory to be created belong to the operator; perhaps they are the backup itself, unpacked by
     * hand.
     */
    @Test
    void aRestoreDeletesNothingThatItHasNotMade() throws Exception {
        Path tar = backup("b.tar");
        Path byHand = Files.createDirectory(directory.resolve("r1.unpacked"));
        BackupFiles.unpack(tar, byHand);
        Path into = directory.resolve("r1");
        for (Path from : List.of(byHand, tar)) {
            assertThat(fixture.run("restore", from.toString(), "--into", into.toString()))
                    .as(fixture.err)
                    .isZero();
            assertThat(byHand).exists();
            BackupFiles.verify(byHand);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .as("the restore leaves no files of its own")
                    .containsExactlyInAnyOrder("b.tar", "data", "r1.unpacked");
        }
    }

    /** "backup all" was killed while it wrote the manifests, so the finished stores are not the whole backup. */
    @Test
    void ofABackupOfAllThatWasNotFinishedNothingIsRestored() throws Exception {
        Path all = Files.createDirectory(directory.resolve("all"));
        assertThat(fixture.run("backup", "inbox", all.resolve("inbox").toString()))
                .isZero();
        assertThat(fixture.run("backup", "inbox", all.resolve("dist").toString()))
                .isZero();
        Files.delete(all.resolve("dist").resolve(BackupManifest.FILE));
        Path into = directory.resolve("r1");
        assertThat(fixture.run("restore", all.toString(), "--into", into.toString()))
                .isEqualTo(7);
        assertThat(fixture.err).contains(all.resolve("dist") + " is no backup, or one that was not finished");
    }

    /** Stores without a backup begin empty, which operators should not learn from their clients. */
    @Test
    void storesWithoutABackupAreNamed() throws Exception {
        Path inbox = backup("b");
        assertThat(fixture.run(
                        "restore",
                        inbox.toString(),
                        "--into",
                        directory.resolve("r1").toString()))
                .isZero();
        assertThat(fixture.out + fixture.err).contains("no backup of dist, retain: ");
    }

    /** As when an hourly job takes longer than an hour. */
    @Test
    void aTarFileThatIsBeingWrittenIsLeftToWhoWritesIt() throws Exception {
        Path tar = directory.resolve("b.tar");
        byte[] manifest = {1, 2, 3};
        try (BackupTarget first = BackupTarget.at(tar)) {
            assertThatThrownBy(() -> BackupTarget.at(tar))
                    .isInstanceOf(FileAlreadyExistsException.class)
                    .hasMessageContaining("is being written");
            first.finish(manifest);
        }
        assertThat(Files.size(tar)).isEqualTo(4 * 512);
        Files.writeString(directory.resolve("c.tar.unfinished"), "left by one that was killed");
        try (BackupTarget next = BackupTarget.at(directory.resolve("c.tar"))) {
            next.finish(manifest);
        }
        assertThat(directory.resolve("c.tar")).hasSameBinaryContentAs(tar);
    }
}
