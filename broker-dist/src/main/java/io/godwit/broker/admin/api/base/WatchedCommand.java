package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Screen;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * A command that changes nothing, so it may be repeated with {@code --watch}. On a terminal each output replaces the
 * last one, and is cut to the number of lines of the terminal.
 */
public abstract class WatchedCommand extends ApiCommand {
    private static final int MOST_SECONDS = 86_400;

    @Option(
            names = "--watch",
            paramLabel = "SECONDS",
            arity = "0..1",
            fallbackValue = "2",
            description = "look again after so many seconds (2), until it is interrupted")
    private @Nullable Integer watchSeconds;

    protected WatchedCommand(Invocation invocation) {
        super(invocation);
    }

    protected final boolean isWatched() {
        return watchSeconds != null;
    }

    @Override
    public final Integer call() throws AdminException {
        Integer seconds = watchSeconds;
        if (seconds == null) {
            return super.call();
        }
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw new AdminException(Kind.USAGE, "--watch must be 1 to " + MOST_SECONDS + " seconds");
        }
        ApiClient client = connect();
        boolean isFirst = true;
        while (!Thread.currentThread().isInterrupted()) {
            picture(client, isFirst);
            isFirst = false;
            pause(seconds);
        }
        return 0;
    }

    private void picture(ApiClient client, boolean isFirst) throws AdminException {
        Screen screen = invocation().screen();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            run(client, new Output(invocation(), out));
        } catch (AdminException e) {
            if (isFirst || e.kind() == Kind.USAGE) {
                throw e;
            }
            invocation().err().println("godwit-admin: " + e.getMessage()); // it may become reachable again
            return;
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        if (screen.isTerminal()) {
            text = firstLines(text, Math.max(1, screen.rows() - 1));
        } else if (!isFirst && !invocation().isJson()) {
            text = System.lineSeparator() + text;
        }
        invocation().out().print(screen.cleared() + text);
        invocation().out().flush();
    }

    private static String firstLines(String text, int lines) {
        int end = 0;
        for (int i = 0; i < lines; i++) {
            int next = text.indexOf('\n', end);
            if (next < 0) {
                return text;
            }
            end = next + 1;
        }
        return text.substring(0, end);
    }

    private static void pause(int seconds) {
        try {
            TimeUnit.SECONDS.sleep(seconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // ends the loop of call()
        }
    }
}
