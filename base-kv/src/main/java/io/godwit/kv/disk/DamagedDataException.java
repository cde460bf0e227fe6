package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Data on disk is damaged, missing or of a newer format. The node must not start on it. */
public final class DamagedDataException extends IOException {
    private final transient Path file;

    /**
     * @param file the damaged file, or its directory if the file is not known
     * @param detail what is wrong: the value found and the value expected
     */
    public DamagedDataException(Path file, String detail) {
        this(file, detail, null);
    }

    public DamagedDataException(Path file, String detail, @Nullable Throwable cause) {
        this("damaged data in ", file, detail, cause);
    }

    private DamagedDataException(String prefix, Path file, String detail, @Nullable Throwable cause) {
        super(prefix + file + ": " + detail, cause);
        this.file = file;
    }

    /**
     * The data was written by a newer release.
     *
     * @param found what was found, and its version
     * @param newest the newest version that this release reads
     */
    public static DamagedDataException newer(Path file, String found, int newest) {
        return new DamagedDataException(
                "data in ",
                file,
                found + " is of a newer release, this one reads up to " + newest
                        + ". Start the release that wrote it, or restore a backup of before into an empty data"
                        + " directory; nothing was changed",
                null);
    }

    /**
     * A record whose first byte is its version could not be read.
     *
     * @param what the kind of record
     * @param newest the newest version that this release reads
     */
    public static DamagedDataException unreadable(
            Path file, String what, byte[] record, int newest, IOException cause) {
        int version = record.length == 0 ? 0 : record[0] & 0xFF;
        return version > newest
                ? newer(file, what + " of version " + version, newest)
                : new DamagedDataException(file, what + ": " + cause.getMessage(), cause);
    }

    public Path file() {
        return file;
    }
}
