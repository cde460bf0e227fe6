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
 * File operations whose result survives a power loss after they have returned. A new name is durable only when its
 * directory has been fsynced too, which the JDK does not do.
 */
public final class DurableFiles {

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private DurableFiles() {}

    /**
     * Creates {@code directory} and its missing parents, and fsyncs each directory that got a new name. Only the owner
     * may enter the new directories: they hold messages, and the umask of the process may be permissive.
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
                if (!Files.isDirectory(path)) { // another thread may have created it
                    throw e;
                }
            }
            syncParent(path);
        }
    }

    /**
     * Replaces {@code file} with {@code content} atomically: after a crash it is the old or the new file. A leftover
     * {@code <file>.new} shows a crash before the rename; the next call overwrites it.
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

    /** Makes changes of names in {@code directory} durable: files created in it, renamed into it or deleted from it. */
    public static void syncDirectory(Path directory) throws IOException {
        sync(directory);
    }

    private static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Makes {@code directory} durable with everything in it, contents and names; each directory after its content. */
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

    /** Deletes a directory with everything in it, if it exists. */
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
