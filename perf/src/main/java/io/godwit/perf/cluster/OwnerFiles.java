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

/** Files and directories that only their owner may enter or read: the modes that the start script gives (umask 077). */
final class OwnerFiles {
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private OwnerFiles() {}

    /** A new directory below that of the JVM for temporary files. */
    static Path temporaryDirectory() throws IOException {
        return Files.createTempDirectory("godwit-perf-", DIRECTORY);
    }

    /** A new directory; the one around it is there. */
    static Path directory(Path directory) throws IOException {
        return Files.createDirectory(directory, DIRECTORY);
    }

    /** Writes a new file. */
    static Path write(Path file, String text) throws IOException {
        Files.createFile(file, FILE);
        return Files.writeString(file, text);
    }

    /** Removes a directory with all that is in it; follows no links. Does nothing when it is not there. */
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
                    return FileVisitResult.CONTINUE; // a broker that ended has removed it meanwhile
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
