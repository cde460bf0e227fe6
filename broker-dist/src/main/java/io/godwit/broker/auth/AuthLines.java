package io.godwit.broker.auth;

import io.godwit.broker.auth.password.AuthFileException;
import io.godwit.broker.auth.password.PasswordFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks single lines of users and rules that come from other brokers' files. */
public final class AuthLines {
    private AuthLines() {}

    /** The error in a line of a password file; empty if there is none. It does not contain the hash. */
    public static String wrongUser(String line) {
        try {
            PasswordFile.parse(Path.of("passwd"), List.of(line));
            return "";
        } catch (AuthFileException e) {
            String message = String.valueOf(e.getMessage());
            return message.substring(message.indexOf("line 1: ") + "line 1: ".length())
                    .strip();
        }
    }

    /** The error in a rule; empty if there is none. */
    public static String wrongRule(String line) {
        List<String> errors = new ArrayList<>();
        AclRule.parseAll(List.of(line), true, errors);
        return errors.isEmpty() ? "" : errors.get(0);
    }
}
