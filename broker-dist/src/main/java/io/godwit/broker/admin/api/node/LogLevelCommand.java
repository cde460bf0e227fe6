package io.godwit.broker.admin.api.node;

import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin log-level}. */
@Command(
        name = "log-level",
        description = "Lists the loggers of the node that is asked, or sets the level of one until it restarts.")
public final class LogLevelCommand extends ApiCommand {
    /** INHERIT takes the level of the logger above. */
    enum Level {
        TRACE,
        DEBUG,
        INFO,
        WARN,
        ERROR,
        INHERIT
    }

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "LOGGER",
            description = "ROOT (info or above), or a package or class of io.godwit")
    private @Nullable String logger;

    @Parameters(index = "1", arity = "0..1", paramLabel = "LEVEL", description = "${COMPLETION-CANDIDATES}")
    private @Nullable Level level;

    public LogLevelCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        if (logger == null) {
            list(client, output);
        } else if (level == null) {
            throw new AdminException(Kind.USAGE, "say which LEVEL " + logger + " is to have");
        } else {
            String name = level.name().toLowerCase(Locale.ROOT);
            JsonObject body = new JsonObject();
            body.addProperty("level", name);
            output.done(
                    logger + " has the level " + name + " until the node restarts",
                    client.put(ApiPath.of("/api/v1/log-levels").part(logger), body));
        }
    }

    private static void list(ApiClient client, Output output) throws AdminException {
        JsonObject answer = client.get(ApiPath.of("/api/v1/log-levels"));
        Columns columns = new Columns().with("LOGGER", "logger").with("LEVEL", "level");
        output.all(answer, columns);
    }
}
