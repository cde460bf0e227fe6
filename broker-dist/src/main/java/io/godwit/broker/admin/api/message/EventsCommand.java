package io.godwit.broker.admin.api.message;

import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.StreamCommand;
import io.godwit.broker.admin.http.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin events}. */
@Command(name = "events", description = "Tells events of all nodes as they happen.")
public final class EventsCommand extends StreamCommand {
    @Option(names = "--type", paramLabel = "TYPE[,TYPE]", description = "only these, such as client-connected")
    private @Nullable String types;

    @Option(names = "--client", paramLabel = "CLIENT_ID", description = "only those about this client")
    private @Nullable String clientId;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only those of this tenant")
    private @Nullable String tenant;

    @Option(names = "--seconds", paramLabel = "N", description = "for so long (default: an hour)")
    private @Nullable Integer seconds;

    public EventsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of("/api/v1/events")
                .with("type", types)
                .with("clientId", clientId)
                .with("tenant", tenant)
                .with("seconds", seconds);
    }
}
