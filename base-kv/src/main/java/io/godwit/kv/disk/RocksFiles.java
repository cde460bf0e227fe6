package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks for damage in the files of a database that RocksDB itself does not detect, for every database of a node.
 *
 * <pre>
 * file            what detects a flipped byte
 * CURRENT         {@link #verifyManifest}: it must name an existing manifest
 * MANIFEST-N      {@link #verifyManifest}
 * N.log           {@code WalCheck}; only the shared log has such files
 * N.sst           RocksDB, by the checksum of each block, when the file is opened or read
 * IDENTITY        not written ({@link #options}): RocksDB would read it without a check. The manifest has the same id
 * OPTIONS-N, LOG  nothing: they are for people, and no release reads them
 * LOCK            empty
 * </pre>
 */
public final class RocksFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RocksFiles.class);
    private static final Pattern FILE_NAME =
            Pattern.compile("(?:/[^\\s:'\"]*/)?(\\d+\\.(?:sst|log)|MANIFEST-\\d+|CURRENT)");

    private RocksFiles() {}

    /** The options of every database, including settings without a method in the Java API. The caller closes them. */
    public static DBOptions options(Properties more) {
        Properties properties = new Properties();
        properties.setProperty("write_dbid_to_manifest", "true");
        properties.setProperty("write_identity_file", "false");
        properties.putAll(more);
        return DBOptions.getDBOptionsFromProps(properties);
    }

    /**
     * Checks the manifest of a database before RocksDB opens it: RocksDB takes a wrong length in the last 32 KiB for
     * the end of the file and drops what follows. A last record with a wrong checksum is treated as torn and cut. If it
     * was in fact damaged, the manifest then lacks new files or still lists deleted ones. RocksDB refuses either, or
     * opens an older state, which the Raft log or a snapshot brings forward.
     *
     * @throws DamagedDataException naming {@code CURRENT} or the manifest
     */
    public static void verifyManifest(Path directory) throws IOException {
        Path current = directory.resolve("CURRENT");
        if (!Files.exists(current)) {
            return;
        }
        String name = new String(Files.readAllBytes(current), StandardCharsets.ISO_8859_1);
        if (!name.matches("MANIFEST-\\d+\n")) {
            throw new DamagedDataException(current, "does not name a manifest");
        }
        Path manifest = directory.resolve(name.strip());
        if (!Files.exists(manifest)) {
            throw new DamagedDataException(manifest, "missing, though CURRENT names it");
        }
        RecordFile.Scan scan = RecordFile.scanRecords(manifest);
        switch (scan.ending()) {
            case CLEAN -> {}
            case WRONG_BEFORE_MORE -> throw damaged(manifest, scan, "though a later record follows");
            case WRONG, CUT_SHORT -> cut(manifest, scan);
        }
    }

    /**
     * Converts RocksDB's refusal into a {@link DamagedDataException} that names the file in its message, or
     * {@code directory} if it names none. If only file descriptors were missing, the result is a plain
     * {@link IOException}.
     */
    public static IOException refusedBy(RocksDBException refusal, Path directory) {
        if (OpenFiles.wereShort(refusal)) {
            return new IOException(directory + ": " + refusal.getMessage(), refusal);
        }
        String message = String.valueOf(refusal.getMessage());
        Matcher matcher = FILE_NAME.matcher(message);
        return new DamagedDataException(
                matcher.find() ? directory.resolve(matcher.group(1)) : directory, message, refusal);
    }

    public static void cut(Path file, RecordFile.Scan scan) throws IOException {
        long size = Files.size(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(scan.goodBytes());
            channel.force(true);
        }
        LOG.warn("torn tail cut file={} offset={} bytes={}", file, scan.goodBytes(), size - scan.goodBytes());
    }

    public static DamagedDataException damaged(Path file, RecordFile.Scan scan, String why) {
        return new DamagedDataException(
                file,
                "no correct record at offset " + scan.goodBytes() + " behind sequence " + scan.lastSequence() + ", "
                        + why);
    }
}
