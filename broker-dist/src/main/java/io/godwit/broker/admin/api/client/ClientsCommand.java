package io.godwit.broker.admin.api.client;

import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin clients}. */
@Command(name = "clients", description = "Lists the clients of all nodes, or tells of one.")
public final class ClientsCommand extends ListCommand {
    @Parameters(paramLabel = "CLIENT_ID", arity = "0..1", description = "tell of this one")
    private @Nullable String clientId;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "only those whose client id begins so")
    private @Nullable String prefix;

    @Option(names = "--contains", paramLabel = "TEXT", description = "only those whose client id has this in it")
    private @Nullable String contains;

    @Option(names = "--user", paramLabel = "NAME", description = "only those of this user")
    private @Nullable String user;

    @Option(names = "--address", paramLabel = "ADDRESS", description = "only those from this address, without a port")
    private @Nullable String address;

    @Option(names = "--protocol", paramLabel = "3|4|5", description = "only those of MQTT 3.1, 3.1.1 or 5.0")
    private @Nullable Integer protocol;

    @Option(names = "--min-queued", paramLabel = "N", description = "only those with so many queued messages or more")
    private @Nullable Long minQueued;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only those of this tenant")
    private @Nullable String tenant;

    public ClientsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of("/api/v1/clients")
                .with("clientIdPrefix", prefix)
                .with("clientIdContains", contains)
                .with("userName", user)
                .with("address", address)
                .with("protocol", protocol)
                .with("minQueued", minQueued)
                .with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return new Columns()
                .with("CLIENT", "clientId")
                .withTenant()
                .with("USER", "userName")
                .with("ADDRESS", "address")
                .with("NODE", "node")
                .with("MQTT", "protocolLevel")
                .with("QUEUED", "queuedMessages")
                .with("IN FLIGHT", "inFlightOut")
                .with("FILTERS", "subscriptions")
                .with("CONNECTED", "connectedAtMillis");
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        if (clientId == null) {
            super.run(client, output);
        } else {
            output.item(
                    client.get(ApiPath.of("/api/v1/clients").client(clientId).with("tenant", tenant)));
        }
    }
}
