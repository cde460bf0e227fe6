package io.godwit.api.port;

import java.nio.file.Path;

/** Tells whether a file has changed. Called by one thread at a time, which may block. */
@FunctionalInterface
public interface FileWatch {
    /** Whether the file differs from when this last returned true, or from when the watch began. */
    boolean hasChanged();

    /** Starts watches. */
    @FunctionalInterface
    interface Factory {
        FileWatch watch(Path file);
    }
}
