package io.godwit.broker.admin.api.client;

import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin sessions}. */
@Command(name = "sessions", description = "Lists stored sessions, tells of one, empties the queue of one, or ends one.")
public final class SessionsCommand extends ListCommand {
    @Parameters(paramLabel = "CLIENT_ID", arity = "0..1", description = "tell of this one")
    private @Nullable String clientId;

    @Option(names = "--purge", description = "empty its queue; what may have been sent at QoS 1 or 2 stays")
    private boolean isPurge;

    @Option(names = "--delete", description = "end it, with its queue and its subscriptions")
    private boolean isDelete;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "only those whose client id begins so")
    private @Nullable String prefix;

    @Option(names = "--contains", paramLabel = "TEXT", description = "only those whose client id has this in it")
    private @Nullable String contains;

    @Option(names = "--disconnected", description = "only those whose client is not connected")
    private boolean isDisconnected;

    @Option(names = "--min-queued", paramLabel = "N", description = "only those with so many queued messages or more")
    private @Nullable Long minQueued;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only those of this tenant")
    private @Nullable String tenant;

    public SessionsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of("/api/v1/sessions")
                .with("clientIdPrefix", prefix)
                .with("clientIdContains", contains)
                .with("onlyDisconnected", isDisconnected ? true : null)
                .with("minQueued", minQueued)
                .with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return new Columns()
                .with("CLIENT", "clientId")
                .withTenant()
                .with("USER", "userName")
                .with("CONNECTED", "connected")
                .with("QUEUED", "queuedMessages")
                .with("BYTES", "queuedBytes")
                .with("IN FLIGHT", "inFlight")
                .with("FILTERS", "subscriptions")
                .with("HOME", "home")
                .with("ENDS", "endsAtMillis");
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        if (isPurge && isDelete) {
            throw new AdminException(Kind.USAGE, "--purge and --delete exclude each other");
        }
        String one = clientId;
        if (one == null && (isPurge || isDelete)) {
            throw new AdminException(Kind.USAGE, "CLIENT_ID is missing: whose session?");
        }
        if (isWatched() && (isPurge || isDelete)) {
            throw new AdminException(Kind.USAGE, "--watch cannot be used with --purge or --delete");
        }
        if (one == null) {
            super.run(client, output);
        } else if (isPurge) {
            JsonObject answer = client.delete(session(one).then("/queue").with("tenant", tenant));
            output.done(
                    "dropped " + answer.get("messages") + " messages of " + one + "; " + answer.get("kept")
                            + " that may have been sent stay",
                    answer);
        } else if (isDelete) {
            output.done(
                    "ended the session of " + one, client.delete(session(one).with("tenant", tenant)));
        } else {
            output.item(client.get(session(one).with("tenant", tenant)));
        }
    }

    private static ApiPath session(String clientId) {
        return ApiPath.of("/api/v1/sessions").client(clientId);
    }
}
