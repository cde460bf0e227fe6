package io.godwit.broker.auth;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of users or rules cannot be used, or neither can; the message has a line for each file, with its name and
 * every line in it that is wrong, with what is wrong, not its text.
 */
public final class AuthFileException extends IOException {
    AuthFileException(Path file, List<String> errors) {
        super(file + ": " + String.join("; ", errors));
    }

    AuthFileException(Path file, IOException cause) {
        super(file + ": " + reason(cause), cause);
    }

    private AuthFileException(String message, Throwable cause) {
        super(message, cause);
    }

    /** There is no file of users yet. */
    static AuthFileException noUsers(Path file, AuthFileException cause) {
        return new AuthFileException(
                file + ": there is no such file; \"bin/godwit-passwd --file " + file + " add NAME\" makes it", cause);
    }

    private static String reason(IOException cause) {
        if (cause instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return "cannot be read: " + (cause instanceof AccessDeniedException ? "permission denied" : cause);
    }

    /** This one, and what is wrong with another file. */
    AuthFileException and(@Nullable AuthFileException other) {
        return other == null ? this : new AuthFileException(getMessage() + "\n" + other.getMessage(), this);
    }
}
