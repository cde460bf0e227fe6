package io.godwit.api.port;

import java.nio.file.Path;

/** Tells when a file has changed. Called by one thread at a time, which may block. */
@FunctionalInterface
public interface FileWatch {
    /** Whether it is another one than at the last time this was true, or when the watch began. */
    boolean hasChanged();

    /** Begins watches. */
    @FunctionalInterface
    interface Factory {
        FileWatch watch(Path file);
    }
}
