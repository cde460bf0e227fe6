package io.godwit.perf.cluster;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates files and directories that only their owner may enter or read, with the modes that the start script's umask
 * 077 gives.
 */
final class OwnerFiles {
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private OwnerFiles() {}

    /** Creates a directory below the JVM's directory for temporary files. */
    static Path temporaryDirectory() throws IOException {
        return Files.createTempDirectory("godwit-perf-", DIRECTORY);
    }

    /** Creates a directory; its parent must exist. */
    static Path directory(Path directory) throws IOException {
        return Files.createDirectory(directory, DIRECTORY);
    }

    /** Writes a new file. */
    static Path write(Path file, String text) throws IOException {
        Files.createFile(file, FILE);
        return Files.writeString(file, text);
    }

    /** Removes a directory with all its content; does not follow links. Does nothing if it does not exist. */
    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException fault) throws IOException {
                if (fault instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // removed meanwhile by a broker that was ending
                }
                throw fault;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path left, @Nullable IOException fault) throws IOException {
                if (fault != null) {
                    throw fault;
                }
                Files.deleteIfExists(left);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
