package io.godwit.kv.raft;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Data on disk is not what was written, is missing, or is of a newer format: the node must not start on it. */
public final class DamagedDataException extends IOException {
    private final transient Path file;

    /**
     * @param file the damaged file, or the directory when the file is not known
     * @param detail what is wrong with it: the value seen and the value expected
     */
    public DamagedDataException(Path file, String detail) {
        this(file, detail, null);
    }

    public DamagedDataException(Path file, String detail, @Nullable Throwable cause) {
        super("damaged data in " + file + ": " + detail, cause);
        this.file = file;
    }

    public Path file() {
        return file;
    }
}
