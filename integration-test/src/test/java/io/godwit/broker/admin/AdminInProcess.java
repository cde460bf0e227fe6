package io.godwit.broker.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/**
 * Runs commands of {@code bin/godwit-admin} in the JVM of the tests, which use them again and again: each start of the
 * script takes a second of both cores. Any thread.
 */
public final class AdminInProcess {
    private AdminInProcess() {}

    /**
     * What came of a command.
     *
     * @param text on standard output
     * @param told on standard error
     */
    public record Answer(int code, String text, String told) {}

    /** Runs a command to its end. */
    public static Answer run(String... words) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        int code;
        try (PrintStream out = new PrintStream(text, false, UTF_8);
                PrintStream err = new PrintStream(told, true, UTF_8)) {
            code = new Admin(out, err).run(words);
        }
        return new Answer(code, text.toString(UTF_8), told.toString(UTF_8));
    }
}
