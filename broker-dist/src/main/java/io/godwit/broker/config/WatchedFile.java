package io.godwit.broker.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of a file by modification time, size and inode, and so also a replacement by rename or behind a
 * symbolic link. A change counts when the file was the same at two looks in a row, so that it is not read while it is
 * written. Confined to the thread that looks.
 */
public final class WatchedFile {
    private final Path path;
    private Stamp handled;
    private Stamp last;
    /** Why the file that was read last could not be used; null if it could. */
    private @Nullable String failure;

    private boolean isRepeated;

    public WatchedFile(Path path) {
        this.path = path;
        handled = stamp();
        last = handled;
    }

    public Path path() {
        return path;
    }

    /**
     * Whether the file has changed since the last call that returned true, or since construction; true too after
     * {@link #failed}.
     */
    public boolean hasChanged() {
        Stamp now = stamp();
        boolean isStill = now.equals(last);
        last = now;
        isRepeated = now.equals(handled);
        if (!isStill || isRepeated && failure == null) {
            return false;
        }
        if (!isRepeated) {
            failure = null;
        }
        handled = now;
        return true;
    }

    /**
     * The change that {@link #hasChanged} reported could not be used. {@link #hasChanged} then stays true at each look,
     * so that the old content does not stay in force because the disk failed once.
     *
     * @return whether this failure was not reported before
     */
    public boolean failed(String why) {
        boolean isNews = !isRepeated || !why.equals(failure);
        failure = why;
        return isNews;
    }

    /** The change that {@link #hasChanged} reported is in use. */
    public void used() {
        failure = null;
    }

    private Stamp stamp() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Stamp(
                    attributes.lastModifiedTime().toInstant().toString(), attributes.size(), attributes.fileKey());
        } catch (IOException e) {
            return Stamp.MISSING;
        }
    }

    private record Stamp(
            String modified, long size, @Nullable Object fileKey) {
        private static final Stamp MISSING = new Stamp("", -1, null);
    }
}
