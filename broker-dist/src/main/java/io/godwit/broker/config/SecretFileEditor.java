package io.godwit.broker.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds a file of secrets for one edit: locked against a second editor, replaced as a whole by a synced file, so that
 * neither a reader nor a crash ever meets half of it. A new file has mode 0600; one that was there keeps its owner, its
 * group and what these may do. Blocks.
 */
public final class SecretFileEditor implements AutoCloseable {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("------rwx");

    private final Path file;
    private final FileChannel lock;
    private final String content;
    private boolean isSurplus;

    private SecretFileEditor(Path file, FileChannel lock, String content) {
        this.file = file;
        this.lock = lock;
        this.content = content;
    }

    /** Begins with an empty file when there is none; it goes again if nothing is written. */
    public static SecretFileEditor openOrCreate(Path given) throws IOException {
        boolean isCreated = true;
        try {
            Files.createFile(given, OWNER_ONLY);
        } catch (FileAlreadyExistsException e) { // to be edited
            isCreated = false;
        } catch (IOException e) {
            throw new IOException("cannot create " + given + ": " + e, e);
        }
        SecretFileEditor editor = open(given);
        editor.isSurplus = isCreated;
        return editor;
    }

    /** Fails when there is no such file. */
    public static SecretFileEditor open(Path given) throws IOException {
        if (!Files.exists(given)) {
            throw new IOException("there is no file " + given);
        }
        Path file = given.toRealPath(); // a symbolic link stays one
        while (true) {
            Object opened = keyOf(file);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                channel.lock();
                // an editor before us has put another file into its place: the lock is on the old one
                if (Objects.equals(opened, keyOf(file))) {
                    return new SecretFileEditor(file, channel, Files.readString(file));
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            channel.close();
        }
    }

    private static @Nullable Object keyOf(Path file) throws IOException {
        return Files.readAttributes(file, PosixFileAttributes.class).fileKey();
    }

    /** As it was when it was opened. */
    public String content() {
        return content;
    }

    /** Puts {@code edited} in its place. */
    public void write(String edited) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Path next = Files.createTempFile(directory, "." + file.getFileName() + ".", ".new", OWNER_ONLY);
        try {
            try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
                ByteBuffer text = ByteBuffer.wrap(edited.getBytes(StandardCharsets.UTF_8));
                while (text.hasRemaining()) {
                    channel.write(text);
                }
                channel.force(true);
            }
            keepOwner(next);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            isSurplus = false;
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(next);
            throw e;
        }
        try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /**
     * An edit by root must not take the file from the user whom the broker runs as, nor from the group by which it
     * reads.
     */
    private void keepOwner(Path next) throws IOException {
        PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
        PosixFileAttributes after = Files.readAttributes(next, PosixFileAttributes.class);
        PosixFileAttributeView view = Files.getFileAttributeView(next, PosixFileAttributeView.class);
        if (!before.group().equals(after.group())) {
            view.setGroup(before.group());
        }
        if (!before.owner().equals(after.owner())) {
            view.setOwner(before.owner());
        }
        Set<PosixFilePermission> kept = EnumSet.copyOf(after.permissions());
        kept.addAll(before.permissions());
        kept.removeAll(OF_OTHERS);
        view.setPermissions(kept); // last: now they are the right group's
    }

    @Override
    public void close() throws IOException {
        if (isSurplus) {
            Files.delete(file);
        }
        lock.close();
    }
}
