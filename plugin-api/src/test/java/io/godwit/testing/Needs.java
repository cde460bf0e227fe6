package io.godwit.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requirements of a test beside a JDK. If one is missing, the test is skipped with the reason; with
 * {@code -Dclients=required}, for machines that have all of them, the test fails.
 * {@code -Dclients.missing=chromium,gmqtt} names those that may be missing even then.
 */
public final class Needs {
    private static final boolean IS_REQUIRED = "required".equals(System.getProperty("clients"));
    private static final List<String> MAY_BE_MISSING =
            List.of(System.getProperty("clients.missing", "").split(",", -1));

    private Needs() {}

    /** The first of them that is on the PATH; null when none is. */
    public static @Nullable String program(String... names) {
        String[] places = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1);
        for (String name : names) {
            for (String place : places) {
                Path program = Path.of(place, name);
                if (Files.isExecutable(program) && Files.isRegularFile(program)) {
                    return program.toString();
                }
            }
        }
        return null;
    }

    /**
     * @param name as in {@code clients.missing}
     * @param advice where to get it; empty for no advice
     */
    public static void need(boolean isThere, String name, String advice) {
        needOr(isThere, name, name + " is not installed" + (advice.isEmpty() ? "" : "; " + advice));
    }

    /**
     * The same for a requirement that is not just installed or not: {@code reason} says what is missing, and where to
     * get it.
     */
    public static void needOr(boolean isThere, String name, String reason) {
        if (isThere) {
            return;
        }
        if (IS_REQUIRED && !MAY_BE_MISSING.contains(name)) {
            fail(reason + " (-Dclients=required)");
        }
        abort(reason);
    }
}
