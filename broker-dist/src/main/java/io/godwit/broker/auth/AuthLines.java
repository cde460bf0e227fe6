package io.godwit.broker.auth;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether single lines of users and rules, of other brokers' files, can be taken as they are. */
public final class AuthLines {
    private AuthLines() {}

    /** What is wrong with a line of a password file; empty for nothing. The hash is not in it. */
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

    /** What is wrong with a rule; empty for nothing. */
    public static String wrongRule(String line) {
        List<String> errors = new ArrayList<>();
        AclRule.parseAll(List.of(line), true, errors);
        return errors.isEmpty() ? "" : errors.get(0);
    }
}
