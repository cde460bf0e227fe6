package io.godwit.broker.admin.api.node;

import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.api.base.WatchedCommand;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin top}. */
@Command(name = "top", description = "Lists the slowest subscribers, or the busiest clients or topics.")
public final class TopCommand extends WatchedCommand {
    /** The list to print. */
    enum Of {
        SLOW,
        CLIENTS,
        TOPICS;

        /** The spelling on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "OF", description = "${COMPLETION-CANDIDATES}")
    private Of of = Of.SLOW;

    @Option(names = "--limit", paramLabel = "N", description = "how many")
    private @Nullable Integer limit;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only of this tenant")
    private @Nullable String tenant;

    public TopCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        String name = of == Of.SLOW ? "slow-subscribers" : of.toString();
        JsonObject answer = client.get(
                ApiPath.of("/api/v1/top/" + name).with("limit", limit).with("tenant", tenant));
        output.all(answer, columns());
        output.warnOfMissing(Output.missing(answer));
    }

    private Columns columns() {
        return switch (of) {
            case SLOW ->
                new Columns()
                        .with("CLIENT", "clientId")
                        .with("NODE", "node")
                        .with("AVERAGE MS", "averageMillis")
                        .with("WORST MS", "worstMillis")
                        .with("WAITS MS", "pendingMillis");
            case CLIENTS ->
                new Columns()
                        .with("CLIENT", "clientId")
                        .with("IN", "messagesIn")
                        .with("OUT", "messagesOut")
                        .with("BYTES IN", "bytesIn")
                        .with("BYTES OUT", "bytesOut");
            case TOPICS ->
                new Columns()
                        .with("TOPIC", "topic")
                        .with("MESSAGES", "messages")
                        .with("BYTES", "bytes");
        };
    }
}
