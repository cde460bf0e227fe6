package io.godwit.broker.admin.api.message;

import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.StreamCommand;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin trace}. */
@Command(
        name = "trace",
        description = {
            "Follows a client, a topic or an address through all nodes. Where several are given, all must hold."
        })
public final class TraceCommand extends StreamCommand {
    @Option(names = "--client", paramLabel = "CLIENT_ID", description = "who publishes, subscribes or receives")
    private @Nullable String clientId;

    @Option(names = "--topic", paramLabel = "FILTER", description = "a topic, or those that a filter matches")
    private @Nullable String topic;

    @Option(names = "--address", paramLabel = "ADDRESS", description = "of a client, without a port")
    private @Nullable String address;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only of this tenant")
    private @Nullable String tenant;

    @Option(names = "--seconds", paramLabel = "N", description = "for so long (default: 60)")
    private @Nullable Integer seconds;

    public TraceCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() throws AdminException {
        if (clientId == null && topic == null && address == null) {
            throw new AdminException(Kind.USAGE, "say what to follow: --client, --topic or --address");
        }
        return ApiPath.of("/api/v1/trace")
                .with("clientId", clientId)
                .with("topic", topic)
                .with("address", address)
                .with("tenant", tenant)
                .with("seconds", seconds);
    }
}
