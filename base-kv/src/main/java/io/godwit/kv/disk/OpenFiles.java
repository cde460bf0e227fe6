package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Distinguishes a shortage of file descriptors (EMFILE, ENFILE), which is temporary, from damage. Thread-safe. */
public final class OpenFiles {
    /** The system's text for both errors; the start script sets the locale so that it is English. */
    private static final String SYSTEM_TEXT = "Too many open files";

    private static final int MAX_CAUSES = 16;

    private OpenFiles() {}

    /** Whether {@code failure} says that a file could not be opened because too many are open. */
    public static boolean wereShort(Throwable failure) {
        @Nullable Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            String message = cause.getMessage();
            if (message != null && message.contains(SYSTEM_TEXT)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /**
     * Like {@link #wereShort(Throwable)}, but also true if {@code needed} files cannot be opened now, because some
     * libraries do not pass the reason on.
     */
    public static boolean wereShort(Throwable failure, Path file, int needed) {
        return wereShort(failure) || areShort(file, needed);
    }

    /**
     * Whether {@code file}, which exists, cannot be opened {@code needed} times at once because too many files are
     * open.
     */
    public static boolean areShort(Path file, int needed) {
        List<FileChannel> opened = new ArrayList<>(needed);
        try {
            for (int i = 0; i < needed; i++) {
                opened.add(FileChannel.open(file, StandardOpenOption.READ));
            }
            return false;
        } catch (IOException e) {
            return wereShort(e);
        } finally {
            for (FileChannel channel : opened) {
                close(channel);
            }
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("a file that was only read cannot be closed", e);
        }
    }
}
