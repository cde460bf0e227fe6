package io.godwit.broker.admin.api.access;

import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin ban}. */
@Command(
        name = "ban",
        description = "Keeps a client id, a user or an address out on all nodes, and disconnects who is connected.")
public final class BanCommand extends ApiCommand {
    @Option(names = "--client", paramLabel = "CLIENT_ID", description = "this client id")
    private @Nullable String clientId;

    @Option(names = "--user", paramLabel = "NAME", description = "this user name")
    private @Nullable String user;

    @Option(names = "--address", paramLabel = "ADDRESS", description = "this address, or block such as 10.0.0.0/8")
    private @Nullable String address;

    @Option(names = "--seconds", paramLabel = "N", description = "for so long (default: until unban)")
    private @Nullable Long seconds;

    @Option(names = "--reason", paramLabel = "TEXT", description = "for other operators")
    private @Nullable String reason;

    @Option(names = "--tenant", paramLabel = "NAME", description = "of this tenant (default: default)")
    private @Nullable String tenant;

    public BanCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject body = new JsonObject();
        name(body, "client", clientId);
        name(body, "user", user);
        name(body, "address", address);
        if (body.isEmpty()) {
            throw new AdminException(Kind.USAGE, "say whom: --client, --user or --address");
        }
        if (seconds != null) {
            body.addProperty("seconds", seconds);
        }
        if (reason != null) {
            body.addProperty("reason", reason);
        }
        JsonObject answer = client.post(ApiPath.of("/api/v1/bans").with("tenant", tenant), body);
        String id = answer.get("item") instanceof JsonObject item ? Columns.shown("", item.get("id")) : "";
        output.done("banned " + Columns.shown("", body.get("subject")) + ", lifted by: unban " + id, answer);
    }

    private static void name(JsonObject body, String kind, @Nullable String subject) throws AdminException {
        if (subject == null) {
            return;
        }
        if (!body.isEmpty()) {
            throw new AdminException(Kind.USAGE, "give only one of --client, --user and --address");
        }
        body.addProperty("kind", kind);
        body.addProperty("subject", subject);
    }
}
