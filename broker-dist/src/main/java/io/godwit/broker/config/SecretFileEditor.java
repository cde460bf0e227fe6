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
 * Holds a file of secrets for one edit. It is locked against a second editor, and replaced as a whole by a synced file,
 * so that neither a reader nor a crash leaves half of it. A new file has mode 0600; an existing one keeps its owner,
 * its group and their permissions. Blocks.
 */
public final class SecretFileEditor implements AutoCloseable {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("------rwx");

    /** How long to wait for another editor. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long LOOK_MILLIS = 20;
    private static final int MAX_ATTEMPTS = 100;
    /** Enough for some 100,000 users. */
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

    /** Begins with an empty file if there is none; it is removed if nothing is written. */
    public static SecretFileEditor openOrCreate(Path given) throws IOException {
        return openOrCreate(given, () -> {});
    }

    /** @param created runs each time when the file has been created and is not locked yet */
    static SecretFileEditor openOrCreate(Path given, Runnable created) throws IOException {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            boolean isCreated = true;
            try {
                Files.createFile(given, OWNER_ONLY);
                created.run();
            } catch (FileAlreadyExistsException e) { // it exists and will be edited
                isCreated = false;
            } catch (IOException e) {
                throw new IOException("cannot create " + given + ": " + e, e);
            }
            try {
                SecretFileEditor editor = openExisting(given);
                // another program may have written to it before it was locked here, and then owns it
                editor.isSurplus = isCreated && editor.content.isEmpty();
                return editor;
            } catch (NoSuchFileException e) {
                // its creator has written nothing and removed it, or the path is a dangling link
            }
        }
        throw new IOException(given + " is a link to a file that does not exist, or is removed all the time");
    }

    /** Fails if there is no such file. */
    public static SecretFileEditor open(Path given) throws IOException {
        try {
            return openExisting(given);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + given, e);
        }
    }

    private static SecretFileEditor openExisting(Path given) throws IOException {
        Path file = given.toRealPath(); // a symbolic link is kept
        long begunNanos = System.nanoTime();
        while (true) {
            Object opened = keyOf(file);
            // the path is resolved: a link that replaced the file since is not followed
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try {
                lock(channel, given, begunNanos);
                // an earlier editor may have replaced the file, so that the lock is on the old one
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

    /** Waits with a limit, since anybody who may read the file can lock it. */
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
        } catch (OverlappingFileLockException e) { // locked by another thread of this process
            return false;
        }
    }

    /** Uses the channel with the lock: closing another channel of this file would release the lock. */
    private static String read(FileChannel channel, Path given) throws IOException {
        long bytes = channel.size();
        if (bytes > MAX_BYTES) {
            throw new IOException(given + " has " + bytes + " bytes, more than the " + MAX_BYTES + " that it may have");
        }
        ByteBuffer content = ByteBuffer.allocate((int) bytes);
        while (content.hasRemaining() && channel.read(content) >= 0) {
            // until all is read
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

    /** The content when the file was opened. */
    public String content() {
        return content;
    }

    /** Replaces the file. */
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

    /** An edit by root must not take the file from the broker's user, nor from the group that reads it. */
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
        view.setPermissions(kept); // last, when the group is right
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            if (isSurplus && lock.size() == 0) { // while locked, so that waiting editors notice the removal
                Files.deleteIfExists(file);
            }
        }
    }
}
