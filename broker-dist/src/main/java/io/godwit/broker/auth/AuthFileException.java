package io.godwit.broker.auth;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of users or rules cannot be used, or neither can; the message has a line for each file, with its name and every line in it that is wrong, with what is
 * wrong, not its text.
 */
public final class AuthFileException extends IOException {
    AuthFileException(Path file, List<String> errors) {
        super(file + ": " + String.join("; ", errors));
    }

    AuthFileException(Path file, IOException cause) {
        super(file + ": cannot be read: " + cause, cause);
    }

    private AuthFileException(String message, AuthFileException cause) {
        super(message, cause);
    }

    /** This one, and what is wrong with another file. */
    AuthFileException and(@Nullable AuthFileException other) {
        return other == null ? this : new AuthFileException(getMessage() + "\n" + other.getMessage(), this);
    }
}
