package io.godwit.broker.config;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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

    /** How long another editor may take. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long LOOK_MILLIS = 20;
    private static final int MAX_ATTEMPTS = 100;
    /** Of a file with some 100,000 users. */
    private static final int MAX_BYTES = 64 << 20;

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
        return openOrCreate(given, () -> {});
    }

    /** @param created runs each time the file has been made and is not locked yet */
    static SecretFileEditor openOrCreate(Path given, Runnable created) throws IOException {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            boolean isCreated = true;
            try {
                Files.createFile(given, OWNER_ONLY);
                created.run();
            } catch (FileAlreadyExistsException e) { // to be edited
                isCreated = false;
            } catch (IOException e) {
                throw new IOException("cannot create " + given + ": " + e, e);
            }
            try {
                SecretFileEditor editor = openExisting(given);
                // somebody may have written to it before it was locked here: then it is theirs
                editor.isSurplus = isCreated && editor.content.isEmpty();
                return editor;
            } catch (NoSuchFileException e) {
                // the editor that had created it has written nothing and removed it; or it is a link to nothing
            }
        }
        throw new IOException(given + " is a link to a file that does not exist, or is removed all the time");
    }

    /** Fails when there is no such file. */
    public static SecretFileEditor open(Path given) throws IOException {
        try {
            return openExisting(given);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + given, e);
        }
    }

    private static SecretFileEditor openExisting(Path given) throws IOException {
        Path file = given.toRealPath(); // a symbolic link stays one
        long begunNanos = System.nanoTime();
        while (true) {
            Object opened = keyOf(file);
            // it is no link any more: one that has come in its place since is not followed
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try {
                lock(channel, given, begunNanos);
                // an editor before us has put another file into its place: the lock is on the old one
                if (Objects.equals(opened, keyOf(file))) {
                    return new SecretFileEditor(file, channel, read(channel, given));
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            channel.close();
        }
    }

    /** Whoever may read the file can lock it, so the wait has an end. */
    private static void lock(FileChannel channel, Path given, long begunNanos) throws IOException {
        while (!isLocked(channel)) {
            if (System.nanoTime() - begunNanos >= PATIENCE.toNanos()) {
                throw new IOException(given + " is locked by another program for " + PATIENCE.toSeconds()
                        + " seconds now; nothing was changed");
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while " + given + " is locked by another program");
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) { // by another thread of this process
            return false;
        }
    }

    /** Through the channel that has the lock: to close another one of this file would give the lock up. */
    private static String read(FileChannel channel, Path given) throws IOException {
        long bytes = channel.size();
        if (bytes > MAX_BYTES) {
            throw new IOException(given + " has " + bytes + " bytes, more than the " + MAX_BYTES + " that it may have");
        }
        ByteBuffer content = ByteBuffer.allocate((int) bytes);
        while (content.hasRemaining() && channel.read(content) >= 0) {
            // until all is there
        }
        return StandardCharsets.UTF_8.newDecoder().decode(content.flip()).toString();
    }

    private static @Nullable Object keyOf(Path file) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new IOException(file + " is no plain file");
        }
        return attributes.fileKey();
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
        try (lock) {
            if (isSurplus && lock.size() == 0) { // still locked, so that no editor waits for what is removed unseen
                Files.deleteIfExists(file);
            }
        }
    }
}
