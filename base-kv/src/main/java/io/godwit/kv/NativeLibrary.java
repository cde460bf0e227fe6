package io.godwit.kv;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.rocksdb.util.Environment;

/**
 * Keeps RocksDB's native library as a file. Otherwise each start extracts 17 MB from the jar, and a killed process
 * leaves its copy behind. A start first looks in the directories of {@code java.library.path}.
 */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Writes the library into the directory, under the name that RocksDB looks for, atomically. Does nothing if it is
     * there.
     */
    public static void keepIn(Path directory) throws IOException {
        String name = Environment.getJniLibraryFileName("rocksdb");
        Path library = directory.resolve(name);
        if (Files.exists(library)) {
            return;
        }
        try (InputStream content = Environment.class.getResourceAsStream("/" + name)) {
            if (content == null) {
                return; // RocksDB uses a library of the system
            }
            Files.createDirectories(directory);
            // not a JDK temporary file, which only its owner may read
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
