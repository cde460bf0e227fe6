package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.Screen;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the command printed, and its exit code.
 *
 * @param code as a shell sees it
 */
record ApiRun(int code, String out, String err) {
    static ApiRun of(Screen screen, Map<String, String> environment, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = new Admin(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        screen,
                        environment)
                .run(args);
        return new ApiRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    static ApiRun of(String... args) {
        return of(Screen.NONE, Map.of(), args);
    }
}
