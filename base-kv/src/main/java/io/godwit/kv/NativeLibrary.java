package io.godwit.kv;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.rocksdb.util.Environment;

/**
 * The library of RocksDB as a file. In its jar each start has to take it out, 17 MB, and one that is killed leaves the
 * copy behind; a start first looks for it in the directories of {@code java.library.path}.
 */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Puts it into the directory, under the name by which it is looked for: whole, or not at all. Does nothing when it
     * is there.
     */
    public static void keepIn(Path directory) throws IOException {
        String name = Environment.getJniLibraryFileName("rocksdb");
        Path library = directory.resolve(name);
        if (Files.exists(library)) {
            return;
        }
        try (InputStream content = Environment.class.getResourceAsStream("/" + name)) {
            if (content == null) {
                return; // the system has one
            }
            Files.createDirectories(directory);
            // not a temporary file in the JDK's sense, which only its owner may read
            Path next = directory.resolve(name + "." + ProcessHandle.current().pid() + ".next");
            try {
                Files.copy(content, next, StandardCopyOption.REPLACE_EXISTING);
                Files.move(next, library, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(next);
            }
        }
    }
}
