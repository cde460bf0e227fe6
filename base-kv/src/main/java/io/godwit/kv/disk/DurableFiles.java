package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * File operations that survive a power loss once they have returned. A new name is durable only when the directory
 * that holds it has been fsynced too, which the JDK leaves to its callers.
 */
public final class DurableFiles {

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private DurableFiles() {}

    /**
     * Creates {@code directory} with the parents it lacks, and fsyncs each directory that got a new name. Only their
     * owner may enter the new ones: they hold messages, and the umask of whoever started this process may be a generous
     * one.
     */
    public static void createDirectories(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path path = directory.toAbsolutePath();
                path != null && !Files.isDirectory(path);
                path = path.getParent()) {
            missing.push(path);
        }
        while (!missing.isEmpty()) {
            Path path = missing.pop();
            try {
                Files.createDirectory(path, OWNER_ONLY);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(path)) { // else another thread was faster
                    throw e;
                }
            }
            syncParent(path);
        }
    }

    /**
     * Puts {@code content} in place of {@code file}, atomically: after a crash the file is the old one or the new one.
     * A leftover {@code <file>.new} means that the crash came before the rename, and is overwritten by the next call.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer remaining = ByteBuffer.wrap(content);
            while (remaining.hasRemaining()) {
                channel.write(remaining);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        syncParent(file);
    }

    /** Makes the names in {@code directory} durable: files created in it, renamed into it or deleted from it. */
    public static void syncDirectory(Path directory) throws IOException {
        sync(directory);
    }

    private static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Makes {@code directory} durable with all that is in it, contents and names, each directory after what it holds.
     */
    public static void syncTree(Path directory) throws IOException {
        List<Path> tree;
        try (Stream<Path> walk = Files.walk(directory)) {
            tree = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : tree) {
            sync(path);
        }
    }

    private static void syncParent(Path path) throws IOException {
        @Nullable Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            syncDirectory(parent);
        }
    }

    /** Deletes a directory with all that is in it, if it is there. */
    public static void deleteTree(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> tree = Files.walk(directory)) {
            files = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
