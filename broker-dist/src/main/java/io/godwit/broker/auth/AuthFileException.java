package io.godwit.broker.auth;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A file of users or rules cannot be used; the message names the file and every line that is wrong, with what is wrong, not its text. */
public final class AuthFileException extends IOException {
    AuthFileException(Path file, List<String> errors) {
        super(file + ": " + String.join("; ", errors));
    }

    AuthFileException(Path file, IOException cause) {
        super(file + ": cannot be read: " + cause, cause);
    }
}
