package io.godwit.broker.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Tells when a file has changed: by modification time, size and inode, so that one replaced by a rename or behind a
 * symbolic link is noticed too. A change counts once it has stood still from one look to the next, so that a file is
 * not read while it is written. Confined to the thread that looks.
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

    /** Whether it is another one than at the last time this was true, or at the construction. */
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
