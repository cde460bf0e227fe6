package io.godwit.broker.auth.password;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of users or rules, or both, cannot be used. The message has a line per file with its name and the numbers and
 * errors of its wrong lines, but not their text.
 */
public final class AuthFileException extends IOException {
    public AuthFileException(Path file, List<String> errors) {
        super(file + ": " + String.join("; ", errors));
    }

    public AuthFileException(Path file, IOException cause) {
        super(file + ": " + reason(cause), cause);
    }

    private AuthFileException(String message, Throwable cause) {
        super(message, cause);
    }

    /** For a missing file of users. */
    public static AuthFileException noUsers(Path file, AuthFileException cause) {
        return new AuthFileException(
                file + ": there is no such file; \"bin/godwit-passwd --file " + file + " add NAME\" makes it", cause);
    }

    private static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return "cannot be read: " + (cause instanceof AccessDeniedException ? "permission denied" : cause);
    }

    /** Adds the errors of another file. */
    public AuthFileException and(@Nullable AuthFileException other) {
        return other == null ? this : new AuthFileException(getMessage() + "\n" + other.getMessage(), this);
    }
}
