package io.godwit.broker.admin.api.client;

import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin subscriptions}. */
@Command(name = "subscriptions", description = "Lists the subscriptions of a client, or who is subscribed to a filter.")
public final class SubscriptionsCommand extends ListCommand {
    @Option(names = "--client", paramLabel = "CLIENT_ID", description = "those of this client")
    private @Nullable String clientId;

    @Option(
            names = "--filter",
            paramLabel = "FILTER",
            description = "who is subscribed to exactly this filter, as the broker matches it")
    private @Nullable String filter;

    @Option(names = "--tenant", paramLabel = "NAME", description = "the client's tenant (default: default)")
    private @Nullable String tenant;

    public SubscriptionsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() throws AdminException {
        if ((clientId == null) == (filter == null)) {
            throw new AdminException(Kind.USAGE, "say --client CLIENT_ID or --filter FILTER");
        }
        return clientId == null
                ? ApiPath.of("/api/v1/subscriptions").with("filter", filter).with("tenant", tenant)
                : ApiPath.of("/api/v1/clients")
                        .client(clientId)
                        .then("/subscriptions")
                        .with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return clientId == null
                ? receivers()
                : new Columns()
                        .with("FILTER", "filter")
                        .with("QOS", "qos")
                        .with("NO LOCAL", "noLocal")
                        .with("RETAIN AS PUBLISHED", "retainAsPublished")
                        .with("ID", "subscriptionId");
    }

    static Columns receivers() {
        return new Columns()
                .with("CLIENT", "clientId")
                .with("QOS", "qos")
                .with("NODE", "node")
                .with("STORED", "stored")
                .with("SHARED FILTER", "sharedFilter");
    }
}
