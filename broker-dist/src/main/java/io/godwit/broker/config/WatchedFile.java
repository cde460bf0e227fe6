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

    public WatchedFile(Path path) {
        this.path = path;
        handled = stamp();
        last = handled;
    }

    public Path path() {
        return path;
    }

    /** Whether the file has changed since the last call that returned true, or since construction. */
    public boolean hasChanged() {
        Stamp now = stamp();
        boolean isStill = now.equals(last);
        last = now;
        if (!isStill || now.equals(handled)) {
            return false;
        }
        handled = now;
        return true;
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
