package io.godwit.kv.raft.snapshot;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotMetaTable;
import io.godwit.kv.disk.ChecksummedText;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.wire.PeerIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A checksum over JRaft's metadata of a snapshot, which JRaft itself does not check: its last index and term, the
 * voters at that index, and its files. The files themselves are a RocksDB checkpoint, which has its own checksums.
 *
 * <pre>
 * (snapshots)/snapshot_(index)/__raft_snapshot_meta   JRaft's metadata
 * (snapshots)/snapshot_(index)/SEAL                   text with a checksum (ChecksummedText):
 *   notes=(CRC-32C of the SnapshotMeta message as protobuf encodes it, then of each file's name in UTF-8, ascending,
 *         without SEAL; 8 hex digits)
 * </pre>
 */
public final class SnapshotSeal {
    private static final String FILE = "SEAL";
    private static final String NOTES = "__raft_snapshot_meta";
    private static final String DIRECTORY = "snapshot_";

    private SnapshotSeal() {}

    /** Adds the seal to a snapshot that has all its other files, before JRaft's metadata is written. */
    public static void add(SnapshotWriter writer, SnapshotMeta meta) throws IOException {
        DurableFiles.replace(Path.of(writer.getPath(), FILE), ChecksummedText.seal(linesFor(meta, writer.listFiles())));
        writer.addFile(FILE);
    }

    /** Adds the seal and then the metadata: everything of the snapshot is on disk then, except its name. */
    public static void complete(SnapshotWriter writer, SnapshotMeta meta) throws IOException {
        add(writer, meta);
        LocalSnapshots.complete(writer, meta);
    }

    /**
     * Compares the newest snapshot's metadata with its seal. Older ones are left by a crash during their deletion and
     * are not read.
     *
     * @param snapshots the directory of a group's snapshots, which may be empty
     * @throws DamagedDataException naming the metadata or the seal
     */
    public static void verify(Path snapshots) throws IOException {
        Path newest = newest(snapshots);
        if (newest != null) {
            verifyOne(newest);
        }
    }

    /**
     * Compares a snapshot's metadata with its seal.
     *
     * @throws DamagedDataException naming the metadata or the seal
     */
    static void verifyOne(Path snapshot) throws IOException {
        notesOf(snapshot);
    }

    /** The metadata, checked like in {@link #verifyOne}. A running group may delete the snapshot at any moment. */
    private static SnapshotMeta notesOf(Path snapshot) throws IOException {
        Path seal = snapshot.resolve(FILE);
        if (!Files.exists(seal)) {
            throw new DamagedDataException(seal, "missing");
        }
        String expected = ChecksummedText.open(seal, Files.readAllBytes(seal));
        Path notes = snapshot.resolve(NOTES);
        LocalSnapshotMetaTable table = new LocalSnapshotMetaTable(new RaftOptions());
        boolean readable;
        try {
            readable = table.loadFromFile(notes.toString()) && table.hasMeta();
        } catch (IOException | RuntimeException e) { // JRaft passes protobuf's errors on unchecked
            throw new DamagedDataException(notes, "cannot be read: " + e.getMessage(), e);
        }
        if (!readable || !linesFor(table.getMeta(), table.listFiles()).equals(expected)) {
            throw new DamagedDataException(notes, "does not match the checksum in " + seal);
        }
        return table.getMeta();
    }

    /**
     * The voters in the newest snapshot's metadata; empty if there is no snapshot, or if it does not match its seal.
     */
    public static List<String> votersIn(Path snapshots) {
        try {
            Path newest = newest(snapshots);
            return newest == null
                    ? List.of()
                    : notesOf(newest).getPeersList().stream()
                            .map(PeerIds::storeIdOf)
                            .sorted()
                            .toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // damaged too, which its user will report, or deleted at this moment
        }
    }

    private static @Nullable Path newest(Path snapshots) throws IOException {
        if (!Files.isDirectory(snapshots)) {
            return null;
        }
        try (Stream<Path> entries = Files.list(snapshots)) {
            Optional<Path> newest =
                    entries.filter(entry -> indexOf(entry) >= 0).max(Comparator.comparingLong(SnapshotSeal::indexOf));
            return newest.orElse(null);
        }
    }

    /** The index of a snapshot directory; -1 for another name, such as JRaft's {@code temp}. */
    private static long indexOf(Path directory) {
        String name = directory.getFileName().toString();
        String digits = name.startsWith(DIRECTORY) ? name.substring(DIRECTORY.length()) : "";
        return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : -1;
    }

    private static String linesFor(SnapshotMeta meta, Set<String> files) {
        CRC32C crc = new CRC32C();
        crc.update(meta.toByteArray());
        for (String file : new TreeSet<>(files)) {
            if (!file.equals(FILE)) {
                crc.update(file.getBytes(StandardCharsets.UTF_8));
                crc.update('\n');
            }
        }
        return String.format("notes=%08x\n", crc.getValue());
    }
}
