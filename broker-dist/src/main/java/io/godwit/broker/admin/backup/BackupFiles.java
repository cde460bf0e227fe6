package io.godwit.broker.admin.backup;

import io.godwit.broker.admin.rpc.CopySender;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/** Reads backups, and refuses those that are damaged or incomplete. */
public final class BackupFiles {
    private static final int CHUNK_BYTES = 256 << 10;

    private BackupFiles() {}

    /**
     * Unpacks the tar file of a backup into a directory, which it creates.
     *
     * @throws DamagedDataException naming the file, if it is damaged or ends early
     */
    public static void unpack(Path tar, Path into) throws IOException {
        DurableFiles.createDirectories(into);
        String entry = "";
        try (Tar.Reader in = new Tar.Reader(new BufferedInputStream(Files.newInputStream(tar)))) {
            TarArchiveEntry next = in.nextFile();
            while (next != null) {
                entry = next.getName();
                Path file = into.resolve(checked(entry));
                DurableFiles.createDirectories(file.resolveSibling(""));
                try (OutputStream out = Files.newOutputStream(file)) {
                    in.transferTo(out);
                }
                next = in.nextFile();
            }
        } catch (DamagedDataException e) {
            throw e;
        } catch (IOException e) {
            String where = entry.isEmpty() ? "" : "after " + entry + ": ";
            throw new DamagedDataException(tar, where + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new DamagedDataException(tar, String.valueOf(e.getMessage()), e);
        }
    }

    /** Accepts the manifest, or a file in a directory. */
    private static String checked(String name) {
        int slash = name.indexOf('/');
        if (slash >= 0) {
            BackupManifest.name(name.substring(0, slash));
        }
        BackupManifest.name(name.substring(slash + 1));
        return name;
    }

    /**
     * Reads a whole backup in a directory and compares all checksums.
     *
     * @throws DamagedDataException naming the file that is missing or damaged
     */
    public static BackupManifest verify(Path backup) throws IOException {
        BackupManifest manifest = BackupManifest.read(backup);
        for (BackupManifest.Range range : manifest.ranges()) {
            for (BackupManifest.File file : range.files()) {
                verify(backup.resolve(range.directory()).resolve(file.name()), file);
            }
        }
        return manifest;
    }

    private static void verify(Path path, BackupManifest.File expected) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new DamagedDataException(path, "is missing");
        }
        if (Files.size(path) != expected.bytes()) {
            throw new DamagedDataException(
                    path, "has " + Files.size(path) + " bytes, " + expected.bytes() + " were written");
        }
        MessageDigest digest = CopySender.sha256();
        try (InputStream in = Files.newInputStream(path)) {
            for (byte[] chunk = in.readNBytes(CHUNK_BYTES); chunk.length > 0; chunk = in.readNBytes(CHUNK_BYTES)) {
                digest.update(chunk);
            }
        }
        if (!HexFormat.of().formatHex(digest.digest()).equals(expected.sha256())) {
            throw new DamagedDataException(path, "is not what was written: its checksum is another");
        }
    }
}
